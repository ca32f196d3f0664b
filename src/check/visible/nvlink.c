/* SPDX-License-Identifier: Apache-2.0 */
/* NVLinks that should be up and are not. A card without a bridge, or with fewer bridges than it has places for, has
 * inactive links by design: there only its equals on the node tell what should be up. */
#include "check/common.h"

struct links {
	unsigned up, down;
	const struct gv_entity *first_down, *first_up;
};

static struct links links_of(const struct gv_run *run, const struct gv_entity *gpu)
{
	struct links l = { 0 };

	for (struct gv_entity *e = NULL; (e = gv_each_of(gpu, GV_LINK, e));) {
		bool active;

		if (!gv_flag_known(e, GV_F_LINK_ACTIVE, &active))
			continue;
		if (active) {
			l.up++;
			l.first_up = l.first_up ? l.first_up : e;
		} else {
			l.down++;
			l.first_down = l.first_down ? l.first_down : e;
		}
	}
	return l;
}

/* The most links that an equal of this GPU has up. */
static unsigned best_equal(const struct gv_run *run, const struct gv_entity *gpu, const struct gv_entity **ret)
{
	unsigned best = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, gpu->node, e));) {
		struct links l;

		if (e == gpu || !gv_eq(gv_text(e, GV_F_GPU_NAME), gv_text(gpu, GV_F_GPU_NAME)))
			continue;
		l = links_of(run, e);
		if (l.up > best) {
			best = l.up;
			*ret = l.first_up;
		}
	}
	return best;
}

static struct gv_finding *found_down(struct gv_judge *j, const struct gv_entity *gpu, const struct links *l,
				     const struct gv_entity *equal)
{
	struct gv_finding *f = gv_found(j, GV_K_NVLINK_DOWN, gpu);

	gv_set(j, f, "down", "%u", l->down);
	gv_set(j, f, "links", "%u", l->up + l->down);
	for (struct gv_entity *e = NULL; (e = gv_each_of(gpu, GV_LINK, e)) && f->nquotes < 4;) {
		bool active;

		if (gv_flag_known(e, GV_F_LINK_ACTIVE, &active) && !active)
			gv_quote_fact(f, e, GV_F_LINK_ACTIVE);
	}
	if (l->first_up)
		gv_quote_fact(f, l->first_up, GV_F_LINK_ACTIVE);
	else if (equal)
		gv_quote_fact(f, equal, GV_F_LINK_ACTIVE);
	return f;
}

/* Links of the node whose counters are known, and those of them that count nothing. */
struct peers {
	unsigned known, quiet;
};

/* The counter that is out of order: times that a link was brought up anew, or packets that were sent again, which no healthy
 * link collects while its equals have none; 0 where none is. */
static double trouble(const struct gv_run *run, const struct gv_entity *link, enum gv_fact *ret_fact)
{
	double n = 0;

	*ret_fact = GV_F_LINK_RECOVERIES;
	if (gv_num(link, GV_F_LINK_RECOVERIES, &n) && n >= gv_threshold(run, GV_T_NVLINK_RECOVERIES) && n > 0)
		return n;
	*ret_fact = GV_F_LINK_REPLAY;
	return gv_num(link, GV_F_LINK_REPLAY, &n) && n >= gv_threshold(run, GV_T_NVLINK_REPLAYS) ? n : 0;
}

static struct peers peers_of(const struct gv_run *run, const struct gv_entity *node)
{
	struct peers p = { 0 };

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_LINK, node, e));) {
		double again, replays = 0;

		if (!gv_num(e, GV_F_LINK_RECOVERIES, &again))
			continue;
		gv_num(e, GV_F_LINK_REPLAY, &replays);
		p.known++;
		p.quiet += again + replays <= 0;
	}
	return p;
}

/* Links that were lost and could not be brought back, or that carried broken packets: the driver's own counts.
 * Replays since the driver was loaded say nothing without a time, but for a link that stands out among its equals. */
