/* SPDX-License-Identifier: Apache-2.0 */
#include "source/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "source/bundle.h"
#include "source/source.h"
#include "sys/clock.h"
#include "sys/host.h"

#define SAMPLES_MAX 600		   /* of one look: a longer one samples more seldom */
#define FILE_MAX ((size_t)4 << 20) /* bytes of one file of /proc */
#define KMSG_MAX ((size_t)16 << 20)
#define LOADING 6.0 /* times longer a driver may take to load its state, GPU by GPU */
#define GRACE 30.0 /* seconds beyond the span, and a few time-outs, after which helpers are not waited for any longer  \
		    */

struct helper {
	const char *doc; /* name of its transcript */
	struct gv_helper *h;
	const struct gv_live_library *library; /* NULL: files */
	int err;
	double took;
};

#define HELPERS_MAX 16

struct part {
	const char *name;
	gv_str text;
};

struct live {
	struct gv_run *run;
	const struct gv_live_opts *o;
	struct gv_root *root;
	struct gv_buf account;
	struct gv_account *look;
	GV_VEC(struct part) parts; /* documents to be */
	struct gv_buf *series;	   /* one for each of gv_live_sampled */
	struct helper helper[HELPERS_MAX];
	size_t nhelpers;
	struct gv_live_sys sys;
	double began, until;
	unsigned samples;
};

static gv_str first_line(gv_str s)
{
	return gv_trim(gv_before(s, "\n"));
}

/* The first line of a file; empty where it cannot be read. */
static gv_str word_of(struct live *l, const char *path)
{
	gv_str s = GV_NONE;

	gv_root_read(l->root, path, FILE_MAX, l->run->arena, &s);
	return first_line(s);
}

static bool there(struct live *l, const char *path)
{
	gv_str s;
	int r = gv_root_read(l->root, path, FILE_MAX, l->run->arena, &s);

	return !r || r == -EISDIR || r == -ENOTSUP || r == -EACCES;
}

/* ---- The account ---- */

/* Own namespaces hide what is outside of them. True where there are some. In a recorded tree the links were read by who
 * recorded it.
 *
 * Source: the *_NS_INIT_INO of include/uapi/linux/nsfs.h; before 6.18 include/linux/proc_ns.h. */
static bool namespaces(struct live *l, bool *ret_cgroup)
{
	static const struct {
		const char *name, *first;
		bool told;
	} ns[] = {
		{ "pid", "pid:[4026531836]", true },	    { "user", "user:[4026531837]", true },
		{ "uts", "uts:[4026531838]", false },	    { "ipc", "ipc:[4026531839]", false },
		{ "cgroup", "cgroup:[4026531835]", false },
	};
	bool own = false;
	gv_str link;

	*ret_cgroup = false;
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		if (gv_root_link(l->root, gv_fmt(l->run->arena, "/proc/self/ns/%s", ns[i].name).p, l->run->arena,
				 &link) ||
		    gv_is(link, ns[i].first))
			continue;
		own |= !gv_is(gv_str_of(ns[i].name), "user"); /* that alone confines nothing */
		*ret_cgroup |= gv_is(gv_str_of(ns[i].name), "cgroup");
		if (ns[i].told)
			gv_printf(&l->account, "own namespace: %s\n", ns[i].name);
	}
	return own;
}

/* A mark alone proves nothing: images of machines that were made from a container keep its files. One that shares the
 * host's processes, as monitors in Kubernetes do, has no mark, but cgroups of its own. */
static void container(struct live *l)
{
	const char *env = gv_root_recorded(l->root) ? NULL : getenv("container");
	bool cgroup;

	if (!namespaces(l, &cgroup))
		return;
	if (there(l, "/.dockerenv"))
		gv_puts(&l->account, "container: docker\n");
	else if (there(l, "/run/.containerenv"))
		gv_puts(&l->account, "container: podman\n");
	else if (env && *env)
		gv_printf(&l->account, "container: %.40s\n", env);
	else if (cgroup)
		gv_puts(&l->account, "container: of a kind that leaves no mark\n");
}

