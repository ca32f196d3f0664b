/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs that could talk directly and do not: the collective library says so, it was told not to, or it goes through host
 * memory between GPUs that NVLink connects. */
#include "check/common_net.h"

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_P2P_DISABLED, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_P2P_DISABLED, ev);

		/* without NVLink the driver refuses it on many cards by design */
		if (gv_is(ev->sig->id, "nccl-p2p-off") && !gv_has(ev->cap[0], "NVLINK")) {
			f->severity = f->values.n ? f->severity : GV_NOTE;
			f->confidence = GV_MEDIUM;
		} else {
			f->severity = GV_WARN;
			gv_set_str(j, f, "said", gv_trim(gv_sub(ev->cap[0], 0, 80)));
		}
		any = true;
	}
	return any;
}

/* NCCL_P2P_DISABLE=1 is a remedy on cards without peer-to-peer; where NVLink is there it costs most of the bandwidth. */
static bool by_variable(struct gv_judge *j, const struct gv_entity *node, const struct gv_gpu_pairs *p)
{
	static const char *const names[] = { "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL" };
	bool any = false;

	for (size_t i = 0; p->nvlink && i < 2; i++) {
		const struct gv_entity *e = gv_by_id(j->run, GV_VAR, node, gv_str_of(names[i]));
		gv_str v = e ? gv_text(e, GV_F_VAR_VALUE) : GV_NONE;
		struct gv_finding *f;

		if (!(i == 0 ? gv_is(v, "1") : gv_is(v, "LOC") || gv_is(v, "0")))
			continue;
		f = gv_found(j, GV_K_P2P_DISABLED, node);
		gv_quote_fact(f, e, GV_F_VAR_VALUE);
		gv_quote_fact(f, p->first_nvlink, GV_F_PAIR_PATH);
		gv_set(j, f, "said", "%s=%.*s", names[i], GV_ARG(v));
		gv_set_str(j, f, "path", gv_text(p->first_nvlink, GV_F_PAIR_PATH));
		any = true;
	}
	return any;
}

/* Where every pair has NVLink no channel needs shared memory. */
static bool by_channel(struct gv_judge *j, const struct gv_entity *node, const struct gv_gpu_pairs *p)
{
	for (struct gv_event *ev = NULL; p->n && p->n == p->nvlink && (ev = gv_each_event(j->run, "nccl-channel", node, ev));) {
		struct gv_finding *f;

		if (!gv_starts(ev->cap[1], "SHM"))
			continue;
		f = gv_found_event(j, GV_K_P2P_DISABLED, ev);
		f->confidence = GV_MEDIUM;
		gv_quote_fact(f, p->first_nvlink, GV_F_PAIR_PATH);
		gv_set(j, f, "said", "channels go via %.*s", GV_ARG(ev->cap[1]));
		gv_set_str(j, f, "path", gv_text(p->first_nvlink, GV_F_PAIR_PATH));
		return true;
	}
	return false;
}

/* The driver's own word on a pair. Without NVLink it refuses many pairs by design, and a registry key was set by somebody. */
static bool by_matrix(struct gv_judge *j, const struct gv_entity *node, bool *ret_known)
{
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PAIR, node, e));) {
		gv_str says = gv_text(e, GV_F_PAIR_P2P), path = gv_text(e, GV_F_PAIR_PATH);
		bool nvlink = gv_starts(path, "NV");
		struct gv_finding *f;

		*ret_known |= says.n > 0;
		if (!says.n || gv_is(says, "OK") || gv_is(says, "U") || (!nvlink && !gv_is(says, "DR")))
			continue;
		f = gv_found(j, GV_K_P2P_DISABLED, node);
		if (!nvlink && !f->nquotes)
			f->severity = GV_NOTE;
		else if (nvlink)
			f->severity = GV_WARN;
		gv_set(j, f, "said", "topo -p2p says %.*s for %.*s", GV_ARG(says), GV_ARG(e->id));
		gv_quote_fact(f, e, GV_F_PAIR_P2P);
		if (nvlink) {
			gv_set_str(j, f, "path", path);
			gv_quote_fact(f, e, GV_F_PAIR_PATH);
		}
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_gpu_pairs p = gv_gpu_pairs(j->run, node);
	bool any = by_lines(j, node), known = false;

	any |= by_matrix(j, node, &known);
	any |= by_variable(j, node, &p);
	any |= by_channel(j, node, &p);
	return any ? GV_FOUND : known || gv_has_collective_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_p2p = {
	.id = "p2p",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
