/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds for which a line of the kernel's or the job's log is the diagnosis. */
#include "check/common_load.h"

static bool plain(struct gv_judge *j, const struct gv_entity *node)
{
	static const enum gv_kind kinds[] = { GV_K_FD_LIMIT, GV_K_DISK_FULL, GV_K_OBJECT_STORE_THROTTLED };
	bool any = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, kinds[i], node, ev));) {
			struct gv_finding *f = gv_found_event(j, kinds[i], ev);

			gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
			if (kinds[i] != GV_K_OBJECT_STORE_THROTTLED) {
				any = true;
				continue;
			}
			/* clients retry; a few refusals are part of the protocol */
			if (ev->count < 3)
				f->severity = GV_NOTE;
			any = true;
		}
	return any;
}

/* A device that the events name, else the node. */
static const struct gv_entity *disk_of(const struct gv_run *run, const struct gv_event *ev)
{
	gv_str name = ev->subject;
	const struct gv_entity *d = name.n ? gv_by_id(run, GV_DISK, ev->node, name) : NULL;

	return d ? d : ev->node;
}

static bool disk_errors(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false, named = false;
	uint64_t lines = 0;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_DISK_ERROR, node, ev));) {
		const struct gv_entity *on = disk_of(j->run, ev);
		struct gv_finding *f = gv_found(j, GV_K_DISK_ERROR, on);

		if (!f->event || ev->t_last.t > f->event->t_last.t)
			f->event = ev;
		gv_quote(f, ev->first);
		if (ev->count > 1)
			gv_quote(f, ev->last);
		lines += ev->count;
		if (!named && ev->subject.n && !gv_is(ev->sig->id, "journal-aborted")) {
			gv_set_str(j, f, "disk", ev->subject);
			named = true;
		}
		gv_set(j, f, "count", "%llu", (unsigned long long)lines);
		any = true;
	}
	return any;
}

/* Commands to a disk that failed or timed out on its link. The link is reset and the command repeated: once is no loss. */
static bool link_errors(struct gv_judge *j, const struct gv_entity *node)
{
	enum { AGAIN = 3 };
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "ata-failed", node, ev));) {
		struct gv_finding *f;

		if (ev->count < AGAIN)
			continue;
		f = gv_found_event(j, GV_K_DISK_ERROR, ev);
		if (f->values.n) /* something above the link was lost: that says more */
			continue;
		f->severity = GV_WARN;
		gv_set_str(j, f, "disk", ev->subject);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any;
}

/* The server answered again after its last failure: what was is no longer. */
static bool answered(const struct gv_run *run, const struct gv_event *stall)
{
	static const char *const ends[] = { "nfs-ok", "lustre-restored" };

	for (size_t i = 0; i < 2; i++)
		for (struct gv_event *ev = NULL; (ev = gv_each_event(run, ends[i], stall->node, ev));)
			if (ev->doc == stall->doc && ev->last.line > stall->last.line &&
			    (gv_eq(ev->cap[1], stall->last_cap[1]) || gv_eq(ev->last_cap[1], stall->last_cap[1])))
				return true;
	return false;
}

static bool stalls(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_FS_STALL, node, ev));) {
		bool over = answered(j->run, ev);
		struct gv_finding *f = gv_found_event(j, GV_K_FS_STALL, ev);

		gv_set_str(j, f, "server", ev->cap[1]);
		if (over && f->event == ev) {
			f->when = GV_HISTORY;
			f->fixed_when = true;
			gv_set(j, f, "over", "the server answered again");
		} else if (!over) {
			f->fixed_when = false;
		}
		any = true;
	}
	return any;
}

/* Kernels that are built for debugging remark on waits of milliseconds: fewer ticks than a second has at any rate that kernels
 * are built with. */
static bool blink(const struct gv_event *ev)
{
	enum { TICKS = 1000 };
	double n;

	return gv_is(ev->sig->id, "rcu-stall") && gv_to_num(ev->last_cap[1], &n) && n < TICKS;
}

static bool lockups(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_HOST_LOCKUP, node, ev));) {
		struct gv_finding *f;

		if (blink(ev))
			continue;
		f = gv_found_event(j, GV_K_HOST_LOCKUP, ev);
		if (gv_is(ev->sig->id, "hung-task"))
			gv_set_str(j, f, "task", ev->cap[1]);
		else if (gv_is(ev->sig->id, "soft-lockup"))
			gv_set_str(j, f, "task", ev->cap[3]);
		gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
		any = true;
	}
	return any;
}

/* Corrected errors: a few a day are normal on large memories; so many in all, or some lines within an hour, are not. */
enum { MANY_CE = 10, SOME_CE = 3, HOUR = 3600 };

/* EDAC's own lines, rasdaemon's records of them, and the table of edac-util. */
static bool by_edac(const struct gv_event *ev)
{
	return gv_is(ev->sig->id, "edac") || gv_is(ev->sig->id, "edac-util") || gv_is(ev->sig->id, "ras-mc");
}

