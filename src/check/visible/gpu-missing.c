/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer GPUs than the machine holds, with the driver there. What a container lists is no count of the machine. */
#include "check/common.h"

/* The count is of NVIDIA's tool: no other vendor's is there that could have listed. */
static bool nvidia_count(const struct gv_judge *j, const struct gv_entity *node, double *ret)
{
	return !(gv_vendors_shown(j->run, node) & GV_AMD) && gv_num(node, GV_F_GPU_COUNT, ret);
}

/* lspci shows this NVIDIA GPU answering, in the hands of the NVIDIA driver or of one that is not named. */
static bool held(const struct gv_run *run, const struct gv_entity *gpu, const struct gv_entity **ret_pci)
{
	const struct gv_entity *pci = gv_by_key(run, GV_PCI, gpu->node, GV_KEY_BUS, gpu->key[GV_KEY_BUS]);
	gv_str driver;

	if (!pci || !gv_is(gv_text(gpu, GV_F_GPU_VENDOR), "nvidia") || gv_flag(pci, GV_F_PCI_REV_FF))
		return false;
	driver = gv_text(pci, GV_F_PCI_DRIVER);
	*ret_pci = pci;
	return !driver.n || gv_is(driver, "nvidia");
}

static bool listed(const struct gv_entity *gpu)
{
	return gv_obs(gpu, GV_F_GPU_INDEX) || gv_obs(gpu, GV_F_GPU_UUID) || gv_obs(gpu, GV_F_GPU_MEM_TOTAL);
}

/* The look was made inside of a cgroup that may hide devices: a batch job's, a container's. */
static bool confined(const struct gv_entity *node)
{
	static const char *const words[] = { "slurm",	  "kubepods", "docker",	  "containerd", "libpod",   "crio", "lxc",
					     "pbs_jobs", "pbspro",   "htcondor", "/lsf/",	"uge_job", "sge_" };
	gv_str path = gv_text(node, GV_F_CGROUP_PATH);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_has(path, words[i]))
			return true;
	return false;
}

static bool by_count(struct gv_judge *j, const struct gv_entity *node)
{
	double count, in_machine = 0, known = 0;
	const struct gv_entity *pci, *lost = NULL;
	struct gv_finding *f;

	if (!nvidia_count(j, node, &count) || gv_crowded(j->run, node))
		return false;
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e));) {
		bool there = held(j->run, e, &pci);

		in_machine += there;
		known += there && listed(e);
		if (there && !listed(e))
			lost = e;
	}
	if (in_machine <= count)
		return false;
	/* one that is missing and can be told from the others is to blame itself */
	f = gv_found(j, GV_K_GPU_MISSING, in_machine - known == 1 && lost ? lost : node);
	gv_set_num(j, f, "listed", count);
	gv_set_num(j, f, "held", in_machine);
	gv_quote_fact(f, node, GV_F_GPU_COUNT);
	if (confined(node)) { /* its cgroup shows a job the GPUs that it was given */
		f->severity = GV_NOTE;
		f->confidence = GV_LOW;
		gv_quote_fact(f, node, GV_F_CGROUP_PATH);
	}
	for (struct gv_entity *e = NULL; (e = gv_each(j->run, GV_GPU, node, e)) && f->nquotes < 6;)
		if (held(j->run, e, &pci) && !listed(e))
			gv_quote_fact(f, pci, GV_F_PCI_NAME);
	return true;
}

/* The tool runs, the driver answers, and there is no GPU for it. */
static bool by_none(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *o = gv_obs(node, GV_F_GPU_TOOL_ERROR);
	struct gv_finding *f;

	if (!o || !gv_starts(o->str, "No devices were found") || gv_driver_works(j->run, node) ||
	    gv_no_gpu_shown(j->run, node))
		return false;
	f = gv_found(j, GV_K_GPU_MISSING, node);
	gv_set_num(j, f, "listed", 0);
	gv_quote(f, o->at);
	return true;
}

/* Kubernetes once counted more than the tool lists now. A multiple is time slicing. */
static bool by_capacity(struct gv_judge *j, const struct gv_entity *node)
{
	double count, capacity;
	struct gv_finding *f;

	if (!nvidia_count(j, node, &count) || count < 1 || !gv_num(node, GV_F_K8S_CAPACITY, &capacity) ||
	    capacity <= count || fmod(capacity, count) == 0 ||
	    !gv_is(gv_text(node, GV_F_K8S_RESOURCE), "nvidia.com/gpu"))
		return false;
	f = gv_found(j, GV_K_GPU_MISSING, node);
	if (!f->nquotes)
		f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "listed", count);
	gv_set_num(j, f, "stated", capacity);
	gv_quote_fact(f, node, GV_F_GPU_COUNT);
	gv_quote_fact(f, node, GV_F_K8S_CAPACITY);
	return true;
}

