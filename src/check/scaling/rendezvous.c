/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that never met. Lines of attempts that are made again by themselves, or that name one address family only, are no
 * news unless something gave up. */
#include "check/common_net.h"

/* A name that resolves for one family and not for the other is warned about once or twice; a loop that never gets an
 * answer says it all the time. */
#define UNRESOLVED 10

/* "Connection refused, retrying": NCCL goes on by itself. */
static bool goes_on(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "nccl-connect-failed") && gv_has_nocase(ev->cap[3], "retry");
}

static bool weak(const struct gv_event *ev)
{
	return goes_on(ev) || (gv_is(ev->sig->id, "c10d-resolve") && ev->count < UNRESOLVED);
}

/* Whom it did not reach, as the line says. */
static void tell_peer(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev)
{
	static const struct {
		const char *sig, *name;
		int cap;
	} told[] = {
		{ "c10d-connect", "peer", 1 }, { "c10d-timeout", "peer", 2 },	     { "c10d-resolve", "peer", 1 },
		{ "gloo-refused", "peer", 1 }, { "nccl-connect-failed", "peer", 1 }, { "c10d-clients", "joined", 2 },
		{ "c10d-clients", "want", 3 },
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (gv_is(ev->sig->id, told[i].sig))
			gv_set_str(j, f, told[i].name, ev->cap[told[i].cap]);
	if (gv_is(ev->sig->id, "addr-in-use"))
		gv_set_str(j, f, "why", GV_STR("the port is taken on this machine"));
	else if (gv_is(ev->sig->id, "c10d-resolve"))
		gv_set_str(j, f, "why", GV_STR("the name does not resolve"));
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_finding *f = NULL;
	bool strong = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_RENDEZVOUS_FAILED, node, ev));)
		strong |= !weak(ev);
	for (struct gv_event *ev = NULL; strong && (ev = gv_each_event_of(j->run, GV_K_RENDEZVOUS_FAILED, node, ev));) {
		f = gv_found_event(j, GV_K_RENDEZVOUS_FAILED, ev);
		tell_peer(j, f, ev);
	}
	return f ? GV_FOUND : gv_has_collective_log(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_rendezvous = {
	.id = "rendezvous",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
