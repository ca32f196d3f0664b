/* SPDX-License-Identifier: Apache-2.0 */
/* IOMMU and ACS between peers: bridges that redirect peer-to-peer requests to the root, transfers that the IOMMU stops, and
 * the boot option that keeps it out of the way. Bridges with redirection alone are how Linux sets up any machine whose
 * IOMMU is on: they matter where GPUs or NICs exchange data over PCIe. */
#include "check/common_net.h"

/* Page faults of a device at start-up, once or twice, are common on desktops and harmless. */
#define FAULTS 5

/* The function that the IOMMU stopped is a GPU or a NIC. */
static bool matters(const struct gv_run *run, const struct gv_event *ev)
{
	static const char *const classes[] = { "VGA", "3D", "Display", "Processing", "Ethernet", "Infiniband", "Network" };
	const struct gv_entity *pci = gv_by_key(run, GV_PCI, ev->node, GV_KEY_BUS, ev->bus);

	if (ev->gpu || (gv_is(ev->sig->id, "amd-iommu-fault") && ev->cap[1].n))
		return true;
	for (size_t i = 0; pci && i < sizeof(classes) / sizeof(classes[0]); i++)
		if (gv_starts(gv_text(pci, GV_F_PCI_CLASS), classes[i]))
			return true;
	return false;
}

static bool has_option(const struct gv_entity *node, const char *option)
{
	gv_str rest = gv_text(node, GV_F_KERNEL_CMDLINE), w;

	while (gv_word(&rest, &w))
		if (gv_is(w, option))
			return true;
	return false;
}

static bool by_lines(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_IOMMU_ACS_P2P, node, ev));) {
		bool option = gv_is(ev->sig->id, "rccl-iommu"), lost = gv_is(ev->sig->id, "simplep2p-verify");
		struct gv_finding *f;

		if (lost ? false : option ? has_option(node, "iommu=pt") : !matters(j->run, ev))
			continue;
		f = gv_found_event(j, GV_K_IOMMU_ACS_P2P, ev);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		if (option) {
			/* "amd_iommu=on" is the kernel's default, and means nothing on Intel hosts */
			f->severity = gv_is(ev->cap[1], "iommu=pt") ? GV_WARN : GV_NOTE;
			f->confidence = GV_MEDIUM;
			gv_quote_fact(f, node, GV_F_KERNEL_CMDLINE);
			gv_set(j, f, "why", "the kernel runs without %.*s", GV_ARG(ev->cap[1]));
		} else if (lost) {
			f->severity = GV_WARN;
			f->confidence = GV_MEDIUM;
			gv_set_str(j, f, "why", GV_STR("what one GPU wrote to its peer did not arrive"));
		} else {
			if (ev->count < FAULTS)
				f->severity = GV_NOTE;
			gv_set_str(j, f, "why", GV_STR("the IOMMU stopped transfers"));
		}
		any = true;
	}
	return any;
}

static bool passed_through(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PCI, node, e));)
		if (gv_is(gv_text(e, GV_F_PCI_DRIVER), "vfio-pci"))
			return true;
	return false;
}

/* NICs write into GPU memory, and transfers end with errors that are none of the link. */
static const struct gv_event *direct_errors(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "nccl-channel", node, ev));)
		if (gv_has(ev->cap[1], "GDRDMA"))
			return gv_each_event(run, "nccl-ib-other", node, NULL);
	return NULL;
}

static bool by_bridges(struct gv_judge *j, const struct gv_entity *node)
{
	struct gv_gpu_pairs p = gv_gpu_pairs(j->run, node);
	const struct gv_event *errors = direct_errors(j->run, node);
	const struct gv_entity *first = NULL;
	struct gv_finding *f;
	size_t bridges = 0;

	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_PCI, node, e));) {
		if (!gv_flag(e, GV_F_PCI_ACS_REDIR))
			continue;
		bridges++;
		first = first ? first : e;
	}
	/* guests that own a GPU each need the redirection */
	if (!first || passed_through(j->run, node))
		return false;
	/* one GPU has no peer; peers on NVLink do not use PCIe */
	if (!errors && (gv_count(j->run, GV_GPU, node) < 2 || p.nvlink))
		return false;
	f = gv_found(j, GV_K_IOMMU_ACS_P2P, node);
	gv_quote_fact(f, first, GV_F_PCI_ACS_REDIR);
	f->confidence = GV_MEDIUM;
	if (errors)
		gv_quote(f, errors->first);
	else
		f->severity = p.n || gv_has_collective_log(j->run, node) ? GV_WARN : GV_NOTE;
	if (p.first)
		gv_quote_fact(f, p.first, GV_F_PAIR_PATH);
	gv_set(j, f, "bridges", "%zu", bridges);
	gv_set(j, f, "why", "%zu PCIe bridge%s redirect%s peer-to-peer requests (ACS)", bridges, bridges == 1 ? "" : "s",
	       bridges == 1 ? "s" : "");
	return true;
}

static bool bridges_known(const struct gv_run *run, const struct gv_entity *node)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_PCI, node, e));)
		if (gv_obs(e, GV_F_PCI_ACS_REDIR))
			return true;
	return false;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = by_lines(j, node);

	any |= by_bridges(j, node);
	return any ? GV_FOUND : bridges_known(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_acs = {
	.id = "acs",
	.stage = GV_STAGE_SCALING,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
