/* SPDX-License-Identifier: Apache-2.0 */
/* PCIe links that are narrower or slower than they could be. Width is fixed when the link is trained and does not
 * depend on load; speed falls with the performance state of an idle GPU. */
#include "check/common.h"

/* Utilisation in percent from which a GPU is no longer held to be idle: a display or a monitor that looks takes less.
 */
#define AT_WORK 30

/* Functions that stand for the link of a GPU: the function itself, and for AMD cards the switch on the card. */
static bool of_gpu(const struct gv_entity *pci)
{
	gv_str class = gv_text(pci, GV_F_PCI_CLASS), name = gv_text(pci, GV_F_PCI_NAME);

	if (gv_starts(class, "3D") || gv_starts(class, "VGA") || gv_starts(class, "Display") ||
	    gv_starts(class, "Processing"))
		return true;
	return gv_starts(class, "PCI bridge") && gv_has(name, "Upstream Port") &&
	       (gv_has(name, "AMD/ATI") || gv_has(name, "Navi") || gv_has(name, "Vega"));
}

static bool of_nic(const struct gv_entity *pci)
{
	gv_str class = gv_text(pci, GV_F_PCI_CLASS);

	return gv_starts(class, "Infiniband") || gv_starts(class, "InfiniBand") || gv_starts(class, "Ethernet") ||
	       gv_starts(class, "Network controller") || gv_starts(class, "Non-Volatile");
}

#define SWITCH_HOPS 4 /* from a GPU up to the switch on its board */

/* The only GPU below a port, at most a few hops down; *ret_n is how many there are. */
static const struct gv_entity *gpu_below(const struct gv_run *run, const struct gv_entity *port, size_t *ret_n)
{
	const struct gv_entity *found = NULL;

	*ret_n = 0;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, port->node, e));) {
		const struct gv_entity *p = gv_by_key(run, GV_PCI, port->node, GV_KEY_BUS, e->key[GV_KEY_BUS]);

		for (int i = 0; p && p->kind == GV_PCI && i < SWITCH_HOPS && p != port; i++)
			p = p->parent;
		if (p != port)
			continue;
		found = e;
		(*ret_n)++;
	}
	return *ret_n == 1 ? found : NULL;
}

/* The upstream port of a switch with GPUs below it: on boards with a switch of their own (AMD cards, K80, M60, A16, ...)
 * its link is the card's, whatever the GPUs say of theirs. Both ends of the link must be known: the switch may be the
 * host's. */
static bool of_switch(const struct gv_run *run, const struct gv_entity *pci)
{
	size_t n = 0;

	if (!gv_starts(gv_text(pci, GV_F_PCI_CLASS), "PCI bridge") || !gv_num(pci, GV_F_PCI_HOP_WIDTH, NULL))
		return false;
	/* a port that leads to one function is the host's end of that one's link */
	for (struct gv_entity *e = NULL; (e = gv_each_of(pci, GV_PCI, e));)
		if (!gv_starts(gv_text(e, GV_F_PCI_CLASS), "PCI bridge"))
			return false;
	gpu_below(run, pci, &n);
	return n > 0;
}

/* The GPU whose link this function shows; the function where none is known, or where several share it. */
static const struct gv_entity *whose(const struct gv_run *run, const struct gv_entity *pci)
{
	const struct gv_entity *gpu = gv_by_key(run, GV_GPU, pci->node, GV_KEY_BUS, pci->key[GV_KEY_BUS]);
	size_t n;

	if (!gpu && gv_starts(gv_text(pci, GV_F_PCI_CLASS), "PCI bridge"))
		gpu = gpu_below(run, pci, &n);
	return gpu ? gpu : pci;
}

/* Boards with several GPUs behind a switch of their own give each of them as many lanes as the board has for it. That is
 * no fault while all of a kind have the same. */
static bool shared_board(const struct gv_run *run, const struct gv_entity *gpu, enum gv_fact width)
{
	static const char *const boards[] = { "Tesla K80", "Tesla M60", "Tesla M10", "Tesla K10", "GRID K1", "GRID K2", " A16" };
	gv_str name = gv_text(gpu, GV_F_GPU_NAME);
	double mine, other;
	bool board = false;

	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++)
		board |= gv_has(name, boards[i]);
	if (!board || !gv_num(gpu, width, &mine))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_GPU, gpu->node, e));)
		if (gv_eq(gv_text(e, GV_F_GPU_NAME), name) && gv_num(e, width, &other) && other != mine)
			return false;
	return true;
}

