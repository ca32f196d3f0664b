/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_gputest.h"

#include <math.h>

struct gv_tested gv_tested_at(const struct gv_tested_gpus *g, double number)
{
	return number >= 0 && number < GV_TESTED_MAX ? g->v[(size_t)number] : (struct gv_tested){ 0 };
}

gv_str gv_bus_of_numbers(struct gv_arena *a, uint64_t domain, uint64_t bus, uint64_t device)
{
	gv_str id = GV_NONE;

	if (domain > UINT32_MAX || bus > 0xff || device > 0x1f)
		return GV_NONE;
	gv_bus_id(a,
		  gv_fmt(a, "%04llx:%02llx:%02llx.0", (unsigned long long)domain, (unsigned long long)bus,
			 (unsigned long long)device),
		  &id);
	return id;
}

/* What follows "Device 0:" or "Device: 0,". */
static bool split(gv_str text, double *ret_number, gv_str *ret_rest)
{
	gv_str rest = gv_trim(text), after;
	double v;

	if (gv_starts(rest, "Device: "))
		rest = gv_from(rest, 8);
	else if (gv_starts(rest, "Device "))
		rest = gv_from(rest, 7);
	else
		return false;
	if (!gv_lead_num(rest, &v, &after) || v < 0 || v != floor(v) || !after.n ||
	    (after.p[0] != ':' && after.p[0] != ','))
		return false;
	*ret_number = v;
	*ret_rest = gv_trim(gv_from(after, 1));
	return ret_rest->n > 0;
}

bool gv_is_tested_line(gv_str text)
{
	gv_str rest;
	double v;

	return split(text, &v, &rest);
}

static bool hex_after(gv_str s, const char *label, uint64_t *ret)
{
	gv_str word = gv_trim(gv_after(s, label));

	return gv_hex_u64(gv_trim(gv_before(gv_before(word, ","), " ")), ret);
}

bool gv_tested_line(struct gv_read *r, struct gv_tested_gpus *g, const struct gv_line *l)
{
	uint64_t domain = 0, bus, device = 0;
	struct gv_tested *t;
	gv_str rest, inner;
	ptrdiff_t open;
	double v;

	if (!split(l->text, &v, &rest))
		return false;
	if (v >= GV_TESTED_MAX)
		return true;
	t = &g->v[(size_t)v];
	t->at = l;
	open = gv_rfind(rest, "(");
	inner = open >= 0 ? gv_trim(gv_before(gv_from(rest, (size_t)open + 1), ")")) : GV_NONE;
	if (gv_has(rest, "pciBusID:")) {
		t->name = gv_trim(gv_before(rest, ", pciBusID:"));
		hex_after(rest, "pciDeviceID:", &device);
		hex_after(rest, "pciDomainID:", &domain);
		if (hex_after(rest, "pciBusID:", &bus))
			t->bus = gv_bus_of_numbers(r->arena, domain, bus, device);
	} else if (inner.n && gv_find_c(inner, ':') > 0 && gv_bus_id(r->arena, inner, &t->bus)) {
		t->name = gv_trim(gv_sub(rest, 0, (size_t)open));
	} else {
		t->name = rest;
	}
	return true;
}

void gv_see_tested_gpus(struct gv_read *r, const struct gv_tested_gpus *g)
{
	for (size_t i = 0; i < GV_TESTED_MAX; i++) {
		const struct gv_tested *t = &g->v[i];
		struct gv_entity *gpu;

		if (!t->bus.n)
			continue;
		gpu = gv_see(r, GV_GPU, GV_NONE);
		gv_key(r, gpu, GV_KEY_BUS, t->bus);
		gv_put_str(r, gpu, GV_F_GPU_BUS_ID, t->bus, t->at);
		gv_put_str(r, gpu, GV_F_GPU_VENDOR, GV_STR("nvidia"), t->at);
		if (t->name.n)
			gv_put_str(r, gpu, GV_F_GPU_NAME, t->name, t->at);
	}
}

static gv_str named(struct gv_read *r, const struct gv_tested_gpus *g, double gpu)
{
	struct gv_tested t = gv_tested_at(g, gpu);

	return t.bus.n ? t.bus : gv_fmt(r->arena, "%.0f", gpu);
}

struct gv_entity *gv_see_gpu_test(struct gv_read *r, const struct gv_tested_gpus *g, const char *tool, gv_str mode,
				  double gpu, double peer, const struct gv_line *l)
{
	gv_str id = gv_fmt(r->arena, mode.n ? "%s %.*s gpu%.0f" : "%s%.*s gpu%.0f", tool, GV_ARG(mode), gpu);
	struct gv_entity *e;

	if (peer >= 0)
		id = gv_fmt(r->arena, "%.*s gpu%.0f", GV_ARG(id), peer);
	e = gv_see(r, GV_TEST, id);
	gv_put_str(r, e, GV_F_TEST_TOOL, gv_str_of(tool), l);
	if (mode.n)
		gv_put_str(r, e, GV_F_TEST_MODE, mode, l);
	gv_put_str(r, e, GV_F_TEST_GPU, named(r, g, gpu), l);
	if (gv_tested_at(g, gpu).name.n)
		gv_put_str(r, e, GV_F_TEST_DEVICE, gv_tested_at(g, gpu).name, l);
	if (peer >= 0)
		gv_put_str(r, e, GV_F_TEST_PEER, named(r, g, peer), l);
	return e;
}

size_t gv_matrix_row(gv_str text, double *ret_row, double *ret, size_t max)
{
	gv_str rest = text, w;
	size_t n = 0;

	if (!gv_word(&rest, &w) || !gv_to_num(w, ret_row) || *ret_row < 0 || *ret_row != floor(*ret_row))
		return 0;
	while (n < max && gv_word(&rest, &w)) {
		if (gv_is(w, "N/A") || gv_is(w, "-"))
			ret[n++] = NAN;
		else if (gv_to_num(w, &ret[n]))
			n++;
		else
			return 0;
	}
	return n;
}

size_t gv_matrix_head(gv_str text, double *ret, size_t max)
{
	gv_str rest = text, w;
	size_t n = 0;

	while (n < max && gv_word(&rest, &w)) {
		if (!gv_to_num(w, &ret[n]) || ret[n] != floor(ret[n]) || ret[n] < 0 || (n && ret[n] <= ret[n - 1]))
			return 0;
		n++;
	}
	return n;
}
