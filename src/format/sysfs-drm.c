/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs in /sys/class/drm/cardN: load, memory, power, temperature and clocks, as amdgpu, i915 and xe show them, and
 * hwmon.
 *
 * Source: Linux, Documentation/gpu/amdgpu/thermal.rst, drivers/gpu/drm/{amd,i915,xe},
 * Documentation/ABI/testing/sysfs-driver-*. Power is in microwatts, temperature in thousandths of a degree, memory in
 * bytes, Intel's clocks in MHz (0 = switched off). */
#include "format/common_pci.h"
#include "format/common_sysfs.h"

#define AREA "/sys/class/drm/"

static const char *const areas[] = { AREA, NULL };

enum attr {
	UTIL,
	MEM_UTIL,
	VRAM_TOTAL,
	VRAM_USED,
	UNIQUE_ID,
	VENDOR,
	DEVICE,
	CLASS,
	RUNTIME,
	VBIOS,
	POWER_INPUT,
	POWER_AVERAGE,
	POWER_CAP,
	POWER_DEFAULT,
	POWER_MIN,
	POWER_MAX,
	ACT_FREQ, /* of the first GT */
	CUR_FREQ,
	RP0_FREQ,
	THROTTLE,
	ATTRS
};

/* Below cardN; hwmon and GT numbers are cut out: "hwmon/power1_cap". */
static const struct {
	enum attr attr;
	const char *name;
} names[] = {
	{ UTIL, "device/gpu_busy_percent" },
	{ MEM_UTIL, "device/mem_busy_percent" },
	{ VRAM_TOTAL, "device/mem_info_vram_total" },
	{ VRAM_USED, "device/mem_info_vram_used" },
	{ UNIQUE_ID, "device/unique_id" },
	{ VENDOR, "device/vendor" },
	{ DEVICE, "device/device" },
	{ CLASS, "device/class" },
	{ RUNTIME, "device/power/runtime_status" },
	{ VBIOS, "device/vbios_version" },
	{ POWER_INPUT, "hwmon/power1_input" },
	{ POWER_AVERAGE, "hwmon/power1_average" },
	{ POWER_CAP, "hwmon/power1_cap" },
	{ POWER_CAP, "hwmon/power1_max" }, /* i915 and xe */
	{ POWER_DEFAULT, "hwmon/power1_cap_default" },
	{ POWER_DEFAULT, "hwmon/power1_rated_max" },
	{ POWER_MIN, "hwmon/power1_cap_min" },
	{ POWER_MAX, "hwmon/power1_cap_max" },
	{ ACT_FREQ, "gt_act_freq_mhz" }, /* i915, old and new place; xe */
	{ ACT_FREQ, "gt/gt0/rps_act_freq_mhz" },
	{ ACT_FREQ, "device/tile0/gt0/freq0/act_freq" },
	{ CUR_FREQ, "gt_cur_freq_mhz" },
	{ CUR_FREQ, "gt/gt0/rps_cur_freq_mhz" },
	{ CUR_FREQ, "device/tile0/gt0/freq0/cur_freq" },
	{ RP0_FREQ, "gt_RP0_freq_mhz" },
	{ RP0_FREQ, "gt/gt0/rps_RP0_freq_mhz" },
	{ RP0_FREQ, "device/tile0/gt0/freq0/rp0_freq" },
	{ THROTTLE, "gt/gt0/throttle_reason_status" },
	{ THROTTLE, "device/tile0/gt0/freq0/throttle/status" },
};

/* What holds the clocks down, as Intel's drivers name it behind "reason_" or "throttle_reason_". */
static const struct {
	const char *word;
	enum gv_fact fact;
} reasons[] = {
	{ "pl1", GV_F_GPU_CAP_POWER },		{ "pl2", GV_F_GPU_CAP_POWER },		{ "pl4", GV_F_GPU_CAP_POWER },
	{ "prochot", GV_F_GPU_CAP_HW_THERMAL }, { "thermal", GV_F_GPU_CAP_SW_THERMAL },
};
#define REASONS (sizeof(reasons) / sizeof(reasons[0]))

#define SENSORS 8

struct sensor {
	struct gv_sysfs_value label, input, crit, emergency;
};

/* Levels of a clock: "1: 2100Mhz *". */
struct clock {
	double now, max; /* MHz; 0: not listed */
	const struct gv_line *now_l, *max_l;
};

