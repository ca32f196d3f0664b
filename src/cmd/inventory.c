/* SPDX-License-Identifier: Apache-2.0 */
/* gpuvet inventory: which GPU code and libraries are in here. */
#include "cmd/common.h"
#include "engine/inventory.h"
#include "report/common_inventory.h"
#include "sys/term.h"

struct opts {
	struct gv_basic basic;
	bool json, all;
	uint64_t archive, members, nesting, threads;
};

static const struct gv_opt options[] = {
	{ .name = "json", .help = "print a JSON document", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, json) },
	{ .name = "all", .help = "print everything, not one screen of it", .type = GV_OPT_FLAG, .offset = offsetof(struct opts, all) },
	{ .name = "max-archive", .arg = "SIZE", .help = "bytes unpacked from archives in all [64GiB]", .type = GV_OPT_SIZE, .offset = offsetof(struct opts, archive) },
	{ .name = "max-members", .arg = "N", .help = "files in folders and archives [4000000]", .type = GV_OPT_COUNT, .offset = offsetof(struct opts, members) },
	{ .name = "max-nesting", .arg = "N", .help = "archives inside archives [4]", .type = GV_OPT_COUNT, .offset = offsetof(struct opts, nesting) },
	{ .name = "threads", .arg = "N", .help = "that read, at most 4 [as many as processors]", .type = GV_OPT_COUNT, .offset = offsetof(struct opts, threads) },
	GV_BASIC_OPTIONS,
};

static const char *const usage[] = {
	"usage: gpuvet inventory [OPTION]... PATH...",
	"",
	"Says which GPU code and which GPU libraries are in files, folders, packages and",
	"images, for which architectures, and how they are reached. Nothing is run, and",
	"nothing is written to disk.",
	"",
	"Exit status: 2 a failure was found, 1 a warning, 0 neither, 3 nothing could be",
	"read; 64 wrong usage, 66 a PATH cannot be opened, 70 internal error.",
	NULL,
};

static void said(uint64_t files, uint64_t bytes, gv_str path)
{
	gv_term_progress("%llu files, now %.*s", (unsigned long long)files, (int)(path.n > 60 ? 60 : path.n), path.p + (path.n > 60 ? path.n - 60 : 0));
}

static int run_inventory(struct gv_call *c)
{
	struct opts o = { .archive = GV_UNSET, .members = GV_UNSET, .nesting = GV_UNSET };
	struct gv_report_opts ro = { .version = GV_VERSION };
	struct gv_inventory_opts how = GV_INVENTORY_OPTS;
	struct gv_inventory inv = { .arena = c->arena };
	gv_str *args;
	size_t n;
	int status = gv_call_parse(c, &gv_cmd_inventory, &o, &args, &n), r;

	if (status >= 0)
		return status;
	if (!n) {
		gv_puts(c->err, "inventory of what? name a PATH");
		return GV_EXIT_USAGE;
	}
	how.archive = o.archive != GV_UNSET ? o.archive : how.archive;
	how.members = o.members != GV_UNSET ? (size_t)o.members : how.members;
	how.nesting = o.nesting != GV_UNSET ? (unsigned)o.nesting : how.nesting;
	how.threads = (unsigned)o.threads;
	how.said = said;
	r = gv_inventory_read(&inv, args, n, &how, c->err);
	gv_term_progress(NULL);
	if (!r) {
		ro.all = o.all;
		ro.color = c->color;
		ro.form = c->form;
		(o.json ? gv_inventory_json : gv_inventory_text)(c->out, &inv, &ro);
	}
	gv_inventory_free(&inv);
	return r ? GV_EXIT_NOINPUT : GV_EXIT_OK;
}

const struct gv_cmd gv_cmd_inventory = { usage, options, run_inventory };
