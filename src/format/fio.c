/* SPDX-License-Identifier: Apache-2.0 */
/* fio's text output: of a job its line "name: (g=0): rw=...", a section "name: (groupid=0, ...)" with a part a
 * direction, and the disk statistics at the end. Also the lone "read: IOPS=..., BW=..." that people keep. Sections of
 * one name (numjobs without group_reporting) are added up. */
#include "base/units.h"
#include "format/common.h"

#define JOBS 32
#define PARTS 48

struct job {
	gv_str name, rw, bs;
	double bytes; /* block size; 0 = not known */
	const struct gv_line *at;
};

struct part {
	gv_str job;
	const char *dir; /* read, write, trim */
	const struct gv_line *at, *lat_at, *p99_at;
	double bw, iops, lat, lat_n, p99;
	bool has_bw, has_iops, failed;
};

static const char *const parts[] = { "read", "write", "trim" };

/* The direction of a line that begins a part: "  read: IOPS=" and, before fio 3, "  read : io=". */
static const char *part_of(gv_str line)
{
	line = gv_trim(line);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		gv_str rest;

		if (!gv_starts(line, parts[i]))
			continue;
		rest = gv_trim(gv_after(line, parts[i]));
		if (gv_starts(rest, ":") && (gv_has(rest, "IOPS=") || gv_has(rest, "iops=")) &&
		    (gv_has(rest, "BW=") || gv_has(rest, "bw=")))
			return parts[i];
	}
	return NULL;
}

static bool is_job_line(gv_str line)
{
	return gv_has(line, ": (g=") && gv_has(line, "rw=");
}

static bool is_section(gv_str line)
{
	return gv_has(line, ": (groupid=") && gv_has(line, "err=");
}

/* Lines at the left margin that belong to a run. */
static bool is_margin(gv_str line)
{
	return is_job_line(line) || is_section(line) || part_of(line) || gv_is(line, "...") ||
	       gv_starts(line, "fio-") || gv_starts(line, "Starting ") || gv_starts(line, "Jobs: ") ||
	       gv_has(line, ": Laying out IO file") || gv_starts(line, "Run status group") ||
	       gv_starts(line, "Disk stats") || gv_starts(line, "note: both iodepth");
}

static bool is_tail(gv_str line)
{
	return gv_starts(line, "Run status group") || gv_starts(line, "Disk stats");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0;
	bool tail = false;
	gv_str top = gv_trim(l[0].text);

	(void)seg;
	if (!is_job_line(top) && !is_section(top) && !part_of(top))
		return 0;
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (!t.n)
			continue;
		if (tail && (is_job_line(t) || is_section(t)))
			break; /* the next run */
		if (i && !is_margin(t) && !gv_indent(l[i].text))
			break;
		tail = tail || is_tail(t);
		end = i + 1;
	}
	return end;
}

struct reading {
	struct gv_read *r;
	struct job job[JOBS];
	struct part part[PARTS];
	size_t njobs, nparts;
	gv_str section, device;
	const struct gv_line *device_at;
	bool failed;		   /* the section at hand */
	gv_str name, rw, bs, path; /* of the command line */
	bool has_direct, direct;
};

/* The value of --name=value or "--name value". */
static void read_command(struct reading *x, gv_str cmd)
{
	gv_str w, v;

	while (gv_word(&cmd, &w)) {
		ptrdiff_t eq = gv_find_c(w, '=');
		gv_str key = eq < 0 ? w : gv_sub(w, 0, (size_t)eq);

		if (!gv_starts(w, "--"))
			continue;
		v = eq < 0 ? GV_NONE : gv_from(w, (size_t)eq + 1);
		if (v.n > 1 && (v.p[0] == '"' || v.p[0] == '\''))
			v = gv_sub(v, 1, v.n - 2);
		if (gv_is(key, "--name"))
			x->name = v;
		else if (gv_is(key, "--rw") || gv_is(key, "--readwrite"))
			x->rw = v;
		else if (gv_is(key, "--bs") || gv_is(key, "--blocksize"))
			x->bs = v;
		else if (gv_is(key, "--filename") || (gv_is(key, "--directory") && !x->path.n))
			x->path = v;
		else if (gv_is(key, "--direct")) {
			x->has_direct = true;
			x->direct = !v.n || gv_is(v, "1") || gv_is(v, "true");
		}
	}
}