struct card {
	gv_str bus;
	const struct gv_line *first, *hung;
	struct gv_sysfs_value a[ATTRS];
	struct gv_sysfs_value reason[REASONS];
	struct sensor temp[SENSORS];
	struct clock sclk, mclk;
};

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	(void)seg;
	return gv_sysfs_extent(l, n, areas);
}

/* "device/hwmon/hwmon3/temp1_input" -> "temp1_input"; empty where it is none of hwmon's. */
static gv_str hwmon(gv_str attr)
{
	gv_str rest = attr, part;
	bool in = false;

	while (gv_next(&rest, '/', &part)) {
		uint64_t no;

		if (in && gv_sysfs_numbered(part, "hwmon", &no))
			return gv_find_c(rest, '/') < 0 ? rest : GV_NONE;
		in = gv_is(part, "hwmon");
	}
	return GV_NONE;
}

static void take_sensor(struct card *c, gv_str name, gv_str value, const struct gv_line *l)
{
	gv_str what = gv_after(name, "_");
	struct gv_sysfs_value v = { value, l };
	uint64_t no;

	if (!gv_starts(name, "temp") || !gv_to_u64(gv_from(gv_before(name, "_"), 4), &no) || !no || no > SENSORS)
		return;
	if (gv_is(what, "label"))
		c->temp[no - 1].label = v;
	else if (gv_is(what, "input"))
		c->temp[no - 1].input = v;
	else if (gv_is(what, "crit"))
		c->temp[no - 1].crit = v;
	else if (gv_is(what, "emergency"))
		c->temp[no - 1].emergency = v;
}

static void take_clock(struct clock *c, gv_str value, const struct gv_line *l)
{
	gv_str rest = gv_after(value, ": "), unit;
	double v;

	if (!gv_lead_num(rest, &v, &unit) || !gv_starts_nocase(gv_trim(unit), "mhz"))
		return;
	if (v > c->max) {
		c->max = v;
		c->max_l = l;
	}
	if (gv_ends(value, "*")) {
		c->now = v;
		c->now_l = l;
	}
}

static void take_reason(struct card *c, gv_str attr, gv_str value, const struct gv_line *l)
{
	gv_str base = gv_sysfs_base(attr), word = gv_after(base, "reason_");

	for (size_t i = 0; word.n && i < REASONS; i++)
		if (gv_is(word, reasons[i].word))
			c->reason[i] = (struct gv_sysfs_value){ value, l };
}

static void take(struct gv_read *r, struct card *c, const struct gv_sysfs *s, gv_str attr, const struct gv_line *l)
{
	gv_str sensor = hwmon(attr);

	if (s->hung && !c->hung)
		c->hung = l;

	if (s->link) {
		if (gv_is(attr, "device"))
			gv_bus_id(r->arena, gv_sysfs_base(s->value), &c->bus);
		return;
	}
	if (gv_is(attr, "device/uevent") && gv_starts(s->value, "PCI_SLOT_NAME="))
		gv_bus_id(r->arena, gv_from(s->value, 14), &c->bus);
	else if (gv_is(attr, "device/pp_dpm_sclk"))
		take_clock(&c->sclk, s->value, l);
	else if (gv_is(attr, "device/pp_dpm_mclk"))
		take_clock(&c->mclk, s->value, l);
	take_reason(c, attr, s->value, l);
	if (sensor.n)
		take_sensor(c, sensor, s->value, l);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i].name;
		bool ours = sensor.n ? !strncmp(name, "hwmon/", 6) && gv_is(sensor, name + 6) : gv_is(attr, name);

		if (ours && !c->a[names[i].attr].l)
			c->a[names[i].attr] = (struct gv_sysfs_value){ s->value, l };
	}
}

static bool number(const struct gv_sysfs_value *a, double *ret)
{
	gv_str rest;

	return a->l && gv_lead_num(a->v, ret, &rest);
}

static uint64_t id(const struct card *c, enum attr a)
{
	uint64_t v;

	return c->a[a].l && gv_to_u64(c->a[a].v, &v) && v <= 0xffffff ? v : 0;
}

/* By the id, else by what only one vendor's driver shows. */
static const char *vendor_of(const struct card *c)
{
	if (c->a[VENDOR].l)
		return gv_pci_vendor(id(c, VENDOR));
	if (c->a[UTIL].l || c->a[VRAM_TOTAL].l || c->sclk.max_l)
		return "amd";
	return c->a[ACT_FREQ].l || c->a[CUR_FREQ].l || c->a[RP0_FREQ].l ? "intel" : NULL;
}