/* A line of EDAC tells how many errors there were; of the lines between the first and the last at least one each. */
static double edac_errors(const struct gv_event *ev)
{
	double first = 1, last = 1;

	gv_to_num(ev->cap[2], &first);
	gv_to_num(ev->last_cap[2], &last);
	if (gv_is(ev->sig->id, "ras-mc")) /* the number of the record */
		return last;
	return ev->count < 2 ? first : first + last + (double)(ev->count - 2);
}

static bool often(const struct gv_event *ev)
{
	double span = ev->t_last.t - ev->t_first.t;

	if ((by_edac(ev) ? edac_errors(ev) : (double)ev->count) >= MANY_CE)
		return true;
	return ev->count >= SOME_CE && ev->t_first.clock != GV_CLOCK_NONE && ev->t_first.clock == ev->t_last.clock &&
	       span >= 0 && span <= HOUR;
}

/* The status of a machine check, as printed for its bank. */
static bool status_of(const struct gv_event *ev, uint64_t *ret)
{
	uint64_t status = 0;

	if (!gv_is(ev->sig->id, "mce") || ev->last_cap[4].n != 16)
		return false;
	for (size_t i = 0; i < 16; i++) {
		char c = ev->last_cap[4].p[i];

		status = status << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*ret = status;
	return true;
}

/* The hardware mended it: bit 61 is set where it could not (UC). */
static bool corrected_check(const struct gv_event *ev)
{
	uint64_t status;

	return status_of(ev, &status) && !(status >> 61 & 1);
}

/* The lowest 16 bits say what sort of error it was (Intel's and AMD's manuals, "MCA error codes"): 0000 0000 1MMM CCCC is a
 * memory controller's, 0000 0001 RRRR TTLL with the level "generic" what AMD's memory controllers report. All others are the
 * processor's own: caches, buses, timers. */
static bool not_memory(const struct gv_event *ev)
{
	uint64_t status, code;

	if (!status_of(ev, &status))
		return false;
	code = status & 0xefff; /* bit 12: filtering */
	return (code & 0xff80) != 0x0080 && !((code & 0xff00) == 0x0100 && (code & 3) == 3) && !(code & 0x0800);
}

/* The banks of an AMD CPU say in another line whether the error was corrected. */
static bool amd_corrected(const struct gv_run *run, const struct gv_event *dram)
{
	bool told = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(run, "mca-status", dram->node, ev));) {
		if (!gv_is(ev->cap[1], "CE") || !gv_is(ev->last_cap[1], "CE"))
			return false;
		told = true;
	}
	return told;
}

static bool ram(struct gv_judge *j, const struct gv_entity *node)
{
	bool memory = gv_each_event(j->run, "ghes-memory", node, NULL) != NULL, serious = false, named = false;
	struct gv_finding *f = NULL;

	for (struct gv_event *ev = NULL; (ev = gv_each_event_of(j->run, GV_K_HOST_RAM_ECC, node, ev));) {
		bool edac = by_edac(ev), ghes = gv_is(ev->sig->id, "ghes");
		bool dram = gv_is(ev->sig->id, "mca-dram"), page = gv_is(ev->sig->id, "mem-failure");
		bool corrected = (edac && !gv_has(ev->cap[0], "UE") && !gv_has(ev->cap[0], "Uncorrected")) ||
				 (ghes && gv_has(ev->cap[0], "corrected")) || (dram && amd_corrected(j->run, ev));

		/* the firmware reports PCIe and processors in the same way */
		if (ghes && !memory)
			continue;
		if (not_memory(ev) || (corrected_check(ev) && !often(ev)))
			continue;
		f = gv_found_event(j, GV_K_HOST_RAM_ECC, ev);
		if (edac || ghes || dram || page) {
			bool heavy = !corrected || often(ev);

			if (!named || (heavy && !serious)) {
				gv_set(j, f, "count", "%llu", (unsigned long long)ev->count);
				gv_set(j, f, "sort", corrected ? "corrected" : "uncorrected");
			}
			serious |= heavy;
			named = true;
		}
	}
	if (!f)
		return false;
	if (named && !serious)
		f->severity = GV_NOTE;
	if (!named)
		f->confidence = GV_MEDIUM; /* a machine check may be the CPU's own */
	return true;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = plain(j, node);

	any |= disk_errors(j, node);
	any |= link_errors(j, node);
	any |= stalls(j, node);
	any |= lockups(j, node);
	any |= ram(j, node);
	return any ? GV_FOUND : gv_has_kernel_log(j->run, node) ? GV_PASS : GV_NODATA;
}

const struct gv_check gv_check_host_log = {
	.id = "host-log",
	.stage = GV_STAGE_FED,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
	.next_run = "sudo dmesg -T --level=emerg,alert,crit,err,warn",
	.next_why = "the kernel's own log shows disk errors, kills for memory and stalls",
};
