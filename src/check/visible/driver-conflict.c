/* SPDX-License-Identifier: Apache-2.0 */
/* Why the driver that is meant for a GPU does not get it: another one owns it, this one does not support it, or Secure
 * Boot refuses the module. */
#include "check/common.h"

static bool rival(gv_str driver)
{
	static const char *const names[] = { "nouveau",	 "nova",   "nova-core", "nova_core", "NovaCore",
					     "vfio-pci", "rivafb", "nvidiafb",	"pci-stub",  "xen-pciback" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (gv_eq_nocase(driver, gv_str_of(names[i])))
			return true;
	return false;
}

/* nouveau holds it although NVIDIA's module is installed for this kernel: lspci names it among those that could drive it. */
static bool passed_over(const struct gv_entity *pci)
{
	gv_str modules = gv_text(pci, GV_F_PCI_MODULES), driver = gv_text(pci, GV_F_PCI_DRIVER), word;

	if (!gv_starts(driver, "nouveau") && !gv_starts(driver, "nova"))
		return false;
	while (gv_word(&modules, &word))
		if (gv_is(gv_before(word, ","), "nvidia") || gv_is(gv_before(word, ","), "nvidia_drm"))
			return true;
	return false;
}

/* A GPU in the hands of nouveau is right where nobody wants NVIDIA's driver, and one given to virtual machines where
 * the others work. */
static bool by_binding(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, meant = gv_nvidia_meant(j->run, node);

	if (gv_driver_works(j->run, node) || gv_crowded(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		const struct gv_entity *pci = gv_by_key(j->run, GV_PCI, node, GV_KEY_BUS, e->key[GV_KEY_BUS]);
		struct gv_finding *f;

		if (!pci || !gv_is(gv_text(e, GV_F_GPU_VENDOR), "nvidia") || !rival(gv_text(pci, GV_F_PCI_DRIVER)) ||
		    !(meant || passed_over(pci)))
			continue;
		f = gv_found(j, GV_K_DRIVER_CONFLICT, node);
		if (!meant) {
			f->confidence = GV_MEDIUM;
			gv_quote_fact(f, pci, GV_F_PCI_MODULES);
		}
		gv_set_str(j, f, "owner", gv_text(pci, GV_F_PCI_DRIVER));
		gv_quote_fact(f, pci, GV_F_PCI_DRIVER);
		any = true;
	}
	return any;
}

static bool by_events(struct gv_judge *j, const struct gv_entity *node, enum gv_kind kind)
{
	bool works = gv_driver_works(j->run, node), any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, kind, node, ev));) {
		struct gv_finding *f;

		if (works && kind != GV_K_DRIVER_GPU_UNSUPPORTED)
			continue;
		f = gv_found_event(j, kind, ev);
		if (works)
			f->severity = GV_WARN; /* some other GPU of the node is in use */
		if (kind == GV_K_DRIVER_CONFLICT)
			gv_set_str(j, f, "owner", gv_is(ev->sig->id, "nv-owned") ? ev->cap[2] : GV_NONE);
		any = true;
	}
	return any;
}

/* The first open modules say so of every GPU that is no data-centre product, and go on where they are told to take it. */
static bool by_open_module(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_event *ev = gv_each_event(j->run, "nv-open-datacenter", node, NULL);
	const struct gv_event *failed = gv_each_event(j->run, "nv-rminit", node, NULL);

	if (!ev || !failed || gv_driver_works(j->run, node))
		return false;
	gv_quote(gv_found_event(j, GV_K_DRIVER_GPU_UNSUPPORTED, ev), failed->first);
	return true;
}

/* The GPU driver's tools, its installer or the GPU itself show that the module is not there. */
static bool seen_away(const struct gv_run *run, const struct gv_entity *node)
{
	return gv_driver_fails(run, node) || gv_has_event(run, node, "nv-installer-load") ||
	       (gv_count(run, GV_GPU, node) && gv_nvidia_meant(run, node));
}

/* The kernel does not always name the module that it refused. */
static bool by_secure_boot(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	if (gv_driver_works(j->run, node))
		return false;
	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_SECURE_BOOT_BLOCKED, node, ev));) {
		bool named =
		    gv_has(ev->cap[0], "nvidia") || gv_has(ev->cap[0], "amdgpu") || gv_is(ev->sig->vendor, "nvidia");
		struct gv_finding *f;

		if (!named && gv_is(ev->sig->id, "mod-key-rejected"))
			continue; /* another module: it says which */
		/* some module: the GPU's only where its driver is seen to be away */
		if (!named && !seen_away(j->run, node))
			continue;
		f = gv_found_event(j, GV_K_SECURE_BOOT_BLOCKED, ev);
		if (!named && !gv_driver_fails(j->run, node))
			f->confidence = GV_MEDIUM;
		any = true;
	}
	return any;
}

/* Nothing logs the refusal here, but all that makes one is seen: Secure Boot is on, the module that lies there is not
 * signed, and the driver is away. */
static bool by_signature(struct gv_judge *j, const struct gv_entity *node)
{
	if (!gv_flag(node, GV_F_SECURE_BOOT) || !gv_driver_fails(j->run, node) || gv_driver_works(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_MODULE, node, e));) {
		const struct gv_slot *s = gv_slot_of(e, GV_F_MODULE_SIGNER);
		struct gv_finding *f;

		if (!gv_starts(gv_text(e, GV_F_MODULE_NAME), "nvidia") || !s->n || s->v[s->n - 1].state != GV_NOT_APPLICABLE)
			continue;
		f = gv_found(j, GV_K_SECURE_BOOT_BLOCKED, node);
		if (!f->nquotes)
			f->confidence = GV_MEDIUM;
		gv_quote_fact(f, node, GV_F_SECURE_BOOT);
		gv_quote_fact(f, e, GV_F_MODULE_NAME);
		return true;
	}
	return false;
}

static enum gv_answer conflict_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_binding(j, node);

	found |= by_events(j, node, GV_K_DRIVER_CONFLICT);
	found |= by_events(j, node, GV_K_DRIVER_GPU_UNSUPPORTED);
	found |= by_open_module(j, node);
	found |= by_secure_boot(j, node);
	found |= by_signature(j, node);
	return found ? GV_FOUND : gv_driver_works(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_driver_conflict = {
	.id = "driver-conflict",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = conflict_run,
};