static void moment(struct live *l)
{
	double wall = gv_clock_wall();
	time_t t = (time_t)wall;
	struct tm tm;
	gv_str up = word_of(l, "/proc/uptime");
	double boot = l->began;

	if (gv_root_recorded(l->root)) { /* the tree tells since when its machine runs, but not when it was recorded */
		if (gv_lead_num(up, &boot, &up))
			gv_printf(&l->account, "at: boot+%.3f\n", boot);
		return;
	}
	gmtime_r(&t, &tm);
	gv_printf(&l->account, "at: %04d-%02d-%02dT%02d:%02d:%02dZ boot+%.3f awake+%.3f\n", tm.tm_year + 1900, tm.tm_mon + 1,
		  tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, boot, gv_clock_awake());
}

static void begin_account(struct live *l)
{
	gv_str host = word_of(l, "/proc/sys/kernel/hostname");
	gv_str machine = gv_root_recorded(l->root) ? GV_NONE : gv_host_machine(l->run->arena);

	gv_puts(&l->account, GV_ACCOUNT_HEAD "1\n");
	if (host.n)
		gv_printf(&l->account, "hostname: %.*s\n", GV_ARG(host));
	if (machine.n)
		gv_printf(&l->account, "machine: %.*s\n", GV_ARG(machine));
	moment(l);
	if (gv_root_recorded(l->root))
		gv_puts(&l->account, "recorded tree: libraries and mounts were not asked\n");
	else
		gv_printf(&l->account, "user: %u\n", (unsigned)geteuid());
	container(l);
}

/* What could not be read, except for what this kernel or machine simply does not have. */
static void refused(struct live *l, const char *path, int err)
{
	if (err == -ENOENT || err == -ENOTDIR || err == -EOPNOTSUPP)
		return;
	gv_printf(&l->account, "refused: %s: %s\n", path, err == -EFBIG ? "larger than expected" : strerror(-err));
}

/* ---- Documents ---- */

/* Kept until the account, which goes first, is whole. */
static void add(struct live *l, const char *name, gv_str text)
{
	if (text.n)
		*gv_push(l->run->arena, &l->parts) = (struct part){ name, text };
}

static void hand_over(struct live *l, const char *name, gv_str text)
{
	size_t before = l->run->docs.n;

	gv_source_bytes(l->run, gv_str_of(name), text);
	for (size_t i = before; i < l->run->docs.n; i++)
		gv_bundle_mark_live(l->look, l->run->docs.v[i]);
}

static void read_once(struct live *l)
{
	for (size_t i = 0; gv_live_once[i]; i++) {
		const char *path = gv_live_once[i];
		gv_str text;
		int r = gv_root_read(l->root, path, FILE_MAX, l->run->arena, &text);

		if (r)
			refused(l, path, r);
		else
			add(l, path, gv_fmt(l->run->arena, "$ cat %s\n%.*s", path, GV_ARG(text)));
	}
}

/* "6,SEQUENCE,MICROSECONDS,-;text": the buffer is a ring, and its first record says how much of it is gone. */
static void tell_overwritten(struct live *l, gv_str text)
{
	gv_str priority, sequence, stamp;
	uint64_t n, us;

	if (gv_next(&text, ',', &priority) && gv_next(&text, ',', &sequence) && gv_next(&text, ',', &stamp) &&
	    gv_to_u64(sequence, &n) && gv_to_u64(stamp, &us) && n)
		gv_printf(&l->account, "left out: /dev/kmsg: the kernel no longer has its first %llu lines, up to boot+%.0f s\n",
			  (unsigned long long)n, (double)us / 1e6);
}

static void read_kmsg(struct live *l)
{
	gv_str text;
	int r = gv_root_kmsg(l->root, KMSG_MAX, l->run->arena, &text);

	if (r)
		refused(l, "/dev/kmsg", r);
	if (r)
		return;
	tell_overwritten(l, text);
	add(l, "/dev/kmsg", text);
}

/* Lines that are long and say nothing here: counts of each interrupt. */
static void put_without_interrupts(struct gv_buf *b, gv_str text)
{
	gv_str line;

	while (gv_next(&text, '\n', &line)) {
		if (gv_starts(line, "intr ") || gv_starts(line, "softirq "))
			continue;
		gv_put(b, line);
		gv_putc(b, '\n');
	}
}

static void sample(struct live *l)
{
	struct gv_arena *a = gv_arena_new();

	for (size_t i = 0; gv_live_sampled[i]; i++) {
		struct gv_buf *b = &l->series[i];
		double now = gv_clock_boot();
		gv_str text;
		int r;

		if (l->samples && !b->n)
			continue; /* it was not there the first time */
		if (b->n > l->run->limits.document / 2)
			continue;
		r = gv_root_read(l->root, gv_live_sampled[i], FILE_MAX, a, &text);
		if (r) {
			if (!l->samples)
				refused(l, gv_live_sampled[i], r);
			continue;
		}
		gv_printf(b, "@%.3f %s\n", now, gv_live_sampled[i]);
		put_without_interrupts(b, text);
	}
	l->samples++;
	gv_arena_free(a);
}

