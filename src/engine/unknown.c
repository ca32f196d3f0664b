/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the NVIDIA driver that speak of failures in words that no other signature knows. Many such lines are harmless, so that
 * they make no finding; but where nothing else is found, to keep silent about them would be to say more than is known. */
#include "core/check.h"
#include "engine/engine.h"

#define SIG "nv-says-failed"

/* Some other signature knows the line. */
static bool known(const struct gv_event *of, struct gv_place at)
{
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(of->node, ev));)
		if (ev->sig != of->sig && ev->doc == at.doc && (ev->first.line == at.line || ev->last.line == at.line))
			return true;
	return false;
}

void gv_tell_unknown(struct gv_run *run)
{
	const struct gv_event *first = NULL;
	uint64_t lines = 0;

	if (run->verdict)
		return;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event(run, SIG, NULL, ev));) {
		if (known(ev, ev->first) || ev->told || ev->boot_last < ev->doc->boots)
			continue;
		first = first ? first : ev;
		lines += ev->count;
	}
	if (!first)
		return;
	*gv_push(run->arena, &run->remarks) = (struct gv_remark){
		gv_fmt(run->arena, "%.*s:%u", GV_ARG(first->doc->name), first->first.line),
		gv_fmt(run->arena, "the NVIDIA driver speaks of a failure in words that are not known here (%llu line%s): read %s",
		       (unsigned long long)lines, lines == 1 ? "" : "s", lines == 1 ? "it" : "them"),
	};
}
