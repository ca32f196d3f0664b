/* SPDX-License-Identifier: Apache-2.0 */
/* gpu-burn found wrong results: the same product came out differently. On a GPU without ECC this is how damaged memory
 * shows; with ECC it is logic or supply. Where every one of several GPUs is "FAULTY" the program is the likelier
 * culprit, and a process that died is listed as FAULTY without having counted anything. */
#include "check/common_gputest.h"

struct burnt {
	size_t tested, faulty, died;
	const struct gv_entity *first_died;
};

static bool is_burn(const struct gv_entity *t)
{
	return gv_is(gv_text(t, GV_F_TEST_TOOL), "gpu-burn");
}

static bool died(const struct gv_entity *t)
{
	return gv_is(gv_text(t, GV_F_TEST_RESULT), "DIED");
}

static bool faulty(const struct gv_entity *t)
{
	double errors;

	if (died(t))
		return false;
	return gv_is(gv_text(t, GV_F_TEST_RESULT), "FAULTY") || (gv_num(t, GV_F_TEST_ERRORS, &errors) && errors > 0);
}

static void accuse(struct gv_judge *j, const struct gv_entity *t, const struct burnt *b)
{
	const struct gv_entity *gpu = gv_tested_gpu(j->run, t, GV_F_TEST_GPU);
	struct gv_finding *f = gv_found(j, GV_K_ECC_UNCORRECTABLE, gpu ? gpu : t->node);
	gv_str name =
	    gpu ? GV_STR("it") : gv_fmt(j->run->arena, "its %.*s", GV_ARG(gv_tested_name(j->run, t, GV_F_TEST_GPU)));
	double errors = 0;

	gv_num(t, GV_F_TEST_ERRORS, &errors);
	if (!f->nquotes) { /* not by a counter before */
		f->severity = b->faulty > 1 && b->faulty == b->tested ? GV_NOTE : GV_WARN;
		f->confidence = errors > 0 ? GV_MEDIUM : GV_LOW;
	}
	if (errors > 0)
		gv_set(j, f, "wrong", "gpu-burn counted %.0f wrong results on %.*s", errors, GV_ARG(name));
	else
		gv_set(j, f, "wrong", "gpu-burn calls %.*s faulty", GV_ARG(name));
	if (errors > 0)
		gv_quote_fact(f, t, GV_F_TEST_ERRORS);
	gv_quote_fact(f, t, GV_F_TEST_RESULT);
	if (gpu)
		gv_quote_fact(f, gpu, GV_F_GPU_ECC_MODE);
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct burnt b = { 0 };

	for (struct gv_entity *t = NULL; (t = gv_each(j->run, GV_TEST, node, t));) {
		if (!is_burn(t))
			continue;
		b.tested++;
		b.faulty += faulty(t);
		b.died += died(t);
	}
	if (!b.tested)
		return GV_NA;
	for (struct gv_entity *t = NULL;
	     b.faulty && !gv_crowded(j->run, node) && (t = gv_each(j->run, GV_TEST, node, t));)
		if (is_burn(t) && faulty(t))
			accuse(j, t, &b);
	return b.faulty ? GV_FOUND : b.died ? GV_NODATA : GV_PASS;
}

const struct gv_check gv_check_gpu_burn = {
	.id = "gpu-burn",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
	.next_run = "sudo dmesg -T | grep -E 'NVRM|Xid'",
	.next_why = "a process of gpu-burn died: the kernel's log says whether the GPU failed or the program",
};
