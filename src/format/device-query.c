/* SPDX-License-Identifier: Apache-2.0 */
/* deviceQuery and deviceQueryDrv of the CUDA samples: what a CUDA program sees of each GPU, or why it sees none. Its
 * numbers are CUDA's; GPUs are told by their bus ids, which it prints as decimal numbers. */
#include "format/common_gputest.h"

#include <math.h>

static bool starts(gv_str t)
{
	return gv_has(t, "deviceQuery Starting...") || gv_has(t, "deviceQueryDrv Starting...") ||
	       gv_starts(t, "CUDA Device Query (");
}

/* "Device 0: "NVIDIA H100"" */
static bool device_of(gv_str t, gv_str *ret_name)
{
	*ret_name = gv_starts(t, "Device ") && gv_is_tested_line(t) ? gv_between(t, ": \"", "\"") : GV_NONE;
	return ret_name->n > 0;
}

/* "Detected 4 CUDA Capable device(s)" */
static bool count_of(gv_str t, double *ret)
{
	gv_str rest;

	if (gv_starts(t, "There are no available device(s)")) {
		*ret = 0;
		return true;
	}
	return gv_starts(t, "Detected ") && gv_has(t, "CUDA Capable device") && gv_lead_num(gv_from(t, 9), ret, &rest);
}

static bool ends(gv_str t)
{
	return gv_starts(t, "Result = ");
}

/* Some line that only it prints: outputs are pasted from their middle, too. */
static bool known(gv_str t)
{
	static const char *const talk[] = { "CUDA Driver Version / Runtime Version", "CUDA Capability Major/Minor",
					    "cudaGetDeviceCount returned", "cuDeviceGetCount returned",
					    "deviceQuery, CUDA Driver" };

	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return false;
}

#define GAP 120 /* lines about one device that are not known here */

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text), name;
	size_t end = 0;
	double v;

	(void)seg;
	if (!starts(t) && !count_of(t, &v) && !known(t) && !(device_of(t, &name) && n > 1 && known(gv_trim(l[1].text))))
		return 0;
	for (size_t i = 0; i < n && i - end < GAP; i++) {
		t = gv_trim(l[i].text);
		if ((l[i].flags & GV_LINE_FENCE) || (i && gv_has(t, "Starting...")))
			break;
		if (starts(t) || count_of(t, &v) || known(t) || device_of(t, &name) || gv_starts(t, "Compute Mode:") ||
		    gv_starts(t, "Device PCI") || gv_starts(t, "->") || gv_starts(t, "> Peer access") ||
		    gv_starts(t, "< "))
			end = i + 1;
		if (ends(t))
			return i + 1;
	}
	return end;
}

struct device {
	gv_str name, cc, ecc, mode, bus;
	const struct gv_line *name_at, *cc_at, *ecc_at, *mode_at, *bus_at;
	double clock, units;
	const struct gv_line *clock_at, *units_at;
};

static void emit(struct gv_read *r, const struct device *d)
{
	struct gv_entity *gpu;
	gv_str name = gv_before(d->name, " MIG ");

	if (!d->name_at || !d->bus.n)
		return;
	gpu = gv_see(r, GV_GPU, GV_NONE);
	gv_key(r, gpu, GV_KEY_BUS, d->bus);
	gv_put_str(r, gpu, GV_F_GPU_BUS_ID, d->bus, d->bus_at);
	gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), d->name_at);
	gv_put_str(r, gpu, GV_F_GPU_NAME, name, d->name_at);
	if (name.n != d->name.n) /* a part of a GPU: the rest is the part's */
		gv_put_str(r, gpu, GV_F_GPU_MIG, GV_STR("Enabled"), d->name_at);
	if (d->cc_at)
		gv_put_str(r, gpu, GV_F_GPU_COMPUTE_CAP, d->cc, d->cc_at);
	if (d->units_at)
		gv_put_num(r, gpu, GV_F_GPU_UNITS, d->units, d->units_at);
	if (d->clock_at)
		gv_put_num(r, gpu, GV_F_GPU_CLK_MAX_SM, d->clock, d->clock_at);
	if (d->ecc_at)
		gv_put_str(r, gpu, GV_F_GPU_ECC_MODE, d->ecc, d->ecc_at);
	if (d->mode_at)
		gv_put_str(r, gpu, GV_F_GPU_COMPUTE_MODE, d->mode, d->mode_at);
}