static void put_numbers(struct gv_read *r, const struct card *c, struct gv_entity *gpu)
{
	static const struct {
		enum attr attr;
		enum gv_fact fact;
		double by;
		bool no_zero; /* zero stands for "not known" */
	} facts[] = {
		{ UTIL, GV_F_GPU_UTIL, 1, false },
		{ MEM_UTIL, GV_F_GPU_MEM_UTIL, 1, false },
		{ VRAM_TOTAL, GV_F_GPU_MEM_TOTAL, 1.0 / 1048576, true },
		{ VRAM_USED, GV_F_GPU_MEM_USED, 1.0 / 1048576, false },
		{ POWER_CAP, GV_F_GPU_POWER_LIMIT, 1e-6, true },
		{ POWER_DEFAULT, GV_F_GPU_POWER_DEFAULT, 1e-6, true },
		{ POWER_MIN, GV_F_GPU_POWER_MIN, 1e-6, false },
		{ POWER_MAX, GV_F_GPU_POWER_MAX, 1e-6, true },
		{ RP0_FREQ, GV_F_GPU_CLK_MAX_SM, 1, true },
	};
	const struct gv_sysfs_value *power = &c->a[POWER_INPUT], *clk = &c->a[ACT_FREQ];
	double v;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (number(&c->a[facts[i].attr], &v) && (v > 0 || (v == 0 && !facts[i].no_zero)))
			gv_put_num(r, gpu, facts[i].fact, v * facts[i].by, c->a[facts[i].attr].l);
	if (!power->l)
		power = &c->a[POWER_AVERAGE];
	if (number(power, &v) && v > 0)
		gv_put_num(r, gpu, GV_F_GPU_POWER, v * 1e-6, power->l);
	if (!clk->l)
		clk = &c->a[CUR_FREQ];
	if (number(clk, &v) && v > 0)
		gv_put_num(r, gpu, GV_F_GPU_CLK_SM, v, clk->l);
}

static void put_clock(struct gv_read *r, const struct clock *c, struct gv_entity *gpu, enum gv_fact now,
		      enum gv_fact max)
{
	if (c->now_l)
		gv_put_num(r, gpu, now, c->now, c->now_l);
	if (c->max_l)
		gv_put_num(r, gpu, max, c->max, c->max_l);
}

static void put_degrees(struct gv_read *r, struct gv_entity *gpu, enum gv_fact f, const struct gv_sysfs_value *a)
{
	double v;

	if (number(a, &v) && v > 0 && v < 200000)
		gv_put_num(r, gpu, f, v / 1000, a->l);
}

/* The GPU's temperature is that of the edge; cards without that sensor have the junction's, Intel's the package's. */
static void put_temps(struct gv_read *r, const struct card *c, struct gv_entity *gpu)
{
	const struct sensor *edge = NULL, *hot = NULL, *first = NULL, *of_gpu;

	for (size_t i = 0; i < SENSORS; i++) {
		const struct sensor *t = &c->temp[i];

		if (!t->input.l)
			continue;
		if (gv_is(t->label.v, "mem") || gv_is(t->label.v, "vram"))
			put_degrees(r, gpu, GV_F_GPU_TEMP_MEM, &t->input);
		else if (gv_is(t->label.v, "junction"))
			hot = t;
		else if (gv_is(t->label.v, "edge") || gv_is(t->label.v, "pkg"))
			edge = t;
		else if (!first)
			first = t;
	}
	of_gpu = edge ? edge : hot ? hot : first;
	if (hot)
		put_degrees(r, gpu, GV_F_GPU_TEMP_HOT, &hot->input);
	if (!of_gpu)
		return;
	put_degrees(r, gpu, GV_F_GPU_TEMP, &of_gpu->input);
	put_degrees(r, gpu, GV_F_GPU_TEMP_SLOWDOWN, &of_gpu->crit);
	put_degrees(r, gpu, GV_F_GPU_TEMP_SHUTDOWN, &of_gpu->emergency);
}

/* A reason counts while the status says that clocks are held down at all, and while there are clocks: what stands there
 * of a GPU that is switched off is of no time. */
