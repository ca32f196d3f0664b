/* SPDX-License-Identifier: Apache-2.0 */
/* A policy's file: strict, since a rule that is misspelt and passed over would let the wrong wheel in. */
#include <errno.h>

#include "base/units.h"
#include "core/arch.h"
#include "core/cuda.h"
#include "core/window.h"
#include "core/yaml.h"
#include "inspect/policy.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct reader {
	struct gv_yaml_file file;
	int64_t today;
	struct gv_policy *p;
	/* of what is being read */
	struct gv_vendor_rule *rule;
	struct gv_exception *exception;
};

/* A word, or each of a list of words. */
static int each(struct reader *r, const struct gv_yaml *y, int (*one)(struct reader *r, const struct gv_yaml *y))
{
	int ret = 0;

	if (y->kind == GV_YAML_MAP || y->n > GV_POLICY_ENTRIES)
		return gv_yaml_wrong(&r->file, y, "%.*s: has to be a word or a list of them, at most %d",
				     GV_ARG(y->key), GV_POLICY_ENTRIES);
	for (const struct gv_yaml *c = y->kind == GV_YAML_LIST ? y->child : y; c && !ret;
	     c = y->kind == GV_YAML_LIST ? c->next : NULL)
		ret = c->kind == GV_YAML_TEXT && gv_trim(c->text).n ? one(r, c)
								    : gv_yaml_wrong(&r->file, c, "has to be a word");
	return ret;
}

/* ---- Vendors ---- */

static int vendor(const struct reader *r, const struct gv_yaml *y, unsigned *ret)
{
	static const char *const names[] = { "nvidia", "amd", "intel", "all" };
	unsigned bits = gv_is(y->text, "all") ? GV_VENDORS_ALL : gv_vendor_of(y->text);

	*ret |= bits;
	return bits ? 0 : gv_yaml_unknown(&r->file, y, y->text, "vendor", names, N(names));
}

static int allow_one(struct reader *r, const struct gv_yaml *y)
{
	return vendor(r, y, &r->rule->allow);
}

static int forbid_one(struct reader *r, const struct gv_yaml *y)
{
	return vendor(r, y, &r->rule->forbid);
}

static int allow(void *to, const struct gv_yaml *y)
{
	return each(to, y, allow_one);
}

static int forbid(void *to, const struct gv_yaml *y)
{
	return each(to, y, forbid_one);
}

static int rule(struct reader *r, const struct gv_yaml *y, const char *what, struct gv_vendor_rule *ret)
{
	static const struct gv_yaml_key keys[] = { { "allow", allow }, { "forbid", forbid } };

	*ret = (struct gv_vendor_rule){ .on = true };
	r->rule = ret;
	return gv_yaml_map(&r->file, y, what, keys, N(keys), r);
}

static int layers(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	int ret = 0;

	if (y->kind != GV_YAML_MAP)
		return gv_yaml_wrong(&r->file, y, "layers: has to be a map of driver, runtime, library and their like");
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next) {
		enum gv_layer i = gv_layer_of(c->key);

		if (i == GV_LAYERS)
			return gv_yaml_unknown(&r->file, c, c->key, "layer", gv_layer_name, GV_LAYERS);
		ret = rule(r, c, "a layer", &r->p->layer[i]);
	}
	return ret;
}

/* For all layers that have no rule of their own, wherever in the file that is. */
static int vendors(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	struct gv_vendor_rule all;
	int ret = rule(r, y, "vendors", &all);

	for (size_t i = 0; i < GV_LAYERS; i++)
		if (!r->p->layer[i].on)
			r->p->layer[i] = all;
	return ret;
}

/* ---- Grades, architectures, toolkits, sizes ---- */

static int grade(struct reader *r, const struct gv_yaml *y)
{
	for (size_t i = 0; i < GV_GRADES; i++)
		if (gv_is(y->text, gv_grade_name[i])) {
			r->p->grades |= 1u << i;
			return 0;
		}
	return gv_yaml_unknown(&r->file, y, y->text, "grade", gv_grade_name, GV_GRADES);
}

static int grades(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	r->p->grades = 0;
	return each(r, y, grade);
}

static int arch(struct reader *r, const struct gv_yaml *y)
{
	unsigned sm;
	char suffix;

	if (!gv_sm_parse(y->text, &sm, &suffix) && !gv_starts(y->text, "gfx"))
		return gv_yaml_wrong(&r->file, y, "\"%.*s\" is no architecture, as sm_90, compute_90, gfx942",
				     GV_ARG(y->text));
	if (r->p->archs.n == GV_POLICY_ARCHS)
		return gv_yaml_wrong(&r->file, y, "more than %d architectures", GV_POLICY_ARCHS);
	*gv_push(r->file.arena, &r->p->archs) = y->text;
	return 0;
}

static int architectures(void *to, const struct gv_yaml *y)
{
	return each(to, y, arch);
}

static int release(const struct reader *r, const struct gv_yaml *y, unsigned *ret)
{
	unsigned cuda = y->kind == GV_YAML_TEXT ? gv_cuda_parse(y->text) : 0;

	if (!cuda || gv_find_c(y->text, '.') < 0)
		return gv_yaml_wrong(&r->file, y, "%.*s: has to be a release of the CUDA toolkit, as 12.4",
				     GV_ARG(y->key));
	*ret = cuda;
	return 0;
}