/* "Device PCI Domain ID / Bus ID / location ID:   0 / 104 / 0"; before CUDA 7 without a domain */
static gv_str bus_of(struct gv_arena *a, gv_str value)
{
	uint64_t v[3] = { 0, 0, 0 };
	gv_str one;
	size_t n = 0;

	while (n < 3 && gv_next(&value, '/', &one))
		if (!gv_to_u64(gv_trim(one), &v[n++]))
			return GV_NONE;
	if (n == 2)
		return gv_bus_of_numbers(a, 0, v[0], v[1]);
	return n == 3 ? gv_bus_of_numbers(a, v[0], v[1], v[2]) : GV_NONE;
}

static gv_str compute_mode(gv_str t)
{
	static const struct {
		const char *word, *mode;
	} modes[] = { { "Default", "Default" },
		      { "Exclusive Process", "Exclusive_Process" },
		      { "Exclusive", "Exclusive_Thread" },
		      { "Prohibited", "Prohibited" } };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (gv_has(t, modes[i].word))
			return gv_str_of(modes[i].mode);
	return GV_NONE;
}

static void read_versions(struct gv_read *r, gv_str value, const struct gv_line *l)
{
	double driver, runtime;

	if (gv_to_num(gv_trim(gv_before(value, "/")), &driver))
		gv_put_num(r, gv_see_node(r), GV_F_DRIVER_CUDA_MAX, driver, l);
	if (gv_to_num(gv_trim(gv_after(value, "/")), &runtime))
		gv_put_num(r, gv_see_node(r), GV_F_CUDA_RUNTIME, runtime, l);
}

static void read_device_line(struct gv_read *r, struct device *d, gv_str t, const struct gv_line *l)
{
	gv_str key, value, rest;
	bool on;

	if (gv_starts(t, "< ") && !d->mode_at) {
		d->mode = compute_mode(t);
		d->mode_at = d->mode.n ? l : NULL;
		return;
	}
	if (gv_starts(t, "CUDA Driver Version / Runtime Version")) {
		read_versions(r, gv_from(t, 37), l);
		return;
	}
	/* "(132) Multiprocessors, (128) CUDA Cores/MP:     16896 CUDA Cores" */
	if (gv_starts(t, "(") && gv_has(t, ") Multiprocessors") && gv_to_num(gv_trim(gv_between(t, "(", ")")), &d->units)) {
		d->units_at = l;
		return;
	}
	if (!gv_key_value(t, &key, &value))
		return;
	if (gv_starts(key, "CUDA Capability Major/Minor")) {
		d->cc = value;
		d->cc_at = l;
	} else if (gv_starts(key, "GPU Max Clock rate") || gv_starts(key, "GPU Clock rate")) {
		if (gv_lead_num(value, &d->clock, &rest) && gv_starts(gv_trim(rest), "MHz"))
			d->clock_at = l;
	} else if (gv_is(key, "Device has ECC support") && gv_yes_no(value, "Enabled", "Disabled", &on)) {
		d->ecc = on ? GV_STR("Enabled") : GV_STR("Disabled");
		d->ecc_at = l;
	} else if (gv_starts(key, "Device PCI")) {
		d->bus = bus_of(r->arena, value);
		d->bus_at = l;
	}
}

static void put_result(struct gv_read *r, gv_str word, const struct gv_line *l)
{
	struct gv_entity *e = gv_see(r, GV_TEST, GV_STR("deviceQuery"));

	gv_put_str(r, e, GV_F_TEST_TOOL, GV_STR("deviceQuery"), l);
	gv_put_str(r, e, GV_F_TEST_RESULT, word, l);
}

static void read_query(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct device d = { 0 };
	double devices;
	gv_str name;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (device_of(t, &name)) {
			emit(r, &d);
			d = (struct device){ .name = name, .name_at = &l[i] };
		} else if (count_of(t, &devices)) {
			gv_put_num(r, gv_see_node(r), GV_F_CUDA_DEVICES, devices, &l[i]);
		} else if (ends(t)) {
			put_result(r, gv_trim(gv_from(t, 9)), &l[i]);
		} else {
			read_device_line(r, &d, t, &l[i]);
		}
	}
	emit(r, &d);
}

const struct gv_format gv_format_device_query = {
	.name = "deviceQuery",
	.heads = { "deviceQuery Starting...", "deviceQueryDrv Starting...", "CUDA Device Query (",
		   "CUDA Capable device", "CUDA Driver Version / Runtime Version", "cudaGetDeviceCount returned",
		   "Device 0: \"", "deviceQuery, CUDA Driver" },
	.claim = claim,
	.read = read_query,
};
