/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe hops: which port a function hangs under, and what both ends of that link can do. The port is the bridge whose
 * secondary bus is the function's own. */
#include "derive/derive.h"

/* "0000:41" of "0000:41:00.0" */
static gv_str bus_of(gv_str id)
{
	ptrdiff_t colon = gv_rfind(id, ":");

	return colon > 0 ? gv_sub(id, 0, (size_t)colon) : GV_NONE;
}

static gv_str on_node(struct gv_run *run, const struct gv_entity *node, gv_str bus)
{
	return gv_fmt(run->arena, "%zu/%.*s", node->index, GV_ARG(bus));
}

/* The smaller of what the two ends can do, quoted from the end that limits. */
static void smaller(struct gv_run *run, struct gv_entity *fn, const struct gv_entity *port, enum gv_fact can,
		    enum gv_fact hop)
{
	const struct gv_obs *a = gv_obs(fn, can), *b = gv_obs(port, can);
	struct gv_obs *o;

	if (!a || !b)
		return;
	a = b->num < a->num ? b : a;
	o = gv_observe(run->arena, fn, hop, a->at);
	o->state = GV_KNOWN;
	o->num = a->num;
}

void gv_derive_hops(struct gv_run *run)
{
	struct gv_map ports = { .arena = run->arena };

	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PCI, NULL, e));) {
		gv_str domain = gv_before(e->key[GV_KEY_BUS], ":");
		double secondary;

		if (gv_num(e, GV_F_PCI_SECONDARY, &secondary) && secondary > 0 && secondary < 256)
			*gv_map_put(&ports, on_node(run, e->node, gv_fmt(run->arena, "%.*s:%02x", GV_ARG(domain),
									  (unsigned)secondary))) = e;
	}
	for (struct gv_entity *e = NULL; ports.n && (e = gv_each(run, GV_PCI, NULL, e));) {
		struct gv_entity *port = gv_map_get(&ports, on_node(run, e->node, bus_of(e->key[GV_KEY_BUS])));

		if (!port || port == e)
			continue;
		e->parent = port;
		smaller(run, e, port, GV_F_PCI_CAP_WIDTH, GV_F_PCI_HOP_WIDTH);
		smaller(run, e, port, GV_F_PCI_CAP_SPEED, GV_F_PCI_HOP_SPEED);
	}
}