/* "1024KiB-1024KiB", "4K-4K/4K-4K", "(R) 4096B-4096B": the first size, where both ends are the same. */
static double block_of(gv_str s)
{
	gv_str a, b;
	double x, y;

	s = gv_trim(s);
	if (gv_starts(s, "(R)"))
		s = gv_trim(gv_from(s, 3));
	a = gv_before(gv_before(s, ","), "/");
	b = gv_after(a, "-");
	a = gv_before(a, "-");
	if (!gv_bytes_1024(a, &x) || (b.n && (!gv_bytes_1024(b, &y) || x != y)))
		return 0;
	return x;
}

static void read_job(struct reading *x, gv_str t, const struct gv_line *l)
{
	struct job *j;
	gv_str bs;

	if (x->njobs == JOBS)
		return;
	j = &x->job[x->njobs++];
	*j = (struct job){ .name = gv_before(t, ": (g="), .rw = gv_trim(gv_between(t, "rw=", ",")), .at = l };
	bs = gv_after(t, ", bs=");
	j->bytes = bs.n ? block_of(gv_before(bs, ", ioengine")) : 0;
}

static struct part *part_for(struct reading *x, const char *dir, const struct gv_line *l)
{
	for (size_t i = 0; i < x->nparts && x->section.n; i++)
		if (x->part[i].dir == dir && gv_eq(x->part[i].job, x->section))
			return &x->part[i];
	if (x->nparts == PARTS)
		return NULL;
	x->part[x->nparts] = (struct part){ .job = x->section, .dir = dir, .at = l };
	return &x->part[x->nparts++];
}

/* "16.2k" */
static bool iops_of(gv_str s, double *ret)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(s, &v, &rest))
		return false;
	*ret = v * (gv_starts(rest, "k") ? 1e3 : gv_starts(rest, "M") ? 1e6 : 1);
	return true;
}

/* "BW=63.1MiB/s (66.2MB/s)"; before fio 3 "bw=53966KB/s", where KB counts 1024. */
static bool bw_of(gv_str line, double *ret)
{
	gv_str s = gv_after(line, "BW="), rest;

	if (s.n)
		return gv_lead_rate(s, ret, &rest);
	s = gv_before(gv_after(line, "bw="), "/s");
	return gv_bytes_1024(s, ret);
}

static struct part *read_part(struct reading *x, gv_str t, const char *dir, const struct gv_line *l)
{
	struct part *p = part_for(x, dir, l);
	gv_str iops = gv_after(t, "IOPS=");
	double v;

	if (!p)
		return NULL;
	p->failed = p->failed || x->failed;
	if (bw_of(t, &v)) {
		p->bw += v;
		p->has_bw = true;
	}
	if (iops_of(iops.n ? iops : gv_after(t, "iops="), &v)) {
		p->iops += v;
		p->has_iops = true;
	}
	return p;
}

/* Factor to microseconds of "clat (usec): ..." and "clat percentiles (msec):"; 0 where it names no unit. */
static double to_us(gv_str t)
{
	gv_str u = gv_between(t, "(", ")");

	return gv_is(u, "nsec") ? 1e-3 : gv_is(u, "usec") ? 1 : gv_is(u, "msec") ? 1e3 : gv_is(u, "sec") ? 1e6 : 0;
}

/* The completion latency, or where that is missing the whole one. */
static void read_latency(struct part *p, gv_str t, const struct gv_line *l)
{
	gv_str avg = gv_after(t, "avg=");
	bool clat = gv_starts(t, "clat (");
	double v, us = to_us(t);

	if (us == 0 || !avg.n || !gv_lead_num(gv_trim(avg), &v, NULL))
		return;
	if (!clat && p->lat_at && gv_starts(gv_trim(p->lat_at->text), "clat ("))
		return;
	p->lat += v * us;
	p->lat_n++;
	p->lat_at = l;
}

static void read_p99(struct part *p, gv_str t, double us, const struct gv_line *l)
{
	gv_str s = gv_between(t, " 99.00th=[", "]");
	double v;

	if (us == 0 || !gv_to_num(gv_trim(s), &v) || v * us <= p->p99)
		return;
	p->p99 = v * us;
	p->p99_at = l;
}