/* Chips that are soldered to the board of a laptop: half of their lanes are all that most makers wire. */
static bool soldered(const struct gv_entity *gpu)
{
	gv_str name = gpu->kind == GV_GPU ? gv_text(gpu, GV_F_GPU_NAME) : GV_NONE;

	return gv_has(name, "Laptop") || gv_has(name, "Max-Q") || gv_has(name, "Mobile") || gv_ends(name, "M") || gv_has(name, " MX");
}

/* A guest's devices are on the root bus, and a port that its hypervisor made up is no slot: what the real one is wired
 * for cannot be seen. */
static bool slot_unseen(const struct gv_run *run, const struct gv_entity *on)
{
	gv_str bus = on->key[GV_KEY_BUS];
	const struct gv_entity *pci = gv_by_key(run, GV_PCI, on->node, GV_KEY_BUS, bus);
	const struct gv_entity *port = pci && pci->parent && pci->parent->kind == GV_PCI ? pci->parent : NULL;

	if (port)
		return gv_has(gv_text(port, GV_F_PCI_NAME), "1b36:") || gv_has(gv_text(port, GV_F_PCI_NAME), "QEMU");
	return bus.n > 7 && gv_starts(gv_from(bus, bus.n - 7), "00:");
}

static void found_width(struct gv_judge *j, const struct gv_entity *on, const struct gv_entity *from, enum gv_fact now,
			enum gv_fact can)
{
	struct gv_finding *f = gv_found(j, GV_K_PCIE_LINK_DEGRADED, on);
	double w = 0, max = 0;

	f->severity = gv_kind_info[f->kind].severity;
	if (slot_unseen(j->run, on)) {
		f->severity = GV_NOTE;
		f->confidence = GV_MEDIUM;
	}
	gv_num(from, now, &w);
	gv_num(from, can, &max);
	if (soldered(on) && w * 4 >= max) {
		f->severity = GV_NOTE;
		f->confidence = GV_MEDIUM;
	}
	gv_set(j, f, "width", "x%.0f", w);
	gv_set(j, f, "width_max", "x%.0f", max);
	gv_quote_fact(f, from, now);
	gv_quote_fact(f, from, can);
}

static bool narrower(const struct gv_entity *e, enum gv_fact now, enum gv_fact can)
{
	double w, max;

	return gv_num(e, now, &w) && gv_num(e, can, &max) && w >= 1 && max >= 1 && w < max;
}

/* What the link of a function can do: the smaller of both ends where the port above it is known, else its own. */
static enum gv_fact width_of_link(const struct gv_entity *pci)
{
	return gv_num(pci, GV_F_PCI_HOP_WIDTH, NULL) ? GV_F_PCI_HOP_WIDTH : GV_F_PCI_CAP_WIDTH;
}

/* lspci knows both ends of this GPU's link, and its width is all that they can do: a slot narrower than the card. */
static bool narrow_by_design(const struct gv_run *run, const struct gv_entity *gpu)
{
	const struct gv_entity *pci = gv_by_key(run, GV_PCI, gpu->node, GV_KEY_BUS, gpu->key[GV_KEY_BUS]);
	double w, hop;

	return pci && gv_num(gpu, GV_F_GPU_PCIE_WIDTH, &w) && gv_num(pci, GV_F_PCI_HOP_WIDTH, &hop) && w >= hop;
}

/* A GPU that computes is in one of its upper states; an idle one, or one that only holds memory, saves power on its
 * link. */
static bool computes(const struct gv_entity *gpu)
{
	gv_str p = gv_text(gpu, GV_F_GPU_PSTATE);
	double util;

	if (!gv_num(gpu, GV_F_GPU_UTIL, &util) && !gv_num(gpu, GV_F_GPU_SM_UTIL, &util))
		return false;
	return util >= AT_WORK && (!p.n || gv_is(p, "P0") || gv_is(p, "P1") || gv_is(p, "P2"));
}

