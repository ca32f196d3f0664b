/* SPDX-License-Identifier: Apache-2.0 */
/* What a site says of its machines, in a file of its own (gpuvet-site(5)) and in options: limits of its own, findings that
 * it accepts, Xids that it ignores, how many GPUs a machine has, what rate its jobs need. */
#pragma once

#include "base/buf.h"
#include "core/finding.h"

struct gv_run;
struct gv_yaml;

enum gv_threshold {
#define THRESHOLD(ID, name, value, unit, meaning, source) GV_T_##ID,
#include "core/threshold.def"
#undef THRESHOLD
	GV_THRESHOLDS
};

struct gv_threshold_info {
	const char *name;
	double value; /* without a site's own */
	const char *unit, *meaning, *source;
};

extern const struct gv_threshold_info gv_threshold_info[GV_THRESHOLDS];

#define GV_ACCEPTS_MAX 1000
#define GV_XIDS_MAX 1000

/* Findings of a kind that are known and let be. */
struct gv_accept {
	enum gv_kind kind;
	gv_str on, bus; /* empty: on whatever; bus: `on` as a PCI address, where it is one */
	gv_str node;	/* empty: on whatever machine */
	gv_str reason;
	gv_str until; /* "2026-05-01", or "never" */
	bool expired;
	uint32_t line;	 /* of the file */
	size_t findings; /* that it met */
};

struct gv_site_gpus {
	gv_str host; /* a pattern; empty: every machine */
	double n;
};

struct gv_site {
	gv_str file; /* as named; empty where there are only options */
	bool changed[GV_THRESHOLDS];
	double value[GV_THRESHOLDS];
	GV_VEC(struct gv_accept) accept;
	GV_VEC(int) xid; /* ignored */
	GV_VEC(struct gv_site_gpus) gpus;
	double need; /* B/s; 0: none is stated */
};

/* Reads the file's text. 0; -EINVAL with "name:line: what is wrong" in err, -ENOTSUP where the build reads no YAML.
 * today: days since 1970, for what has expired. */
int gv_site_read(struct gv_arena *a, gv_str name, gv_str bytes, int64_t today, struct gv_site *ret, struct gv_buf *err);
/* "2.4GB/s"; false where it is no rate, or 0. */
bool gv_site_need(gv_str text, double *ret);

/* The limit in force: the site's own, else the built-in one, in the unit of the table. */
double gv_threshold(const struct gv_run *run, enum gv_threshold t);
/* The same of a limit in percent, as a part of one. */
double gv_threshold_part(const struct gv_run *run, enum gv_threshold t);

/* The first entry that accepts a finding of this kind on this entity; an expired one only where no other does. NULL. */
struct gv_accept *gv_site_accepts(struct gv_site *s, enum gv_kind kind, const struct gv_entity *on);
bool gv_site_ignores(const struct gv_site *s, const struct gv_event *ev);
/* GPUs that this machine is to have; negative where nothing is said of it. */
double gv_site_gpus_of(const struct gv_site *s, const struct gv_entity *node);

/* '*' is any text, '?' one byte; letters of both cases are alike. */
bool gv_glob(gv_str pattern, gv_str s);