/* ---- Helpers ---- */

static void start_helper(struct live *l, const char *doc, void (*work)(struct gv_teller *, void *), void *ctx, double setup)
{
	struct gv_helper_job job = {
		.work = work, .ctx = ctx, .timeout = l->o->timeout, .setup = setup, .until = l->until, .every = l->o->every, .keep = gv_root_fd(l->root)
	};
	struct helper *h = &l->helper[l->nhelpers];

	if (l->nhelpers == HELPERS_MAX)
		return;
	h->doc = doc;
	h->err = gv_helper_start(&job, &h->h);
	l->nhelpers++;
}

static void ask_library(struct gv_teller *t, void *ctx)
{
	const struct gv_live_library *lib = ctx;

	lib->look(t);
}

struct devices {
	unsigned n, asleep;
};

/* GPUs of a vendor on the bus, and how many of them sleep. These three attributes are the kernel's own memory. */
static struct devices devices_of(struct live *l, unsigned vendor)
{
	struct devices d = { 0 };
	gv_str *names = NULL;
	size_t n = 0;

	if (gv_root_list(l->root, "/sys/bus/pci/devices", l->run->arena, &names, &n))
		return d;
	for (size_t i = 0; i < n; i++) {
		gv_str class = word_of(l, gv_fmt(l->run->arena, "/sys/bus/pci/devices/%.*s/class", GV_ARG(names[i])).p);
		uint64_t id = 0;

		if (!gv_starts(class, "0x03") && !gv_starts(class, "0x12"))
			continue;
		gv_to_u64(word_of(l, gv_fmt(l->run->arena, "/sys/bus/pci/devices/%.*s/vendor", GV_ARG(names[i])).p),
			  &id);
		if (id != vendor)
			continue;
		d.n++;
		d.asleep += gv_starts(
		    word_of(
			l, gv_fmt(l->run->arena, "/sys/bus/pci/devices/%.*s/power/runtime_status", GV_ARG(names[i])).p),
		    "suspend");
	}
	return d;
}

/* Nobody holds the driver's device files open: its use count is that of the modules on top of it. */
static bool would_load(struct live *l, const char *module)
{
	gv_str *names = NULL;
	double count;
	size_t n = 0;
	gv_str rest, s = word_of(l, gv_fmt(l->run->arena, "/sys/module/%s/refcnt", module).p);

	if (!gv_lead_num(s, &count, &rest))
		return false;
	gv_root_list(l->root, gv_fmt(l->run->arena, "/sys/module/%s/holders", module).p, l->run->arena, &names, &n);
	return count <= (double)n;
}

static void start_library(struct live *l, const struct gv_live_library *lib)
{
	struct devices d = devices_of(l, lib->pci_vendor);
	bool loads = would_load(l, lib->module);

	if (d.n && d.n == d.asleep && !l->o->wake) {
		gv_printf(&l->account, "not asked: %s: all its GPUs sleep, and --wake was not given\n", lib->name);
		return;
	}
	if (loads && l->o->no_load) {
		gv_printf(&l->account, "not asked: %s: the driver keeps no state loaded, and --no-load was given\n",
			  lib->name);
		return;
	}
	if (loads)
		gv_printf(&l->account, "loads: %s: the driver kept no state loaded, so this look loaded it\n",
			  lib->name);
	start_helper(l, lib->name, ask_library, (void *)(uintptr_t)lib, loads ? LOADING * l->o->timeout : 0);
	l->helper[l->nhelpers - 1].library = lib;
}

static void start_helpers(struct live *l)
{
	l->sys = (struct gv_live_sys){ l->root, l->o->wake };
	start_helper(l, "/sys", gv_live_sys, &l->sys, 0);
	start_helper(l, "/proc/driver/nvidia", gv_live_driver, l->root, 0);
	if (gv_root_recorded(l->root))
		return;
	start_helper(l, "statvfs", gv_live_mounts, l->root, 0);
	for (size_t i = 0; i < l->o->nlibraries; i++)
		start_library(l, &l->o->libraries[i]);
}