static bool found_errors(struct gv_judge *j, const struct gv_entity *gpu, const struct peers *p)
{
	bool alone = p->known >= 8 && p->quiet * 10 >= p->known * 9;
	bool any = false;

	for (struct gv_entity *e = NULL; (e = gv_each_of(gpu, GV_LINK, e));) {
		const struct gv_obs *old, *new;
		enum gv_fact fact;
		double failed = 0;
		struct gv_finding *f;

		if (gv_two_looks(e, GV_F_LINK_REPLAY, &old, &new) && new->num > old->num)
			failed = new->num - old->num;
		else if (gv_two_looks(e, GV_F_LINK_RECOVERIES, &old, &new) && new->num > old->num)
			failed = new->num - old->num;
		else if (gv_num(e, GV_F_LINK_RECOVERY_FAILED, &failed) && failed > 0)
			new = gv_obs(e, GV_F_LINK_RECOVERY_FAILED), old = NULL;
		else if (alone && (failed = trouble(j->run, e, &fact)) > 0)
			new = gv_obs(e, fact), old = NULL;
		if (failed <= 0)
			continue;
		f = gv_found(j, GV_K_NVLINK_DOWN, gpu);
		if (f->nquotes == 0) {
			f->severity = GV_WARN; /* up, and losing packets */
			f->confidence = GV_MEDIUM;
		}
		gv_set(j, f, "erring", "link %.*s counts %.0f", GV_ARG(e->id), failed);
		if (old)
			gv_quote(f, old->at);
		gv_quote(f, new->at);
		any = true;
	}
	return any;
}

/* "all links are inactive": of a board that is wired to its peers, which has none of them. In a virtual machine that was given
 * one GPU of such a board that is how it must be. */
static bool all_off(struct gv_judge *j, const struct gv_entity *gpu)
{
	const struct gv_entity *equal = NULL;
	double index = 0;
	struct gv_finding *f;

	if (!gv_flag(gpu, GV_F_GPU_NVLINK_ALL_OFF) || !gv_nvlink_wired(gv_text(gpu, GV_F_GPU_NAME)) ||
	    gv_is(gv_text(gpu, GV_F_GPU_MIG), "Enabled"))
		return false;
	best_equal(j->run, gpu, &equal);
	gv_num(gpu, GV_F_GPU_INDEX, &index);
	if (!equal && index < 1 && gv_count(j->run, GV_GPU, gpu->node) < 2)
		return false;
	f = gv_found(j, GV_K_NVLINK_DOWN, gpu);
	gv_set(j, f, "erring", "all of them, says nvidia-smi");
	gv_quote_fact(f, gpu, GV_F_GPU_NVLINK_ALL_OFF);
	if (equal) {
		gv_quote_fact(f, equal, GV_F_LINK_ACTIVE);
	} else if (!f->event) {
		f->severity = GV_WARN; /* whether its peers have theirs is not seen */
		f->confidence = GV_MEDIUM;
	}
	return true;
}

static enum gv_answer of_gpu(struct gv_judge *j, const struct gv_entity *gpu, const struct peers *p)
{
	struct links l = links_of(j->run, gpu);
	const struct gv_entity *equal = NULL;
	unsigned best;
	bool found = found_errors(j, gpu, p), board;

	if (l.up + l.down == 0)
		return all_off(j, gpu) || found ? GV_FOUND : GV_NA;
	best = l.down ? best_equal(j->run, gpu, &equal) : 0;
	board = gv_nvlink_wired(gv_text(gpu, GV_F_GPU_NAME));
	if (l.down && (board ? l.up || best : l.up && l.up < best)) {
		struct gv_finding *f = found_down(j, gpu, &l, equal);

		if (!board && !f->event) { /* or a pair of cards was given fewer bridges than another */
			f->severity = GV_WARN;
			f->confidence = GV_MEDIUM;
		}
		found = true;
	}
	return found ? GV_FOUND : GV_PASS;
}

/* A job that met a broken link names no GPU. */
static bool by_job(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_NVLINK_DOWN, node, ev));) {
		gv_found_event(j, GV_K_NVLINK_DOWN, ev);
		any = true;
	}
	return any;
}

static enum gv_answer nvlink_run(struct gv_judge *j, const struct gv_entity *node)
{
	enum gv_answer a = by_job(j, node) ? GV_FOUND : GV_NA;
	struct peers p;

	if (gv_crowded(j->run, node))
		return a;
	p = peers_of(j->run, node);
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		enum gv_answer b = of_gpu(j, e, &p);

		if (b == GV_FOUND || a == GV_NA)
			a = b;
	}
	return a;
}

const struct gv_check gv_check_nvlink = {
	.id = "nvlink",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = nvlink_run,
};
