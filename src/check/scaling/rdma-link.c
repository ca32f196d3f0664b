/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of an RDMA fabric that are down, or go up and down: what the adapter's driver, the collective library and the
 * interface list say. */
#include "check/common_net.h"

/* systemd-networkd tells of all interfaces; those of InfiniBand are named ib0, ib1, ... */
static bool of_fabric(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "mlx-link") ||
	       (gv_starts(ev->cap[1], "ib") && ev->cap[1].n > 2 && ev->cap[1].p[2] >= '0' && ev->cap[1].p[2] <= '9');
}

/* "Link down" of a port that had been up since the boot. */
static bool by_signature(struct gv_judge *j, const struct gv_entity *node, const char *sig, unsigned state)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, sig, node, ev));) {
		bool down = gv_starts_nocase(ev->last_cap[state], "down") || gv_starts_nocase(ev->last_cap[state], "lost");
		bool was_up = gv_starts_nocase(ev->cap[state], "up") || gv_starts_nocase(ev->cap[state], "gained");
		/* one down and up is a cable that somebody moved */
		bool flaps = (double)ev->count >= gv_threshold(j->run, GV_T_LINK_FLAPS);
		struct gv_finding *f;

		if (ev->boot_first != ev->boot_last || !((down && was_up) || flaps) || !of_fabric(ev))
			continue;
		f = gv_found_event(j, GV_K_IB_LINK_DOWN, ev);
		/* what was pulled on purpose looks the same */
		if (!flaps)
			f->severity = GV_WARN;
		f->confidence = GV_MEDIUM;
		gv_set(j, f, "changes", "%llu", (unsigned long long)ev->count);
		gv_set_str(j, f, "state", down ? GV_STR("down") : GV_STR("up again"));
		any = true;
	}
	return any;
}

static bool by_driver(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_signature(j, node, "mlx-link", 3);

	return by_signature(j, node, "net-carrier", 2) || any;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_IB_LINK_DOWN, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_IB_LINK_DOWN, ev);

		gv_set_str(j, f, "why", ev->cap[2]);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any;
}

static bool ipoib(const struct gv_entity *nic)
{
	return gv_starts(nic->id, "ib") && nic->id.n > 2 && nic->id.p[2] >= '0' && nic->id.p[2] <= '9';
}

/* Switched on by the administrator, and no carrier. */
static bool no_carrier(const struct gv_entity *nic)
{
	return gv_has(gv_text(nic, GV_F_NIC_FLAGS), "NO-CARRIER");
}

/* An IPoIB interface without a carrier: a fault where others of the machine have one, else the machine may not be wired. */
static bool by_interfaces(struct gv_judge *j, const struct gv_entity *node)
{
	size_t with = 0;
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_NIC, node, e));)
		with += ipoib(e) && gv_flag(e, GV_F_NIC_LINK);
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_NIC, node, e));) {
		struct gv_finding *f;

		if (!ipoib(e) || !no_carrier(e))
			continue;
		f = gv_found(j, GV_K_IB_LINK_DOWN, e);
		f->severity = with ? GV_WARN : GV_NOTE;
		f->confidence = GV_MEDIUM;
		gv_quote_fact(f, e, GV_F_NIC_FLAGS);
		gv_set_str(j, f, "state", GV_STR("without a carrier"));
		if (with)
			gv_set(j, f, "peers", "%zu", with);
		any = true;
	}
	return any;
}

/* What the port says of itself. One that was never cabled polls, too: only one whose link once went down was up. Without a
 * subnet manager a port stays as it came up. */
static bool by_ports(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_NIC, node, e));) {
		gv_str state = gv_text(e, GV_F_NIC_STATE), phys = gv_text(e, GV_F_NIC_PHYS);
		bool unset = gv_is(phys, "LinkUp") && (gv_is(state, "INIT") || gv_is(state, "ARMED"));
		double downed = 0;
		struct gv_finding *f;

		if (!gv_is(gv_text(e, GV_F_NIC_LAYER), "InfiniBand"))
			continue;
		gv_num(e, GV_F_NIC_LINK_DOWNED, &downed);
		if (!unset && !(gv_is(state, "DOWN") && gv_is(phys, "Polling") && downed > 0))
			continue;
		f = gv_found(j, GV_K_IB_LINK_DOWN, e);
		f->severity = GV_WARN; /* what was pulled on purpose looks the same */
		f->confidence = GV_MEDIUM;
		gv_quote_fact(f, e, GV_F_NIC_STATE);
		gv_quote_fact(f, e, GV_F_NIC_PHYS);
		if (unset) {
			gv_set(j, f, "state", "%.*s, no subnet manager has set it up", GV_ARG(state));
		} else {
			gv_set(j, f, "state", "down, and it was up before");
			gv_quote_fact(f, e, GV_F_NIC_LINK_DOWNED);
		}
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= by_driver(j, node);
	any |= by_interfaces(j, node);
	any |= by_ports(j, node);
	if (any)
		return GV_FOUND;
	return gv_rdma_shown(j->run, node, NULL) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_rdma_link = {
	.id = "rdma-link",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
