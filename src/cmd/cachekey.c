/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet cachekey: a key for engines and compile caches, and which of them do not fit. */
#include "cmd/common.h"
#include "cmd/common_target.h"
#include "core/spec.h"
#include "core/table.h"
#include "engine/inventory.h"
#include "report/common_cachekey.h"
#include "sys/term.h"

struct opts {
	struct gv_basic basic;
	struct gv_limit_opts limits;
	struct gv_look_opts look;
	struct gv_opt_list set;
	const char *cache, *check, *gpu, *node, *packages, *target;
	bool json, explain, all;
};

static const struct gv_opt options[] = {
	{ .name = "for",
	  .arg = "CACHE",
	  .help = "whose key: tensorrt, triton, inductor, onnxruntime, miopen, ...; see the manual",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, cache) },
	{ .name = "check",
	  .arg = "DIR",
	  .help = "name the engines and entries of caches in it that do not fit",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, check) },
	{ .name = "set",
	  .arg = "NAME=VALUE",
	  .help = "state a property, whatever was read: triton=3.1.0",
	  .type = GV_OPT_LIST,
	  .offset = offsetof(struct opts, set) },
	{ .name = "packages",
	  .arg = "PATH",
	  .help = "take versions of libraries from the Python packages in it",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, packages) },
	{ .name = "target",
	  .arg = "TARGET",
	  .help = "the key for this, not a machine; as for inventory: sm_90, or a file (YAML)",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, target) },
	{ .name = "explain",
	  .help = "print the properties, their values, where these come from, and why they count",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, explain) },
	{ .name = "gpu",
	  .arg = "GPU",
	  .help = "which GPU, where several differ: its number, bus id or UUID",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, gpu) },
	{ .name = "node",
	  .arg = "NAME",
	  .help = "which machine, where several were read: its host name",
	  .type = GV_OPT_STRING,
	  .offset = offsetof(struct opts, node) },
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	{ .name = "all",
	  .help = "print everything, not one screen of it",
	  .type = GV_OPT_FLAG,
	  .offset = offsetof(struct opts, all) },
	GV_LOOK_OPTION(opts, "live", live, "look at this machine beside reading PATHs", GV_OPT_FLAG, NULL),
	GV_LOOK_OPTION(opts, "root", root, "look at a recorded tree in place of /", GV_OPT_STRING, "DIR"),
	GV_LOOK_OPTION(opts, "timeout", timeout, "how long one call of a driver may take [5s]", GV_OPT_TIME, "TIME"),
	GV_LIMIT_OPTIONS(opts),
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet cachekey [OPTION]... --for=CACHE [PATH]...",
	"       gpuvet cachekey [OPTION]... --check=DIR [PATH]...",
	"",
	"Prints a key made of exactly those properties of a machine on which an engine or",
	"compile cache depends: of this machine or, with PATHs, of the one whose outputs",
	"these are. Where one of the properties is unknown there is no key.",
	"",
	"Exit status: 0; 2 something in DIR does not fit, 3 a property is unknown, or",
	"nothing in DIR could be held against it; 64 wrong usage, 66 a PATH cannot be",
	"opened, 70 internal error.",
	NULL,
};

static void name_caches(struct gv_buf *err)
{
	const char *names[GV_CACHES_MAX];
	size_t n = gv_cache_names(names);

	for (size_t i = 0; i < n; i++)
		gv_printf(err, "%s%s", i ? ", " : "", names[i]);
}

static int check_usage(struct gv_call *c, const struct opts *o)
{
	const char *names[GV_CACHES_MAX], *near;
	size_t n = gv_cache_names(names);

	if (!o->cache && !o->check) {
		gv_puts(c->err, "a key for what? --for=CACHE, one of ");
		name_caches(c->err);
		gv_puts(c->err, "; or --check=DIR");
		return GV_EXIT_USAGE;
	}
	for (size_t i = 0; o->cache && i < n; i++)
		if (!strcmp(names[i], o->cache))
			return 0;
	if (!o->cache)
		return 0;
	near = gv_nearest(gv_str_of(o->cache), names, n);
	gv_printf(c->err, "--for: \"%s\" is none of ", o->cache);
	name_caches(c->err);
	if (near)
		gv_printf(c->err, "; did you mean %s?", near);
	return GV_EXIT_USAGE;
}

/* What a target says of its GPU and driver. */
static int read_target(struct gv_call *c, const struct opts *o, struct gv_machine *m)
{
	struct gv_target_opts to = { .target = { .v = { o->target }, .n = 1 } };
	struct gv_targets all = { 0 };
	const struct gv_target *t;
	gv_str from = gv_fmt(c->arena, "--target %s", o->target), arch;
	int status = gv_call_targets(c, &to, &all);
	size_t row;

	if (status)
		return status;
	t = all.all.v[0];
	arch = t->sm ? gv_fmt(c->arena, "sm_%u", t->sm) : t->gfx;
	row = gv_gpu_spec(t->device);
	if ((arch.n && gv_machine_state(m, GV_STR("arch"), arch, from, c->err)) ||
	    (gv_find_c(t->gfx, ':') >= 0 && gv_machine_state(m, GV_STR("isa"), t->gfx, from, c->err)) ||
	    (row != SIZE_MAX && gv_machine_state(m, GV_STR("device"),
						 gv_cell(gv_table("gpu-specs"), row, "product_name"), from, c->err)) ||
	    (t->driver.n && gv_machine_state(m, GV_STR("driver"), t->driver, from, c->err)) ||
	    (t->vendor && gv_machine_state(m, GV_STR("vendor"), gv_str_of(gv_vendor_name(t->vendor)), from, c->err)))
		return GV_EXIT_USAGE;
	return 0;
}