static void read_lines(struct reading *x, const struct gv_line *l, size_t n)
{
	struct part *p = NULL;
	double us = 0, err;
	bool disks = false;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		const char *dir = part_of(t);

		if (is_job_line(t)) {
			read_job(x, t, &l[i]);
		} else if (is_section(t)) {
			x->section = gv_before(t, ": (groupid=");
			x->failed = gv_lead_num(gv_after(t, "err="), &err, NULL) && err != 0;
			p = NULL;
		} else if (dir) {
			p = read_part(x, t, dir, &l[i]);
			us = 0;
		} else if (is_tail(t)) {
			disks = gv_starts(t, "Disk stats");
			p = NULL;
		} else if (disks && !x->device.n && gv_has(t, ": ios=")) {
			x->device = gv_before(t, ": ios=");
			x->device_at = &l[i];
		} else if (p && (gv_starts(t, "clat (") || gv_starts(t, "lat ("))) {
			read_latency(p, t, &l[i]);
		} else if (p && gv_has(t, "percentiles (")) {
			us = gv_starts(t, "slat") ? 0 : to_us(t);
		} else if (p && gv_starts(t, "|")) {
			read_p99(p, t, us, &l[i]);
		}
	}
}

static const struct job *job_of(const struct reading *x, gv_str name)
{
	for (size_t i = 0; i < x->njobs; i++)
		if (gv_eq(x->job[i].name, name))
			return &x->job[i];
	return NULL;
}

/* What one part of the job did: of a mixed job (rw, randrw) each part is named by its own direction. */
static gv_str mode_of(const struct reading *x, gv_str rw, const char *dir)
{
	bool rand = gv_starts(rw, "rand");

	if (gv_find_c(rw, ':') > 0)
		rw = gv_before(rw, ":"); /* "randread:8", "read:4k" */
	if (!gv_ends(rw, "rw") && !gv_ends(rw, "readwrite"))
		return rw;
	return gv_fmt(x->r->arena, "%s%s", rand ? "rand" : "", dir);
}

static void put_numbers(struct gv_read *r, struct gv_entity *e, const struct part *p)
{
	if (p->failed) {
		gv_put_none(r, e, GV_F_TEST_BW, GV_UNKNOWN, "the job ended with an error", p->at);
		return;
	}
	if (p->has_bw)
		gv_put_num(r, e, GV_F_TEST_BW, p->bw, p->at);
	if (p->has_iops)
		gv_put_num(r, e, GV_F_TEST_IOPS, p->iops, p->at);
	if (p->lat_at)
		gv_put_num(r, e, GV_F_TEST_LATENCY, p->lat / p->lat_n, p->lat_at);
	if (p->p99_at)
		gv_put_num(r, e, GV_F_TEST_LATENCY_P99, p->p99, p->p99_at);
}

static void put_part(struct reading *x, const struct part *p)
{
	const struct job *j = job_of(x, p->job);
	struct gv_read *r = x->r;
	gv_str rw = j ? j->rw : x->rw;
	gv_str name = p->job.n ? p->job : x->name.n ? x->name : GV_STR("fio");
	double bytes = j ? j->bytes : block_of(x->bs);
	struct gv_entity *e;
	bool mixed = false;

	for (size_t i = 0; i < x->nparts; i++)
		mixed = mixed || (x->part[i].dir != p->dir && gv_eq(x->part[i].job, p->job));
	e = gv_see(r, GV_TEST, mixed ? gv_fmt(r->arena, "%.*s (%s)", GV_ARG(name), p->dir) : name);
	gv_put_str(r, e, GV_F_TEST_TOOL, GV_STR("fio"), p->at);
	if (rw.n)
		gv_put_str(r, e, GV_F_TEST_MODE, mode_of(x, rw, p->dir), j ? j->at : p->at);
	else
		gv_put_none(r, e, GV_F_TEST_MODE, GV_UNKNOWN, "the line with rw= is missing", p->at);
	if (bytes > 0)
		gv_put_num(r, e, GV_F_TEST_BS, bytes, j ? j->at : p->at);
	if (x->device.n)
		gv_put_str(r, e, GV_F_TEST_DEVICE, x->device, x->device_at);
	if (x->path.n)
		gv_put_str(r, e, GV_F_TEST_PATH, x->path, p->at);
	if (x->has_direct)
		gv_put_flag(r, e, GV_F_TEST_DIRECT, x->direct, p->at);
	put_numbers(r, e, p);
}

static void read_fio(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct reading x = { .r = r };

	read_command(&x, r->block->seg->cmd);
	read_lines(&x, l, n);
	for (size_t i = 0; i < x.nparts; i++)
		put_part(&x, &x.part[i]);
}

const struct gv_format gv_format_fio = {
	.name = "fio",
	.heads = { ": (g=", ": (groupid=", "IOPS=", "iops=" },
	.claim = claim,
	.read = read_fio,
};