/* True while some helper runs. */
static bool poll_helpers(struct live *l, double wait)
{
	bool runs = false;

	for (size_t i = 0; i < l->nhelpers; i++) {
		struct helper *h = &l->helper[i];

		if (h->err || gv_helper_poll(h->h, runs ? 0 : wait) != GV_HELPER_RUNS)
			continue;
		runs = true;
		h->took = gv_clock_boot() - l->began;
	}
	return runs;
}

/* The words of a transcript in which a call hung or ended its process. */
static void tell_broken(struct live *l, const struct helper *h)
{
	gv_str text = gv_helper_text(h->h), line;

	while (gv_next(&text, '\n', &line)) {
		bool hung = gv_has(line, ": no answer within "), died = gv_has(line, ": ended the process (");

		if (hung || died)
			gv_printf(&l->account, "%s: %s: %.*s\n", hung ? "hung" : "died", h->doc, GV_ARG(line));
	}
	if (gv_helper_stuck(h->h))
		gv_printf(&l->account, "stuck: %s: a helper process waits in the kernel and cannot be ended\n", h->doc);
}

static void tell_helpers(struct live *l)
{
	for (size_t i = 0; i < l->nhelpers; i++) {
		struct helper *h = &l->helper[i];

		if (h->err) {
			gv_printf(&l->account, "refused: %s: no helper process: %s\n", h->doc, strerror(-h->err));
			continue;
		}
		if (h->took > l->until - l->began + 1)
			gv_printf(&l->account, "slow: %s: it took %.1f s\n", h->doc, h->took);
		tell_broken(l, h);
		if (h->library && h->library->untried && gv_has(gv_helper_text(h->h), ") = 0"))
			gv_printf(&l->account, "untried: %s: %s\n", h->doc, h->library->untried);
	}
}

static void watch(struct live *l)
{
	double next = l->began;
	double end = l->until + 2 * LOADING * l->o->timeout + GRACE;

	for (;;) {
		double now = gv_clock_boot();

		if (now >= next) {
			sample(l);
			next += l->o->every;
			if (next < now) /* the machine is busy: samples are left out, not made up for */
				next = now + l->o->every;
		}
		if (next > l->until || gv_root_recorded(l->root))
			break;
		poll_helpers(l, 0);
		gv_clock_sleep(next - gv_clock_boot());
	}
	while (poll_helpers(l, 0.02) && gv_clock_boot() < end)
		;
}

static void finish(struct live *l)
{
	for (size_t i = 0; gv_live_sampled[i]; i++)
		add(l, gv_live_sampled[i], gv_buf_str(&l->series[i]));
	for (size_t i = 0; i < l->nhelpers; i++)
		if (!l->helper[i].err)
			add(l, l->helper[i].doc, gv_helper_text(l->helper[i].h));
	tell_helpers(l);
	gv_printf(&l->account, "samples: %u in %.1f s\n", l->samples, l->o->span);
	hand_over(l, "gpuvet", gv_buf_str(&l->account));
	for (size_t i = 0; i < l->parts.n; i++)
		hand_over(l, l->parts.v[i].name, l->parts.v[i].text);
}

static void free_live(struct live *l, size_t nseries)
{
	for (size_t i = 0; i < l->nhelpers; i++)
		gv_helper_free(l->helper[i].h);
	for (size_t i = 0; i < nseries; i++)
		gv_buf_free(&l->series[i]);
	gv_buf_free(&l->account);
	gv_root_close(l->root);
}

int gv_source_live(struct gv_run *run, const struct gv_live_opts *opts)
{
	struct gv_live_opts o = *opts;
	struct live l = { .run = run, .o = &o };
	size_t nseries = 0;
	int r = gv_root_open(o.root, run->arena, &l.root);

	if (r)
		return r;
	if (o.span / o.every > SAMPLES_MAX)
		o.every = o.span / SAMPLES_MAX;
	while (gv_live_sampled[nseries])
		nseries++;
	l.look = GV_NEW(run->arena, struct gv_account);
	l.series = GV_NEWN(run->arena, struct gv_buf, nseries);
	l.began = gv_clock_boot();
	l.until = l.began + o.span;
	begin_account(&l);
	start_helpers(&l);
	read_once(&l);
	watch(&l);
	read_kmsg(&l); /* last, so that what the look itself provoked is in it */
	finish(&l);
	free_live(&l, nseries);
	run->how = GV_HOW_LIVE;
	return 0;
}