static void said(uint64_t files, uint64_t bytes, gv_str path)
{
	gv_term_progress("%llu files", (unsigned long long)files);
}

/* 0, or the exit status. */
static int take_stock(struct gv_call *c, const char *path, struct gv_inventory *inv)
{
	struct gv_inventory_opts how = GV_INVENTORY_OPTS;
	gv_str dir = gv_str_of(path);
	int r;

	how.said = said;
	r = gv_inventory_read(inv, &dir, 1, &how, c->err);
	gv_term_progress(NULL);
	return r ? GV_EXIT_NOINPUT : 0;
}

static int read_packages(struct gv_call *c, const char *path, const char *cache, struct gv_machine *m)
{
	struct gv_inventory inv = { .arena = c->arena };
	int status = take_stock(c, path, &inv);

	if (!status && gv_machine_packages(m, &inv, gv_str_of(cache), c->err))
		status = GV_EXIT_USAGE;
	gv_inventory_free(&inv);
	return status;
}

/* All that is known of the machine: what is stated goes before what is read. */
static int read_machine(struct gv_call *c, const struct opts *o, const gv_str *args, size_t n, struct gv_machine *m)
{
	struct gv_run *run = gv_run_new(c->arena);
	int status = o->packages ? read_packages(c, o->packages, o->cache, m) : 0;

	if (!status && o->target)
		status = read_target(c, o, m);
	for (size_t i = 0; i < o->set.n && !status; i++)
		if (gv_machine_set(m, gv_str_of(o->set.v[i]), "--set", c->err))
			status = GV_EXIT_USAGE;
	if (status || (o->target && !n && !o->look.live)) /* a target is another machine than this one */
		return status;
	status = gv_call_read(c, run, &o->limits, &o->look, args, n);
	if (!status && gv_machine_of(m, run, gv_str_of(o->node), gv_str_of(o->gpu), c->err))
		status = GV_EXIT_USAGE;
	return status;
}

/* "no key: triton is unknown (no output that is read says so; python3 ..., then --set triton=VALUE); ..." on one line.
 */
static void say_unknown(struct gv_buf *err, const struct gv_cache_key *k)
{
	bool first = true;

	gv_printf(err, "no key for %.*s: ", GV_ARG(k->cache));
	for (size_t i = 0; i < k->props.n; i++) {
		const struct gv_cache_prop *p = &k->props.v[i];

		if (p->value.n)
			continue;
		gv_printf(err, "%s%.*s is unknown (%.*s; %.*s, then --set %.*s=VALUE)", first ? "" : "; ",
			  GV_ARG(p->name), GV_ARG(p->why), GV_ARG(p->how), GV_ARG(p->name));
		first = false;
	}
}

static int status_of(struct gv_call *c, const struct gv_cachekey_report *r)
{
	size_t fit = 0, unfit = 0;

	for (size_t i = 0; r->fits && i < r->fits->n; i++) {
		fit += r->fits->v[i].fits == 1;
		unfit += r->fits->v[i].fits == 0 && !r->fits->v[i].beside;
	}
	if (unfit)
		return GV_EXIT_FAIL;
	if (r->fits) {
		if (!r->fits->n)
			gv_puts(c->err, "no engine and no cache that is known is in there");
		return fit ? GV_EXIT_OK : GV_EXIT_UNKNOWN;
	}
	if (!r->key->key.n) {
		say_unknown(c->err, r->key);
		return GV_EXIT_UNKNOWN;
	}
	return GV_EXIT_OK;
}

static int run_cachekey(struct gv_call *c)
{
	struct opts o = { .limits = GV_LIMITS_UNSET, .look = GV_LOOK_UNSET };
	struct gv_cachekey_report r = { .version = GV_VERSION, .form = &c->form };
	struct gv_machine m = { .arena = c->arena };
	struct gv_inventory inv = { .arena = c->arena };
	struct gv_cache_key key;
	gv_cache_fits fits = { 0 };
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_cachekey, &o, &args, &n);

	if (status >= 0)
		return status;
	if ((status = check_usage(c, &o)))
		return status;
	o.look.span = o.look.live || !n ? 0 : o.look.span;
	status = read_machine(c, &o, args, n, &m);
	if (!status && o.check && !(status = take_stock(c, o.check, &inv)))
		gv_cache_check(&m, &inv, gv_str_of(o.cache), &fits);
	if (!status && !o.check && gv_cache_key(&m, gv_str_of(o.cache), &key, c->err))
		status = GV_EXIT_UNKNOWN;
	if (!status) {
		r.key = o.check ? NULL : &key;
		r.fits = o.check ? &fits : NULL;
		r.inv = o.check ? &inv : NULL;
		r.explain = o.explain;
		r.all = o.all;
		(o.json ? gv_cachekey_json : gv_cachekey_text)(c->out, &r);
		status = status_of(c, &r);
	}
	gv_inventory_free(&inv);
	return status;
}

const struct gv_cmd gv_cmd_cachekey = { usage, options, run_cachekey };