static int toolkit_min(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	return release(r, y, &r->p->toolkit_min);
}

static int toolkit_max(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	return release(r, y, &r->p->toolkit_max);
}

static int toolkit(void *to, const struct gv_yaml *y)
{
	static const struct gv_yaml_key keys[] = { { "min", toolkit_min }, { "max", toolkit_max } };
	struct reader *r = to;

	return gv_yaml_map(&r->file, y, "toolkit", keys, N(keys), r);
}

static int limit(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	uint64_t *at = gv_is(y->key, "nvidia")	? &r->p->size[0]
		       : gv_is(y->key, "amd")	? &r->p->size[1]
		       : gv_is(y->key, "intel") ? &r->p->size[2]
						: &r->p->total;
	double v;

	if (y->kind != GV_YAML_TEXT || !gv_bytes(y->text, &v) || v > 1e18)
		return gv_yaml_wrong(&r->file, y, "%.*s: has to be a size, as 6GiB", GV_ARG(y->key));
	*at = (uint64_t)v;
	return 0;
}

static int size(void *to, const struct gv_yaml *y)
{
	static const struct gv_yaml_key keys[] = {
		{ "total", limit }, { "nvidia", limit }, { "amd", limit }, { "intel", limit }
	};
	struct reader *r = to;

	return gv_yaml_map(&r->file, y, "size", keys, N(keys), r);
}

/* ---- Exceptions ---- */

static int text(const struct reader *r, const struct gv_yaml *y, gv_str *ret)
{
	if (y->kind != GV_YAML_TEXT || !gv_trim(y->text).n)
		return gv_yaml_wrong(&r->file, y, "%.*s: has to be a text", GV_ARG(y->key));
	*ret = gv_trim(y->text);
	return 0;
}

static int what(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	return text(r, y, &r->exception->what);
}

static int of_vendor(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	return y->kind == GV_YAML_TEXT ? vendor(r, y, &r->exception->vendor)
				       : gv_yaml_wrong(&r->file, y, "vendor: has to be a word");
}

static int reason(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;

	return text(r, y, &r->exception->reason);
}

static int until(void *to, const struct gv_yaml *y)
{
	struct reader *r = to;
	int64_t day;
	int ret = text(r, y, &r->exception->until);

	if (ret || gv_is(y->text, "never"))
		return ret;
	if (!gv_date_parse(r->exception->until, &day))
		return gv_yaml_wrong(&r->file, y, "until: has to be a date as 2027-05-01, or never");
	r->exception->expired = day < r->today;
	return 0;
}

static int exceptions(void *to, const struct gv_yaml *y)
{
	static const struct gv_yaml_key keys[] = {
		{ "what", what }, { "vendor", of_vendor }, { "reason", reason }, { "until", until }
	};
	struct reader *r = to;
	int ret = 0;

	if (y->kind != GV_YAML_LIST || y->n > GV_POLICY_ENTRIES)
		return gv_yaml_wrong(&r->file, y, "exceptions: has to be a list of at most %d", GV_POLICY_ENTRIES);
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next) {
		struct gv_exception *e = r->exception = gv_push(r->file.arena, &r->p->exceptions);

		*e = (struct gv_exception){ .line = c->line };
		ret = gv_yaml_map(&r->file, c, "an exception", keys, N(keys), r);
		if (!ret && (!e->what.n || !e->reason.n || !e->until.n))
			ret = gv_yaml_wrong(&r->file, c, "an exception needs \"%s\"",
					    !e->what.n	   ? "what"
					    : !e->reason.n ? "reason"
							   : "until");
	}
	return ret;
}

/* A file that was emptied, or in which all is commented out, would let everything pass. */
static bool rules(const struct gv_policy *p)
{
	bool any = p->archs.n || p->toolkit_min || p->toolkit_max || p->total != GV_POLICY_ANY;

	for (size_t i = 0; i < N(p->size); i++)
		any |= p->size[i] != GV_POLICY_ANY;
	for (size_t i = 0; i < GV_LAYERS; i++)
		any |= p->layer[i].allow || p->layer[i].forbid;
	return any;
}

int gv_policy_read(struct gv_arena *a, gv_str name, gv_str bytes, int64_t today, struct gv_policy *ret,
		   struct gv_buf *err)
{
	static const struct gv_yaml_key keys[] = {
		{ "layers", layers },	      { "vendors", vendors },
		{ "grades", grades },	      { "architectures", architectures },
		{ "toolkit", toolkit },	      { "size", size },
		{ "exceptions", exceptions },
	};
	struct gv_policy p = {
		.name = name,
		.grades = (1u << GV_GRADES) - 1 - (1u << GV_LOADED),
		.total = GV_POLICY_ANY,
		.size = { GV_POLICY_ANY, GV_POLICY_ANY, GV_POLICY_ANY },
	};
	struct reader r = { .file = { a, name, err }, .today = today, .p = &p };
	struct gv_yaml *root = NULL;
	int status = gv_yaml_parse(a, name, bytes, &root, err);

	if (!status && root)
		status = gv_yaml_map(&r.file, root, "a policy", keys, N(keys), &r);
	if (!status && !rules(&p)) {
		gv_printf(err, "%.*s: no rule is in it: vendors, layers, architectures, toolkit or size", GV_ARG(name));
		status = -EINVAL;
	}
	if (!status)
		*ret = p;
	return status;
}
