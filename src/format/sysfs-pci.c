/* SPDX-License-Identifier: Apache-2.0 */
/* PCI functions in /sys/bus/pci/devices: the same facts as lspci gives, and error counters.
 *
 * Source: Linux, Documentation/ABI/testing/sysfs-bus-pci and drivers/pci/pci-sysfs.c. Ids and class are what they were
 * when the function was found; link speed and width are read from it at each look: from one that no longer answers
 * comes a width of 63, from a virtual function 0. */
#include "format/common_pci.h"
#include "format/common_sysfs.h"

enum attr {
	CLASS,
	VENDOR,
	DEVICE,
	SUBVENDOR,
	SUBDEVICE,
	REVISION,
	SPEED,
	WIDTH,
	MAX_SPEED,
	MAX_WIDTH,
	NUMA,
	CPULIST,
	RUNTIME,
	POWER_STATE,
	SECONDARY,
	DRIVER,
	IOMMU,
	PHYSFN,
	ATTRS
};

static const char *const names[ATTRS] = {
	[CLASS] = "class",
	[VENDOR] = "vendor",
	[DEVICE] = "device",
	[SUBVENDOR] = "subsystem_vendor",
	[SUBDEVICE] = "subsystem_device",
	[REVISION] = "revision",
	[SPEED] = "current_link_speed",
	[WIDTH] = "current_link_width",
	[MAX_SPEED] = "max_link_speed",
	[MAX_WIDTH] = "max_link_width",
	[NUMA] = "numa_node",
	[CPULIST] = "local_cpulist",
	[RUNTIME] = "power/runtime_status",
	[POWER_STATE] = "power_state",
	[SECONDARY] = "secondary_bus_number",
	[DRIVER] = "driver",
	[IOMMU] = "iommu_group",
	[PHYSFN] = "physfn",
};

/* A counter of errors: a line for each sort of error, the last their sum. */
struct aer {
	double sum, total; /* total -1: not listed */
	const struct gv_line *l;
};

static const struct {
	const char *attr, *total;
	enum gv_fact fact;
} aer[] = {
	{ "aer_dev_correctable", "TOTAL_ERR_COR", GV_F_PCI_AER_COR },
	{ "aer_dev_fatal", "TOTAL_ERR_FATAL", GV_F_PCI_AER_FATAL },
	{ "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", GV_F_PCI_AER_NONFATAL },
};
#define AER (sizeof(aer) / sizeof(aer[0]))

struct function {
	gv_str bus;	/* normalised */
	gv_str printed; /* the address as it stands in the path */
	struct gv_sysfs_value a[ATTRS];
	struct aer aer[AER];
	const struct gv_line *first, *hung;
};

static const char *const areas[] = { "/sys/bus/pci/devices/", "/sys/devices/pci", NULL };

/* "0000:41:00.0" and "class": the last address in the path, and what stands below it. */
static bool split(gv_str path, gv_str *ret_addr, gv_str *ret_attr)
{
	gv_str rest = path, part, addr = GV_NONE, attr = GV_NONE;

	while (gv_next(&rest, '/', &part))
		if (part.n >= 12 && gv_find_c(part, ':') > 0 && !gv_starts(part, "pci") && part.p[part.n - 2] == '.') {
			addr = part;
			attr = rest;
		}
	*ret_addr = addr;
	*ret_attr = attr;
	return addr.n && attr.n;
}

/* A command that asks about all functions: an empty answer says that there are none. */
static bool asks_all(gv_str cmd)
{
	return gv_has(cmd, "/sys/bus/pci/devices/*/");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	struct gv_sysfs s;
	gv_str addr, attr;

	if ((l[0].flags & GV_LINE_PROMPT) && seg && asks_all(seg->cmd))
		return 1;
	if (!gv_sysfs_line(l[0].text, &s) || !split(s.path, &addr, &attr))
		return 0;
	return gv_sysfs_extent(l, n, areas);
}

static void take_aer(struct function *f, gv_str attr, gv_str value, const struct gv_line *l)
{
	gv_str w[2];
	double v;

	for (size_t i = 0; i < AER; i++) {
		if (!gv_is(attr, aer[i].attr) || gv_words(value, w, 2) != 2 || !gv_to_num(w[1], &v) || v < 0)
			continue;
		if (!f->aer[i].l)
			f->aer[i].total = -1;
		f->aer[i].l = l;
		if (gv_is(w[0], aer[i].total))
			f->aer[i].total = v;
		else
			f->aer[i].sum += v;
	}
}

static void take(struct function *f, const struct gv_sysfs *s, gv_str attr, const struct gv_line *l)
{
	gv_str value = s->link ? gv_sysfs_base(s->value) : s->value;

	if (s->hung && !f->hung)
		f->hung = l;
	take_aer(f, attr, value, l);
	if (gv_is(attr, "uevent") && gv_starts(value, "DRIVER=")) {
		attr = gv_str_of(names[DRIVER]);
		value = gv_from(value, 7);
	}
	for (size_t i = 0; i < ATTRS; i++)
		if (gv_is(attr, names[i]) && !f->a[i].l)
			f->a[i] = (struct gv_sysfs_value){ value, l };
}

