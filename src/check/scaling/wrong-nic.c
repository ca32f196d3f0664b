/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives on an interface that other machines do not reach, on none at all, or told to use one that is not there. On
 * one machine any interface will do. */
#include "check/common_net.h"

/* The first interface of "[0]veth4f1c2ab:fe80::1%veth4f1c2ab<0> [1]ens5:10.0.0.11<0>". */
static gv_str first_interface(gv_str list)
{
	return gv_before(gv_after(list, "]"), ":");
}

/* Another interface of the list that other machines can reach. */
static gv_str better_interface(gv_str list)
{
	gv_str rest = list;

	for (size_t i = 0; i < 32 && (rest = gv_after(rest, "]")).p; i++) {
		gv_str name = gv_before(rest, ":");

		if (name.n && name.n < 16 && !gv_nic_local_only(name))
			return name;
	}
	return GV_NONE;
}

static bool by_bootstrap(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const sigs[] = { "nccl-bootstrap", "nccl-net-socket" };
	struct gv_place span_at = { 0 };
	bool any = false;

	if (gv_job_span(j->run, node, &span_at) != GV_SPAN_SEVERAL)
		return false;
	for (size_t i = 0; i < 2; i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sigs[i], node, ev));) {
			gv_str name = i ? first_interface(ev->cap[1]) : ev->cap[1];
			struct gv_finding *f;

			if (!gv_nic_local_only(name))
				continue;
			f = gv_found_event(j, GV_K_WRONG_NIC, ev);
			gv_quote(f, span_at);
			gv_set_str(j, f, "used", name);
			if (i)
				gv_set_str(j, f, "better", better_interface(ev->cap[1]));
			any = true;
		}
	return any;
}

/* Docker's default bridge is 172.17.0.0/16 on every host: nobody reaches such an address of another machine. A refusal
 * comes from the address itself, so somebody was reached. */
static bool bridge_address(const struct gv_event *ev)
{
	return gv_starts(ev->cap[1], "172.17.") && !gv_has_nocase(ev->cap[3], "refused");
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-no-interface", node, ev));) {
		gv_found_event(j, GV_K_WRONG_NIC, ev);
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-connect-failed", node, ev));) {
		struct gv_finding *f;

		if (!bridge_address(ev))
			continue;
		f = gv_found_event(j, GV_K_WRONG_NIC, ev);
		gv_set_str(j, f, "used", ev->cap[1]);
		any = true;
	}
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nccl-modify-qp", node, ev));) {
		struct gv_finding *f;

		if (gv_is(ev->cap[1], "No data available")) /* an empty entry of the GID table: roce-gid-index */
			continue;
		f = gv_found_event(j, GV_K_WRONG_NIC, ev);
		f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "why", ev->cap[1]);
		any = true;
	}
	return any;
}

/* All interfaces of the machine were listed: loopback is among them. */
static const struct gv_entity *whole_list(const struct gv_run *run, const struct gv_entity *node)
{
	const struct gv_entity *lo = gv_by_id(run, GV_NIC, node, GV_STR("lo"));

	return lo && gv_obs(lo, GV_F_NIC_FLAGS) ? lo : NULL;
}

/* NCCL takes prefixes, "=" before exact names, "^" before what is left out; Gloo takes exact names. */
static bool names_one(const struct gv_run *run, const struct gv_entity *node, gv_str value)
{
	gv_str one;
	bool exact = gv_starts(value, "=");

	if (exact)
		value = gv_from(value, 1);
	while (gv_next(&value, ',', &one)) {
		one = gv_before(gv_trim(one), ":");
		for (struct gv_entity *e = NULL; one.n && (e = gv_each(run, GV_NIC, node, e));)
			if (exact ? gv_eq(e->id, one) : e->id.n >= one.n && gv_eq(gv_sub(e->id, 0, one.n), one))
				return true;
	}
	return false;
}

static bool by_variable(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const names[] = { "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME" };
	const struct gv_entity *lo = whole_list(j->run, node);
	bool any = false;

	for (size_t i = 0; lo && i < 2; i++) {
		const struct gv_entity *e = gv_by_id(j->run, GV_VAR, node, gv_str_of(names[i]));
		gv_str v = e ? gv_text(e, GV_F_VAR_VALUE) : GV_NONE;
		struct gv_finding *f;

		if (!v.n || v.p[0] == '^' || v.p[0] == '$' || v.p[0] == '"' || names_one(j->run, node, v))
			continue;
		f = gv_found(j, GV_K_WRONG_NIC, node);
		f->confidence = GV_MEDIUM; /* the list may be another network namespace's */
		gv_quote_fact(f, e, GV_F_VAR_VALUE);
		gv_quote_fact(f, lo, GV_F_NIC_FLAGS);
		gv_set(j, f, "why", "%s=%.*s names no interface of the machine", names[i], GV_ARG(v));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_bootstrap(j, node);

	any |= by_lines(j, node);
	any |= by_variable(j, node);
	return any ? GV_FOUND : gv_has_collective_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_wrong_nic = {
	.id = "wrong-nic",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
