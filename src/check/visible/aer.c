/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe errors in the kernel log. A link mends single errors by itself; many in a short time, or one that is not
 * correctable, are a finding. */
#include "check/common.h"

/* Lines a minute; negative where the log has no clock. */
static double rate(const struct gv_event *ev)
{
	double span = ev->t_last.t - ev->t_first.t;

	if (ev->t_first.clock == GV_CLOCK_NONE || ev->t_first.clock != ev->t_last.clock ||
	    ev->boot_first != ev->boot_last)
		return -1;
	return (double)ev->count * 60 / (span < 60 ? 60 : span);
}

/* Enough lines to tell a rate at all, and more in a minute than a clean link has (bit error rate 1e-12), or many over a longer time: a few an hour, every hour. */
static bool flood(const struct gv_run *run, const struct gv_event *ev)
{
	double r = rate(ev);

	if ((double)ev->count < gv_threshold(run, GV_T_AER_LEAST))
		return false;
	return (double)ev->count >= gv_threshold(run, GV_T_AER_LINES) || r < 0 || r >= gv_threshold(run, GV_T_AER_RATE) ||
	        (ev->t_last.t - ev->t_first.t < 60);
}

/* A few close together, when the machine has settled: what is pasted of a flood. A link that is trained or woken has single
 * ones. */
static bool burst(const struct gv_event *ev)
{
	enum { LEAST = 3, WITHIN = 1, SETTLED = 300, MORE = 4, LONGER = 120, STARTED = 30 };
	double span = ev->t_last.t - ev->t_first.t, since = ev->t_first.clock == GV_CLOCK_BOOT ? ev->t_first.t : SETTLED;

	if (ev->boot_first != ev->boot_last || ev->t_first.clock == GV_CLOCK_NONE || ev->t_first.clock != ev->t_last.clock || span < 0)
		return false;
	return (ev->count >= LEAST && span <= WITHIN && since >= SETTLED) ||
	       (ev->count >= MORE && span <= LONGER && since >= STARTED);
}

/* What the bits said, by name: RxErr and BadTLP are the wire's, Timeout and Rollover the other end's silence. */
static void tell_bits(struct gv_judge *j, struct gv_finding *f, const struct gv_event *of)
{
	gv_str list = GV_NONE;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "aer-bit", of->node, ev));)
		if (ev->doc == of->doc && gv_eq(ev->bus, of->bus) && ev->cap[2].n && list.n < 60)
			list = gv_fmt(j->run->arena, "%.*s%s%.*s", GV_ARG(list), list.n ? ", " : "", GV_ARG(ev->cap[2]));
	gv_set_str(j, f, "bits", list);
}

static struct gv_finding *found(struct gv_judge *j, const struct gv_event *ev)
{
	const struct gv_entity *gpu = ev->gpu ? NULL : gv_gpu_of_function(j->run, ev);
	struct gv_finding *f = gpu ? gv_found(j, GV_K_PCIE_AER, gpu) : gv_found_event(j, GV_K_PCIE_AER, ev);

	if (gpu) {
		f->event = f->event ? f->event : ev;
		gv_quote(f, ev->first);
		gv_quote(f, ev->last);
	}
	tell_bits(j, f, ev);

	gv_set_str(j, f, "device", ev->bus);
	gv_set_count(j, f, ev);
	for (size_t i = 0; i < ev->nsome; i++)
		gv_quote(f, ev->some[i]);
	return f;
}

/* What the firmware reports names no severity in its own line. */
static bool is_corrected(const struct gv_run *run, const struct gv_event *ev)
{
	if (gv_is(ev->sig->id, "aer-corrected") || gv_is(ev->sig->id, "aer-root-corrected"))
		return true;
	if (!gv_is(ev->sig->id, "aer-cper"))
		return false;
	for (struct gv_event *e = NULL; (e = gv_each_event(run, "aer-cper-uncorrected", ev->node, e));)
		if (gv_eq(e->bus, ev->bus))
			return false;
	return true;
}

/* The kernel gave up on the device: "AER: can't recover", "device recovery failed". */
static const struct gv_event *given_up(const struct gv_run *run, const struct gv_event *of)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event(run, "aer-recovery", of->node, ev));)
		if (ev->doc == of->doc && ev->last.line > of->first.line &&
		    (gv_has(ev->last_cap[0], "failed") || gv_has(ev->last_cap[0], "can't recover")))
			return ev;
	return NULL;
}

static enum gv_answer aer_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_PCIE_AER, node, ev));) {
		bool corrected = is_corrected(j->run, ev);
		const struct gv_event *lost;
		struct gv_finding *f;
		bool many = !corrected || flood(j->run, ev);

		if (!many && !burst(ev))
			continue;
		f = found(j, ev);
		if (!many && f->event == ev)
			f->confidence = GV_MEDIUM;
		if (!corrected && (lost = given_up(j->run, ev))) {
			f->severity = GV_FAIL;
			gv_quote(f, lost->first);
		}
		gv_set_str(j, f, "sort", corrected ? GV_STR("corrected") : GV_STR("uncorrectable"));
		any = true;
	}
	if (any)
		return GV_FOUND;
	return gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_aer = {
	.id = "aer",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = aer_run,
};