static bool number(const struct function *f, enum attr a, double *ret)
{
	gv_str rest;

	return f->a[a].l && gv_lead_num(f->a[a].v, ret, &rest);
}

static uint64_t id(const struct function *f, enum attr a)
{
	uint64_t v;

	return f->a[a].l && gv_to_u64(f->a[a].v, &v) && v <= 0xffffff ? v : 0;
}

static bool asleep(const struct function *f)
{
	return gv_starts(f->a[RUNTIME].v, "suspend") || gv_starts(f->a[POWER_STATE].v, "D3");
}

/* One that sleeps reads as ones, too: it must be known to be awake. */
static bool gone(const struct function *f, const struct gv_line **ret_l)
{
	bool awake = gv_is(f->a[RUNTIME].v, "active") || gv_is(f->a[POWER_STATE].v, "D0");
	double width;

	*ret_l = f->a[VENDOR].l ? f->a[VENDOR].l : f->first;
	if (id(f, VENDOR) == 0xffff || id(f, REVISION) == 0xff)
		return true;
	*ret_l = f->a[WIDTH].l;
	return awake && !asleep(f) && number(f, WIDTH, &width) && width == 63;
}

static void put_link(struct gv_read *r, const struct function *f, struct gv_entity *pci, bool dead)
{
	static const struct {
		enum attr attr;
		enum gv_fact fact;
		bool now;
	} facts[] = {
		{ MAX_SPEED, GV_F_PCI_CAP_SPEED, false },
		{ MAX_WIDTH, GV_F_PCI_CAP_WIDTH, false },
		{ SPEED, GV_F_PCI_SPEED, true },
		{ WIDTH, GV_F_PCI_WIDTH, true },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct gv_sysfs_value *a = &f->a[facts[i].attr];
		double v;

		if (!a->l)
			continue;
		if (facts[i].now && asleep(f))
			gv_put_none(r, pci, facts[i].fact, GV_UNKNOWN, "the device sleeps", a->l);
		else if (dead)
			gv_put_none(r, pci, facts[i].fact, GV_UNKNOWN, "the device does not answer", a->l);
		else if (f->a[PHYSFN].l)
			gv_put_none(r, pci, facts[i].fact, GV_NOT_APPLICABLE, "the function has no link of its own",
				    a->l);
		else if (!number(f, facts[i].attr, &v) || v <= 0 || v == 63 || v == 255)
			gv_put_none(r, pci, facts[i].fact, GV_UNKNOWN, "the kernel does not know it", a->l);
		else
			gv_put_num(r, pci, facts[i].fact, v, a->l);
	}
}

/* Name in the manner of lspci -nn; of what the tables do not know, the ids alone. */
static gv_str name_of(struct gv_arena *a, const struct gv_pci_ids *ids, gv_str product)
{
	unsigned long long v = ids->vendor, d = ids->device;

	/* the switch on AMD's cards: its upstream end has the link that the slot has */
	if (v == 0x1002 && d == 0x1478)
		product = GV_STR("AMD/ATI Upstream Port of PCI Express Switch");
	return product.n ? gv_fmt(a, "%.*s [%04llx:%04llx]", GV_ARG(product), v, d) : gv_fmt(a, "%04llx:%04llx", v, d);
}

static void put_class(struct gv_read *r, const struct function *f, struct gv_entity *pci, const struct gv_pci_ids *ids)
{
	gv_str text = gv_pci_class(ids->class);

	if (!f->a[CLASS].l)
		return;
	if (!text.n)
		text = gv_fmt(r->arena, "Class %04llx", (unsigned long long)ids->class);
	gv_put_str(r, pci, GV_F_PCI_CLASS, text, f->a[CLASS].l);
}

static void put_texts(struct gv_read *r, const struct function *f, struct gv_entity *pci)
{
	static const struct {
		enum attr attr;
		enum gv_fact fact;
	} facts[] = { { DRIVER, GV_F_PCI_DRIVER }, { IOMMU, GV_F_PCI_IOMMU }, { RUNTIME, GV_F_PCI_RUNTIME } };
	double v;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (f->a[facts[i].attr].l)
			gv_put_str(r, pci, facts[i].fact, f->a[facts[i].attr].v, f->a[facts[i].attr].l);
	if (number(f, NUMA, &v))
		gv_put_num(r, pci, GV_F_PCI_NUMA, v, f->a[NUMA].l);
	if (number(f, SECONDARY, &v))
		gv_put_num(r, pci, GV_F_PCI_SECONDARY, v, f->a[SECONDARY].l);
	for (size_t i = 0; i < AER; i++)
		if (f->aer[i].l)
			gv_put_num(r, pci, aer[i].fact, f->aer[i].total >= 0 ? f->aer[i].total : f->aer[i].sum,
				   f->aer[i].l);
}