/* nvidia-smi's highest generation is what GPU and host can both do: a GPU at work is there. */
static bool found_speed(struct gv_judge *j, const struct gv_entity *gpu)
{
	double gen, max, host;
	struct gv_finding *f;

	if (!gv_num(gpu, GV_F_GPU_PCIE_GEN, &gen) || !gv_num(gpu, GV_F_GPU_PCIE_GEN_MAX, &max))
		return false;
	if (gv_num(gpu, GV_F_GPU_PCIE_GEN_HOST, &host) && host >= 1 && host < max)
		max = host;
	if (gen < 1 || gen >= max || !computes(gpu))
		return false;
	f = gv_found(j, GV_K_PCIE_LINK_DEGRADED, gpu);
	if (!f->nquotes)
		f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "gen", gen);
	gv_set_num(j, f, "gen_max", max);
	gv_quote_fact(f, gpu, GV_F_GPU_PCIE_GEN);
	gv_quote_fact(f, gpu, GV_F_GPU_PCIE_GEN_MAX);
	return true;
}

/* What a driver says at its start: "126.016 Gb/s available PCIe bandwidth, limited by 32.0 GT/s PCIe x4 link at ...
 * (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)". Only the width says something at any load. */
static bool by_bandwidth(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_PCIE_LINK_DEGRADED, node, ev));) {
		const struct gv_entity *pci = gv_by_key(j->run, GV_PCI, node, GV_KEY_BUS, ev->bus);
		struct gv_finding *f;
		double w, max;

		if (!gv_to_num(ev->cap[3], &w) || !gv_to_num(ev->cap[7], &max) || w >= max)
			continue;
		f = pci && !ev->gpu ? gv_found(j, GV_K_PCIE_LINK_DEGRADED, pci)
				    : gv_found_event(j, GV_K_PCIE_LINK_DEGRADED, ev);
		if (!f->nquotes)
			f->confidence = GV_MEDIUM;
		gv_quote(f, ev->first);
		gv_set(j, f, "width", "x%.0f", w);
		gv_set(j, f, "width_max", "x%.0f", max);
		any = true;
	}
	return any;
}

/* The port above is not told, and a function that nothing says more of is as wide as this link is now, and can do no more:
 * whoever asked for the lines of two addresses asked for both ends. */
static bool may_end_at(const struct gv_run *run, const struct gv_entity *pci)
{
	double w, can, now;

	if (gv_num(pci, GV_F_PCI_HOP_WIDTH, NULL) || !gv_num(pci, GV_F_PCI_WIDTH, &w))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PCI, pci->node, e));)
		if (e != pci && !gv_obs(e, GV_F_PCI_CLASS) && gv_num(e, GV_F_PCI_CAP_WIDTH, &can) && gv_num(e, GV_F_PCI_WIDTH, &now) &&
		    can == w && now == w)
			return true;
	return false;
}

static enum gv_answer pcie_link_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = false, known = false;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		known |= gv_num(e, GV_F_GPU_PCIE_WIDTH, NULL);
		if (narrower(e, GV_F_GPU_PCIE_WIDTH, GV_F_GPU_PCIE_WIDTH_MAX) && !narrow_by_design(j->run, e) &&
		    !shared_board(j->run, e, GV_F_GPU_PCIE_WIDTH)) {
			found_width(j, e, e, GV_F_GPU_PCIE_WIDTH, GV_F_GPU_PCIE_WIDTH_MAX);
			found = true;
		}
		found |= found_speed(j, e);
	}
	found |= by_bandwidth(j, node);
	for (struct gv_entity *e = gv_crowded(j->run, node) ? NULL : gv_each(j->run, GV_PCI, node, NULL); e;
	     e = gv_each(j->run, GV_PCI, node, e)) {
		bool unnamed = !gv_obs(e, GV_F_PCI_CLASS);

		known |= gv_num(e, GV_F_PCI_WIDTH, NULL);
		/* lines of one function without its heading are of the device that was asked for */
		if (!narrower(e, GV_F_PCI_WIDTH, width_of_link(e)) ||
		    !(of_gpu(e) || of_nic(e) || unnamed || of_switch(j->run, e)))
			continue;
		/* a port is as narrow as what is plugged into it: without a name, and with several functions, it may be
		 * one */
		if (unnamed && gv_count(j->run, GV_PCI, node) > 1 && !gv_flag(e, GV_F_PCI_WIDTH_DOWN))
			continue;
		if (may_end_at(j->run, e))
			continue;
		found_width(j, whose(j->run, e), e, GV_F_PCI_WIDTH, width_of_link(e));
		found = true;
	}
	return found ? GV_FOUND : known ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_pcie_link = {
	.id = "pcie-link",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = pcie_link_run,
};