/* A container, or a mask of one, shows what was passed in. */
static bool sees_all(const struct gv_run *run, const struct gv_entity *node)
{
	gv_str mask = gv_env(run, node, "NVIDIA_VISIBLE_DEVICES");

	for (const struct gv_block *b = NULL; (b = gv_each_block_on(node, b));)
		if (b->container)
			return false;
	return !mask.n || gv_is(mask, "all");
}

/* The site says how many there are. A list with as many, or more, is all well; without a list nothing is known. */
static bool by_site(struct gv_judge *j, const struct gv_entity *node)
{
	double want = j->run->site ? gv_site_gpus_of(j->run->site, node) : -1, count;
	enum gv_fact list = gv_obs(node, GV_F_GPU_COUNT) ? GV_F_GPU_COUNT : GV_F_GPU_ON_BUS;
	struct gv_finding *f;

	if (want < 0 || !gv_num(node, list, &count) || count >= want || !sees_all(j->run, node))
		return false;
	f = gv_found(j, GV_K_GPU_MISSING, node);
	gv_set_num(j, f, "listed", count);
	gv_set_num(j, f, "expected", want);
	gv_quote_fact(f, node, list);
	return true;
}

static bool says_loaded(const struct gv_obs *o)
{
	gv_str tool = o->block ? gv_str_of(o->block->tool) : GV_NONE;

	return gv_is(tool, "/proc/driver/nvidia") || gv_is(tool, "/sys/module");
}

/* NVIDIA's module does not stay loaded where it finds no GPU: where it is, and the bus has none, they are gone. A Jetson's GPU is
 * on no bus. */
static bool by_module(struct gv_judge *j, const struct gv_entity *node)
{
	const struct gv_obs *module = gv_obs(node, GV_F_DRIVER_KERNEL);
	struct gv_finding *f;
	double on_bus;

	if (!module || !says_loaded(module) ||
	    !gv_num(node, GV_F_GPU_ON_BUS, &on_bus) || on_bus != 0 || gv_count(j->run, GV_GPU, node) ||
	    !sees_all(j->run, node) || gv_has(gv_text(node, GV_F_KERNEL), "tegra"))
		return false;
	f = gv_found(j, GV_K_GPU_MISSING, node);
	f->confidence = GV_MEDIUM;
	gv_set_num(j, f, "listed", 0);
	gv_quote(f, module->at);
	gv_quote_fact(f, node, GV_F_GPU_ON_BUS);
	return true;
}

static bool probe_failed(const struct gv_run *run, const struct gv_event *ev)
{
	for (struct gv_event *o = NULL; (o = gv_each_event(run, "amd-fatal-init", ev->node, o));)
		if (!o->gpu || o->gpu == ev->gpu)
			return true;
	return false;
}

/* "(0x62:0x65:2028)": the step that failed, how it failed, and where in the driver. */
static void tell_status(struct gv_judge *j, struct gv_finding *f, const struct gv_event *ev)
{
	const struct gv_table *t = gv_table("nv-status");
	gv_str code = gv_is(ev->sig->id, "nv-rminit") ? ev->last_cap[1].n ? ev->last_cap[1] : ev->cap[1] : GV_NONE;
	gv_str word = gv_before(gv_after(code, ":"), ":");
	uint64_t status, of;

	if (!gv_to_u64(word, &status))
		return;
	for (size_t r = 0; t && r < t->rows; r++)
		if (gv_to_u64(gv_cell(t, r, "code"), &of) && of == status)
			gv_set_str(j, f, "status", gv_cell(t, r, "meaning"));
}

/* The driver could not start this GPU. One that its tool lists with values came up afterwards. */
static bool by_events(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_GPU_MISSING, node, ev));) {
		struct gv_finding *f;

		if (gv_is(ev->sig->id, "smi-no-devices")) /* by_none() */
			continue;
		if ((ev->gpu && gv_obs(ev->gpu, GV_F_GPU_UTIL)) || probe_failed(j->run, ev))
			continue;
		f = gv_found_event(j, GV_K_GPU_MISSING, ev);
		gv_set_count(j, f, ev);
		tell_status(j, f, ev);
		any = true;
	}
	/* "the probe routine failed for N devices" beside GPUs that work */
	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "nv-probe-failed", node, ev));) {
		if (!gv_driver_works(j->run, node))
			continue;
		gv_found_event(j, GV_K_GPU_MISSING, ev)->confidence = GV_MEDIUM;
		any = true;
	}
	return any;
}

static enum gv_answer missing_run(struct gv_judge *j, const struct gv_entity *node)
{
	bool found = by_count(j, node);

	found |= by_site(j, node);
	found |= by_none(j, node);
	found |= by_module(j, node);
	found |= by_capacity(j, node);
	found |= by_events(j, node);
	return found ? GV_FOUND : gv_driver_works(j->run, node) ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_gpu_missing = {
	.id = "gpu-missing",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "GPU list",
	.run = missing_run,
};