/* A GPU that work may run on. Virtual functions beside their physical one are for guests. */
static struct gv_entity *see_gpu(struct gv_read *r, const struct function *f, const struct gv_pci_ids *ids,
				 gv_str product)
{
	const char *vendor = gv_pci_vendor(ids->vendor);
	struct gv_entity *gpu;
	double v;

	if (!vendor || !gv_pci_gpu_class(ids->class) || f->a[PHYSFN].l || gv_pci_integrated(r->arena, ids, f->bus))
		return NULL;
	gpu = gv_see_pci_gpu(r, f->bus, f->printed, vendor, product, f->a[VENDOR].l);
	if (number(f, NUMA, &v) && v >= 0)
		gv_put_num(r, gpu, GV_F_GPU_NUMA, v, f->a[NUMA].l);
	if (f->a[CPULIST].l)
		gv_put_str(r, gpu, GV_F_GPU_CPUS, f->a[CPULIST].v, f->a[CPULIST].l);
	if (f->a[RUNTIME].l || asleep(f))
		gv_put_str(r, gpu, GV_F_GPU_RUNTIME, asleep(f) ? GV_STR("suspended") : f->a[RUNTIME].v,
			   f->a[RUNTIME].l ? f->a[RUNTIME].l : f->a[POWER_STATE].l);
	return gpu;
}

/* True where it is a GPU. */
static bool emit(struct gv_read *r, const struct function *f)
{
	struct gv_pci_ids ids = { id(f, VENDOR), id(f, DEVICE), id(f, SUBVENDOR), id(f, SUBDEVICE), id(f, CLASS) >> 8 };
	gv_str product = gv_pci_gpu_class(ids.class) ? gv_pci_product(r->arena, &ids) : GV_NONE;
	struct gv_entity *pci = gv_see_pci(r, f->bus), *gpu;
	const struct gv_line *at;
	bool dead = gone(f, &at);

	put_class(r, f, pci, &ids);
	if (f->a[VENDOR].l && f->a[DEVICE].l)
		gv_put_str(r, pci, GV_F_PCI_NAME, name_of(r->arena, &ids, product), f->a[DEVICE].l);
	put_link(r, f, pci, dead);
	put_texts(r, f, pci);
	gpu = see_gpu(r, f, &ids, product);
	if (gpu && f->hung)
		gv_put_str(r, gpu, GV_F_GPU_NO_ANSWER, f->hung->text, f->hung);
	if (dead) {
		gv_put_flag(r, pci, GV_F_PCI_REV_FF, true, at);
		if (gpu)
			gv_put_str(r, gpu, GV_F_GPU_BROKEN, GV_STR("reads of the device return ones"), at);
	}
	return gpu != NULL;
}

struct reading {
	struct gv_sysfs_things functions;
	bool host_bridge; /* seen: what follows it is the whole list */
	bool unknown;	  /* some function is listed without class or vendor */
};

static void collect(struct gv_read *r, struct reading *x, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str addr, attr, bus;
		struct gv_sysfs s;
		struct function *f;

		if (!gv_sysfs_line(l[i].text, &s) || !split(s.path, &addr, &attr) || !gv_bus_id(r->arena, addr, &bus))
			continue;
		f = gv_sysfs_thing(&x->functions, bus);
		if (!f)
			continue;
		if (!f->first) {
			f->bus = bus;
			f->printed = addr;
			f->first = &l[i];
		}
		take(f, &s, attr, &l[i]);
	}
	for (size_t i = 0; i < x->functions.v.n; i++) {
		const struct function *f = x->functions.v.v[i];

		x->host_bridge |= id(f, CLASS) >> 8 == 0x0600;
		x->unknown |= !f->a[CLASS].l || !f->a[VENDOR].l;
	}
}

static void read_pci(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .functions = { .by = { .arena = r->arena }, .size = sizeof(struct function) } };
	size_t gpus = 0;

	collect(r, &x, l, n);
	for (size_t i = 0; i < x.functions.v.n; i++)
		gpus += emit(r, x.functions.v.v[i]);
	if (!x.unknown && !r->doc->cut && (x.host_bridge || (r->block->seg && asks_all(r->block->seg->cmd))))
		gv_put_num(r, gv_see_node(r), GV_F_GPU_ON_BUS, (double)gpus, &l[0]);
}

const struct gv_format gv_format_sysfs_pci = {
	.name = "/sys/bus/pci",
	.heads = { "/sys/bus/pci/devices/", "/sys/devices/pci" },
	.cmds = { "/sys/bus/pci/devices/*/" },
	.claim = claim,
	.read = read_pci,
};
