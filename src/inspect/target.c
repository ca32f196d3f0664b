/* SPDX-License-Identifier: Apache-2.0 */
/* What people write for a target: an architecture, a product, a backend, a driver's version. */
#include "inspect/target.h"

#include <errno.h>
#include <stdlib.h>

#include "base/opt.h"
#include "core/arch.h"
#include "core/cuda.h"
#include "core/spec.h"
#include "core/table.h"

static const struct backend {
	const char *word;
	unsigned vendor; /* 0: no GPU */
} backends[] = {
	{ "cuda", GV_NVIDIA }, { "nvidia", GV_NVIDIA }, { "rocm", GV_AMD },    { "hip", GV_AMD }, { "amd", GV_AMD },
	{ "xpu", GV_INTEL },   { "oneapi", GV_INTEL },	{ "intel", GV_INTEL }, { "cpu", 0 },	  { "none", 0 },
};
#define BACKENDS (sizeof(backends) / sizeof(*backends))

/* ---- Devices ---- */

static bool is_number(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

/* "sm_90", "sm_90a", "sm90", "compute_90" */
static bool sm_of(gv_str text, unsigned *ret)
{
	gv_str rest = gv_starts_nocase(text, "sm")	   ? gv_from(text, 2)
		      : gv_starts_nocase(text, "compute_") ? gv_from(text, 7)
							   : GV_NONE;
	uint64_t n;

	if (gv_starts(rest, "_"))
		rest = gv_from(rest, 1);
	if (gv_ends(rest, "a") || gv_ends(rest, "f"))
		rest = gv_sub(rest, 0, rest.n - 1);
	if (!is_number(rest) || !gv_to_u64(rest, &n) || n < 10 || n > 999)
		return false;
	*ret = (unsigned)n;
	return true;
}

/* "gfx90a", "gfx90a:sramecc+:xnack-" */
static bool is_gfx(gv_str text)
{
	gv_str base = gv_before(text, ":"), feature, rest = gv_after(text, ":");

	if (!gv_starts(base, "gfx") || base.n < 6 || base.n > 7 || !gv_is_hex(gv_from(base, 3)))
		return false;
	while (gv_next(&rest, ':', &feature))
		if (!gv_is(feature, "xnack+") && !gv_is(feature, "xnack-") && !gv_is(feature, "sramecc+") &&
		    !gv_is(feature, "sramecc-"))
			return false;
	return true;
}

/* "pvc", "dg2-g10" */
static bool is_xe(gv_str text)
{
	const struct gv_table *t = gv_table("intel-targets");

	return t && gv_table_find(t, "target", text, 0) != SIZE_MAX;
}

#define TOKENS 12

static size_t tokens(gv_str s, gv_str *v)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i <= s.n && n < TOKENS; i++)
		if (i == s.n || s.p[i] == ' ' || s.p[i] == '-' || s.p[i] == '/' || s.p[i] == '(' || s.p[i] == ')') {
			if (i > from)
				v[n++] = gv_sub(s, from, i - from);
			from = i + 1;
		}
	return n;
}

/* Words that tools put around a product's name, or people leave out. */
static bool is_noise(gv_str word)
{
	static const char *const noise[] = { "NVIDIA",	"AMD",	    "Intel", "Instinct", "Tesla",
					     "GeForce", "Graphics", "OAM",   "GPU" };

	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		if (gv_eq_nocase(word, gv_str_of(noise[i])))
			return true;
	return false;
}

/* Every word of what was written is one of the product's. */
static bool names(gv_str text, gv_str product)
{
	gv_str have[TOKENS], want[TOKENS];
	size_t n = tokens(product, have), m = tokens(text, want), counted = 0;

	for (size_t i = 0; i < m; i++) {
		bool in = is_noise(want[i]);

		counted += !in;
		for (size_t k = 0; k < n && !in; k++)
			in = gv_eq_nocase(want[i], have[k]);
		if (!in)
			return false;
	}
	return counted > 0;
}

/* The architecture of all products that may be meant; false where there is none. *ret_differ: they are not alike. */
static bool product(const char *table, const char *name_col, const char *arch_col, gv_str text, gv_str *ret_arch,
		    bool *ret_differ)
{
	const struct gv_table *t = gv_table(table);
	bool found = false;

	for (size_t i = 0; t && i < t->rows; i++) {
		gv_str arch = gv_cell(t, i, arch_col);

		if (!names(text, gv_cell(t, i, name_col)))
			continue;
		*ret_differ |= found && !gv_eq(arch, *ret_arch);
		*ret_arch = arch;
		found = true;
	}
	return found;
}

static int conflict(gv_str text, const struct gv_target *t, struct gv_buf *err)
{
	gv_printf(err, "\"%.*s\" does not go with the backend or device that was named before: that is %s",
		  GV_ARG(text), t->cpu ? "a machine without GPU" : gv_vendor_name(t->vendor));
	return -EINVAL;
}

static int set_vendor(struct gv_target *t, unsigned vendor, gv_str text, struct gv_buf *err)
{
	if ((t->vendor && t->vendor != vendor) || (t->cpu && vendor))
		return conflict(text, t, err);
	if (!vendor && t->vendor)
		return conflict(text, t, err);
	t->vendor = vendor;
	t->cpu = !vendor;
	return 0;
}

