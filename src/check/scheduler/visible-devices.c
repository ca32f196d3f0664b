/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that choose the GPUs of a program, and choose none of those that are there. A mask that somebody meant is no
 * fault: it counts where the program sees no GPU, or where its numbers cannot be right. */
#include "check/common_load.h"

#define MASK 128 /* entries of a list that are read */

static bool empty_mask(gv_str v)
{
	return !v.n || gv_is(v, "\"\"") || gv_is(v, "''") || gv_is(v, "-1") || gv_is(v, "NoDevFiles") || gv_is(v, "none") ||
	       gv_is(v, "void");
}

/* The numbers of a list, up to the first that is none; false where it names GPUs otherwise (UUID, MIG). */
static bool numbers_of(gv_str v, double *ret, size_t *ret_n)
{
	gv_str one;
	size_t n = 0;

	while (n < MASK && gv_next(&v, ',', &one)) {
		if (!gv_to_num(gv_trim(one), &ret[n]) || ret[n] < 0)
			return false;
		n++;
	}
	*ret_n = n;
	return n > 0;
}

/* A framework that was built for GPUs sees none, or a program says so. */
static bool sees_none(const struct gv_run *run, const struct gv_entity *node, struct gv_place *ret_at)
{
	const struct gv_event *ev = gv_each_event(run, "cuda-no-device", node, NULL);
	gv_str cuda = gv_text(node, GV_F_TORCH_CUDA), hip = gv_text(node, GV_F_TORCH_HIP);
	bool can, built = !(gv_is(cuda, "None") && (gv_is(hip, "None") || !hip.n));
	double devices;
	const struct gv_obs *o = NULL;

	if (ev) {
		*ret_at = ev->first;
		return true;
	}
	if (built && gv_flag_known(node, GV_F_TORCH_GPU, &can) && !can)
		o = gv_obs(node, GV_F_TORCH_GPU);
	else if (built && gv_num(node, GV_F_TORCH_DEVICES, &devices) && devices == 0)
		o = gv_obs(node, GV_F_TORCH_DEVICES);
	if (o)
		*ret_at = o->at;
	return o != NULL;
}

struct seen {
	double gpus; /* that a tool lists where the variable holds; NaN where unknown */
	enum gv_fact fact;
	struct gv_place none; /* says that the program sees no GPU */
	bool sees_none;
};

static void accuse(struct gv_judge *j, const struct gv_entity *node, const struct gv_entity *var, const struct seen *s, gv_str why)
{
	struct gv_finding *f = gv_found(j, GV_K_VISIBLE_DEVICES_WRONG, node);

	if (!s->sees_none)
		f->severity = GV_WARN;
	f->confidence = s->sees_none ? GV_HIGH : GV_MEDIUM;
	gv_quote_fact(f, var, GV_F_VAR_VALUE);
	gv_quote(f, s->none);
	if (!isnan(s->gpus))
		gv_quote_fact(f, node, s->fact);
	gv_set(j, f, "variable", "%.*s=%.*s", GV_ARG(var->id), GV_ARG(gv_text(var, GV_F_VAR_VALUE)));
	gv_set_str(j, f, "why", why);
}

/* CUDA takes a list up to the first entry that does not exist: with a wrong first entry nothing is left. */
static bool by_mask(struct gv_judge *j, const struct gv_entity *node, const char *name, const struct seen *s)
{
	const struct gv_entity *var = gv_by_id(j->run, GV_VAR, node, gv_str_of(name));
	const struct gv_obs *o = var ? gv_obs(var, GV_F_VAR_VALUE) : NULL;
	double v[MASK];
	size_t n;

	if (!o || isnan(s->gpus) || s->gpus < 1)
		return false;
	if (empty_mask(o->str)) {
		if (!s->sees_none) /* a program that is meant to stay off the GPU */
			return false;
		accuse(j, node, var, s, GV_STR("it hides every GPU"));
		return true;
	}
	if (!numbers_of(o->str, v, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (v[i] < s->gpus)
			continue;
		accuse(j, node, var, s,
		       gv_fmt(j->run->arena, "it names GPU %.0f where %.0f GPU%s there, numbered from 0", v[i], s->gpus,
			      s->gpus == 1 ? " is" : "s are"));
		return true;
	}
	return false;
}

/* ROCR_VISIBLE_DEVICES filters first and numbers what is left from 0; HIP_VISIBLE_DEVICES chooses among those. */
static bool by_two_masks(struct gv_judge *j, const struct gv_entity *node, const struct seen *s)
{
	const struct gv_entity *rocr = gv_by_id(j->run, GV_VAR, node, GV_STR("ROCR_VISIBLE_DEVICES"));
	const struct gv_entity *hip = gv_by_id(j->run, GV_VAR, node, GV_STR("HIP_VISIBLE_DEVICES"));
	double a[MASK], b[MASK];
	size_t na, nb;
	gv_str list, one;

	if (!rocr || !hip || !numbers_of(gv_text(hip, GV_F_VAR_VALUE), b, &nb))
		return false;
	list = gv_text(rocr, GV_F_VAR_VALUE);
	if (!numbers_of(list, a, &na))
		for (na = 0; na < MASK && gv_next(&list, ',', &one);) /* UUIDs count the same */
			na++;
	for (size_t i = 0; na && i < nb; i++) {
		if (b[i] < (double)na)
			continue;
		accuse(j, node, hip, s,
		       gv_fmt(j->run->arena, "ROCR_VISIBLE_DEVICES leaves %zu GPU%s, so there is no GPU %.0f", na, na == 1 ? "" : "s",
			      b[i]));
		gv_quote_fact(gv_found(j, GV_K_VISIBLE_DEVICES_WRONG, node), rocr, GV_F_VAR_VALUE);
		return true;
	}
	return false;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_VISIBLE_DEVICES_WRONG, node, ev));) {
		struct gv_finding *f = gv_found_event(j, GV_K_VISIBLE_DEVICES_WRONG, ev);

		/* it may also have lost a GPU since it was started */
		if (gv_is(ev->sig->id, "cuda-bad-ordinal") || gv_is(ev->sig->id, "ctk-unknown-device"))
			f->confidence = GV_MEDIUM;
		gv_set_str(j, f, "why", gv_trim(gv_sub(ev->cap[0], 0, 100)));
		any = true;
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	static const char *const cuda[] = { "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES" };
	struct seen s = { NAN, GV_F_GPU_CONTAINER_COUNT, { 0 }, false };
	bool any = by_lines(j, node);

	/* numbers of the host mean nothing where a container holds some of its GPUs */
	if (!gv_num(node, GV_F_GPU_CONTAINER_COUNT, &s.gpus) && !gv_in_container(j->run, node)) {
		s.fact = GV_F_GPU_COUNT;
		gv_num(node, GV_F_GPU_COUNT, &s.gpus);
	}
	s.sees_none = sees_none(j->run, node, &s.none);
	for (size_t i = 0; i < sizeof(cuda) / sizeof(cuda[0]); i++)
		any |= by_mask(j, node, cuda[i], &s);
	any |= by_two_masks(j, node, &s);
	if (any)
		return GV_FOUND;
	return gv_by_id(j->run, GV_VAR, node, GV_STR("CUDA_VISIBLE_DEVICES")) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_visible_devices = {
	.id = "visible-devices",
	.stage = GV_STAGE_SCHEDULER,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