static void put_reasons(struct gv_read *r, const struct card *c, struct gv_entity *gpu)
{
	bool off = c->a[ACT_FREQ].l && gv_is(c->a[ACT_FREQ].v, "0");
	bool held = !off && (!c->a[THROTTLE].l || gv_is(c->a[THROTTLE].v, "1"));

	for (size_t i = 0; i < REASONS; i++) {
		const struct gv_line *at = c->reason[i].l;
		bool on = false;

		if (!at || (i && reasons[i].fact == reasons[i - 1].fact && c->reason[i - 1].l))
			continue;
		for (size_t k = i; k < REASONS && reasons[k].fact == reasons[i].fact; k++)
			if (c->reason[k].l && gv_is(c->reason[k].v, "1") && held) {
				on = true;
				at = c->reason[k].l;
			}
		gv_put_flag(r, gpu, reasons[i].fact, on, at);
	}
}

/* Without ids Intel's are told by their place, and AMD's by what they have not: a load of the memory controller, a
 * limit of power. */
static bool inside_cpu(struct gv_arena *a, const struct card *c, const struct gv_pci_ids *ids, const char *vendor)
{
	struct gv_pci_ids intel = { .vendor = 0x8086 };

	if (ids->vendor)
		return gv_pci_integrated(a, ids, c->bus);
	if (!strcmp(vendor, "intel"))
		return gv_pci_integrated(a, &intel, c->bus);
	return !c->hung && !c->a[MEM_UTIL].l && !c->a[POWER_CAP].l;
}

static void emit(struct gv_read *r, const struct card *c)
{
	struct gv_pci_ids ids = { .vendor = id(c, VENDOR), .device = id(c, DEVICE), .class = id(c, CLASS) >> 8 };
	const char *vendor = vendor_of(c);
	struct gv_entity *gpu;

	if (!c->bus.n || !vendor)
		return;
	if (inside_cpu(r->arena, c, &ids, vendor))
		return;
	gpu = gv_see_pci_gpu(r, c->bus, c->bus, vendor, gv_pci_product(r->arena, &ids), c->first);
	if (c->hung)
		gv_put_str(r, gpu, GV_F_GPU_NO_ANSWER, c->hung->text, c->hung);
	if (c->a[RUNTIME].l)
		gv_put_str(r, gpu, GV_F_GPU_RUNTIME, c->a[RUNTIME].v, c->a[RUNTIME].l);
	if (gv_starts(c->a[RUNTIME].v, "suspend"))
		return;
	if (c->a[UNIQUE_ID].v.n == 16 && !gv_is(c->a[UNIQUE_ID].v, "0000000000000000")) {
		gv_str uuid = gv_fmt(r->arena, "GPU-%.*s", GV_ARG(c->a[UNIQUE_ID].v));

		gv_key(r, gpu, GV_KEY_UUID, uuid);
		gv_put_str(r, gpu, GV_F_GPU_UUID, uuid, c->a[UNIQUE_ID].l);
	}
	if (c->a[VBIOS].l)
		gv_put_str(r, gpu, GV_F_GPU_VBIOS, c->a[VBIOS].v, c->a[VBIOS].l);
	put_numbers(r, c, gpu);
	put_clock(r, &c->sclk, gpu, GV_F_GPU_CLK_SM, GV_F_GPU_CLK_MAX_SM);
	put_clock(r, &c->mclk, gpu, GV_F_GPU_CLK_MEM, GV_F_GPU_CLK_MAX_MEM);
	put_temps(r, c, gpu);
	put_reasons(r, c, gpu);
}

static void read_drm(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct gv_sysfs_things cards = { .by = { .arena = r->arena }, .size = sizeof(struct card) };

	for (size_t i = 0; i < n; i++) {
		struct gv_sysfs s;
		gv_str name, attr;
		struct card *c;
		uint64_t no;

		/* "card0-DP-1" is a connector */
		if (!gv_sysfs_line(l[i].text, &s) || !gv_sysfs_below(s.path, AREA, &name, &attr) ||
		    !gv_sysfs_numbered(name, "card", &no))
			continue;
		c = gv_sysfs_thing(&cards, name);
		if (!c)
			continue;
		if (!c->first)
			c->first = &l[i];
		take(r, c, &s, attr, &l[i]);
	}
	for (size_t i = 0; i < cards.v.n; i++)
		emit(r, cards.v.v[i]);
}

const struct gv_format gv_format_sysfs_drm = {
	.name = "/sys/class/drm",
	.heads = { AREA },
	.claim = claim,
	.read = read_drm,
};