int gv_target_device(struct gv_arena *a, gv_str text, struct gv_target *t, struct gv_buf *err)
{
	unsigned sm, vendor = 0;
	gv_str arch = GV_NONE, gfx = gv_lower(a, text);
	size_t row = gv_gpu_spec(text);
	bool differ = false;

	if (sm_of(text, &sm)) {
		t->sm = sm;
		return set_vendor(t, GV_NVIDIA, text, err);
	}
	if (is_gfx(gfx)) {
		t->gfx = gfx;
		return set_vendor(t, GV_AMD, text, err);
	}
	if (is_xe(gfx)) {
		t->xe = gfx;
		return set_vendor(t, GV_INTEL, text, err);
	}
	if (row != SIZE_MAX) {
		vendor = GV_NVIDIA;
		arch = gv_cell(gv_table("gpu-specs"), row, "cc");
	} else if (product("gpu-specs", "product_name", "cc", text, &arch, &differ)) {
		vendor = GV_NVIDIA;
	} else if (product("amd-specs", "product", "gfx", text, &arch, &differ)) {
		vendor = GV_AMD;
	} else if (product("intel-specs", "product", "target", text, &arch, &differ)) {
		vendor = GV_INTEL;
	}
	if (!vendor || differ) {
		gv_printf(err,
			  differ ? "\"%.*s\" names several devices of different architectures: name it as the vendor's "
				   "tool prints it, or its "
				   "architecture (sm_90, gfx942)"
				 : "\"%.*s\" is no device that is known: name its architecture (sm_90, gfx942)",
			  GV_ARG(text));
		return -EINVAL;
	}
	t->device = text;
	if (vendor == GV_NVIDIA)
		t->sm = gv_sm_of_cc(arch);
	else if (vendor == GV_AMD)
		t->gfx = arch;
	else
		t->xe = arch;
	return set_vendor(t, vendor, text, err);
}

/* ---- Drivers ---- */

static bool is_version(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < '0' || s.p[i] > '9') && (s.p[i] != '.' || !i || i + 1 == s.n || s.p[i - 1] == '.'))
			return false;
	return s.n > 0;
}

/* "550.54.15", "550": the first number of NVIDIA's has three digits since 2014. */
static bool is_nvidia_driver(gv_str s)
{
	gv_str branch = gv_before(s, ".");

	return is_version(s) && branch.n == 3 && branch.p[0] >= '3';
}

void gv_target_driver(struct gv_target *t, gv_str version)
{
	t->driver = version;
	if (!t->vendor || t->vendor == GV_NVIDIA)
		t->cuda = gv_cuda_of_driver(version);
}

static int driver_word(gv_str text, struct gv_target *t, struct gv_buf *err)
{
	if (!is_version(text) || (!t->vendor && !is_nvidia_driver(text))) {
		gv_printf(err, "\"%.*s\" is no version of a driver as 550.54.15", GV_ARG(text));
		return -EINVAL;
	}
	if (!t->vendor) {
		int r = set_vendor(t, GV_NVIDIA, text, err);

		if (r)
			return r;
	}
	gv_target_driver(t, text);
	return 0;
}

/* ---- Words ---- */

static const struct backend *backend_of(gv_str word)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (gv_eq_nocase(word, gv_str_of(backends[i].word)))
			return &backends[i];
	return NULL;
}

static int one_word(struct gv_arena *a, gv_str word, struct gv_target *t, struct gv_buf *err)
{
	const struct backend *b = backend_of(word);
	const char *names_[BACKENDS], *near;
	int r;

	if (b)
		return set_vendor(t, b->vendor, word, err);
	if (gv_starts(word, "driver="))
		return driver_word(gv_trim(gv_from(word, 7)), t, err);
	if (is_nvidia_driver(word))
		return driver_word(word, t, err);
	for (size_t i = 0; i < BACKENDS; i++)
		names_[i] = backends[i].word;
	near = gv_nearest(word, names_, BACKENDS);
	if (near) {
		gv_printf(err, "\"%.*s\" is no target; did you mean %s?", GV_ARG(word), near);
		return -EINVAL;
	}
	if (is_version(word)) {
		gv_printf(err,
			  "\"%.*s\" is no target: a compute capability is written sm_90, a driver driver=550.54.15",
			  GV_ARG(word));
		return -EINVAL;
	}
	r = gv_target_device(a, word, t, err);
	return r;
}

int gv_target_word(struct gv_arena *a, gv_str word, struct gv_target *ret, struct gv_buf *err)
{
	struct gv_target t = { .name = gv_trim(word) };
	gv_str rest = t.name, piece;
	int r = 0;

	if (!t.name.n) {
		gv_puts(err, "an empty word is no target");
		return -EINVAL;
	}
	while (!r && gv_next(&rest, ',', &piece))
		r = one_word(a, gv_trim(piece), &t, err);
	if (!r)
		*ret = t;
	return r;
}

gv_str gv_target_arch(struct gv_arena *a, const struct gv_target *t)
{
	return t->sm ? gv_fmt(a, "sm_%u", t->sm) : t->gfx.n ? t->gfx : t->xe;
}

gv_str gv_target_text(struct gv_arena *a, const struct gv_target *t)
{
	gv_str arch = gv_target_arch(a, t), text;

	if (t->cpu)
		return GV_STR("no GPU");
	if (t->device.n)
		text = arch.n ? gv_fmt(a, "%.*s (%.*s)", GV_ARG(t->device), GV_ARG(arch)) : t->device;
	else
		text = arch.n ? arch : t->vendor ? gv_str_of(gv_vendor_title(t->vendor)) : GV_STR("unknown");
	if (t->driver.n)
		text = gv_fmt(a, "%.*s, driver %.*s", GV_ARG(text), GV_ARG(t->driver));
	return text;
}
