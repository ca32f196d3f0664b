/* SPDX-License-Identifier: Apache-2.0 */
/* Xids: what the NVIDIA driver reports about a GPU, by the table of codes (data/xid.tsv).
 *
 * The first error on a GPU is the one to read. What follows from it - channels torn down, the recovery that the driver
 * asks for - joins the finding of that error as evidence, or becomes a finding that hangs under it. */
#include "check/common_xid.h"

#define CODES 512 /* codes beyond are not known to any driver */

struct report {
	const struct gv_event *ev;
	int code;
	size_t row;		/* of data/xid.tsv, SIZE_MAX where the code is not known */
	gv_str said, said_last; /* what follows the code in the first and in the last line */
};

struct state {
	struct gv_judge *j;
	const struct gv_table *table;
	size_t row_of[CODES]; /* of a code, SIZE_MAX where it is not known */
	bool found;
};

/* A program of its own faults wherever it runs; a GPU on which several do is suspected itself. */
#define PROGRAMS_MIN 2
#define FAULTS_MIN 3

static bool is_xid(const struct gv_event *ev)
{
	return ev->code >= 0 && gv_is(ev->sig->vendor, "nvidia") && ev->sig->kind != GV_K_NVSWITCH_ERROR;
}

static const struct gv_entity *whom(const struct gv_event *ev)
{
	return ev->gpu ? ev->gpu : ev->node;
}

static void learn_codes(struct state *s)
{
	for (size_t i = 0; i < CODES; i++)
		s->row_of[i] = SIZE_MAX;
	for (size_t r = 0; s->table && r < s->table->rows; r++) {
		double code;

		if (gv_cell_num(s->table, r, "code", &code) && code >= 0 && code < CODES)
			s->row_of[(size_t)code] = r;
	}
}

static struct report report_of(const struct state *s, const struct gv_event *ev)
{
	/* what follows code and process is the fifth capture of the driver's line, the second of what a person writes;
	 * else the whole */
	size_t rest = gv_is(ev->sig->id, "nv-xid") ? 5 : ev->sig->by_person ? 2 : 0;

	return (struct report){ .ev = ev,
				.code = ev->code,
				.row = ev->code < CODES ? s->row_of[ev->code] : SIZE_MAX,
				.said = ev->cap[rest],
				.said_last = ev->last_cap[rest] };
}

static gv_str cell(const struct state *s, const struct report *r, const char *col)
{
	return r->row == SIZE_MAX ? GV_NONE : gv_cell(s->table, r->row, col);
}

static enum gv_severity severity_of(const struct state *s, const struct report *r)
{
	return gv_xid_severity_of(cell(s, r, "severity"));
}

/* Rows are remapped from Ampere on; before, whole pages were retired, and the line says so. */
static bool of_pages(const struct report *r)
{
	size_t spec;
	gv_str arch;

	if (gv_has_nocase(r->said, "page"))
		return true;
	if (gv_has_nocase(r->said, "row") || !r->ev->gpu)
		return false;
	spec = gv_gpu_spec(gv_text(r->ev->gpu, GV_F_GPU_NAME));
	arch = spec == SIZE_MAX ? GV_NONE : gv_cell(gv_table("gpu-specs"), spec, "arch");
	return gv_is(arch, "Pascal") || gv_is(arch, "Volta") || gv_is(arch, "Turing");
}

/* Xids 144 to 150 print their severity as a word. */
static enum gv_severity of_link_words(const struct state *s, const struct report *r)
{
	if (gv_has_nocase(r->said, "nonfatal") || gv_has_nocase(r->said, "non-fatal"))
		return severity_of(s, r) == GV_FAIL ? GV_WARN : GV_NOTE;
	if (gv_has_nocase(r->said, "fatal"))
		return GV_FAIL;
	return severity_of(s, r);
}

/* Another report about the same GPU with this code; of a node without a known GPU, about the same machine. */
static const struct gv_event *also(const struct state *s, const struct gv_event *ev, int code)
{
	for (const struct gv_event *o = NULL; (o = gv_each_event_on(ev->node, o));)
		if (o->code == code && is_xid(o) && whom(o) == whom(ev))
			return o;
	return NULL;
}

static enum gv_severity ecc_severity(const struct state *s, const struct gv_event *ev)
{
	if (also(s, ev, 95) || also(s, ev, 140))
		return GV_FAIL;
	return also(s, ev, 94) ? GV_WARN : GV_FAIL;
}

static bool before(const struct gv_event *a, const struct gv_event *b)
{
	return a->doc != b->doc ? a->doc->index < b->doc->index : a->first.line < b->first.line;
}

/* Close enough to be of the same breakdown; lines without a clock are. */
static bool soon_after(const struct gv_event *ev, const struct gv_event *cause)
{
	enum { SOON = 300 }; /* seconds */

	return ev->t_first.clock == GV_CLOCK_NONE || ev->t_first.clock != cause->t_last.clock || ev->doc != cause->doc ||
	       ev->t_first.t - cause->t_last.t < SOON;
}

/* The report that this one follows from, on the same GPU: 45 and 43 are channels that an error tore down, 109 a context
 * switch that a faulting program never finished, 13 and 31 what a program meets on a GPU that broke down under it. */
static const struct gv_event *follows_from(const struct state *s, const struct report *r)
{
	bool fault = r->code == 43 || r->code == 13 || r->code == 31;

	if (r->code != 45 && !fault && r->code != 109)
		return NULL;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(r->ev->node, ev));) {
		struct report o;

		if (!is_xid(ev) || ev == r->ev || !before(ev, r->ev) || ev->code == 45 ||
		    ev->code == 154 || ev->boot_last != r->ev->boot_last)
			continue;
		if (whom(ev) != whom(r->ev) && r->code != 45)
			continue;
		o = report_of(s, ev);
		if (r->code == 45 || (r->code == 109 && (ev->code == 13 || ev->code == 31)) ||
		    (fault && severity_of(s, &o) == GV_FAIL && !gv_is(cell(s, &o, "class"), "app") &&
		     (r->code == 43 || soon_after(r->ev, ev))))
			return ev;
	}
	return NULL;
}

static void tell(struct state *s, struct gv_finding *f, const struct report *r)
{
	gv_str name = cell(s, r, "name");
	struct gv_xid_said said;

	gv_xid_said(r->code, r->said, &said);
	gv_set_str(s->j, f, "details", gv_xid_words(s->j->run->arena, &said));
	gv_set(s->j, f, "code", "%d", r->code);
	gv_set_str(s->j, f, "name", name.n ? name : GV_STR("a code that is not known"));
	gv_set_str(s->j, f, "remedy", gv_remedy(cell(s, r, "action")));
	if (gv_is(cell(s, r, "class"), "app"))
		gv_set(s->j, f, "suspect", "the program is suspected, not the machine");
	gv_set_count(s->j, f, r->ev);
}

/* A gpu-xid collects the codes of one GPU; the loudest of its newest boot names it. */
static void found_xid(struct state *s, const struct report *r, enum gv_severity sev)
{
	struct gv_run *run = s->j->run;
	size_t before_n = run->findings.n;
	struct gv_finding *f = gv_found(s->j, GV_K_GPU_XID, whom(r->ev));
	const struct gv_event *old = f->event;
	bool fresh = run->findings.n > before_n;

	if (!fresh && old && old->doc == r->ev->doc && old->boot_last > r->ev->boot_last)
		return;
	if (!fresh && old && old->doc == r->ev->doc && old->boot_last < r->ev->boot_last)
		fresh = true;
	gv_found_event(s->j, GV_K_GPU_XID, r->ev);
	if (fresh || sev > f->severity) {
		f->severity = sev;
		f->event = r->ev;
		tell(s, f, r);
	}
}

/* The driver says what it wants: "... changed from 0x0 (None) to 0x1 (GPU Reset Required)". */
static void found_recovery(struct state *s, const struct report *r)
{
	static const char *const words[] = { NULL, "a reset of the GPU", "a reboot of the node", "peers drained",
					     "the GPU drained and reset", "the IMEX domain recovered" };
	struct gv_xid_said last;
	struct gv_finding *f;

	gv_xid_said(r->code, r->said_last, &last);
	if (last.wants <= 0)
		return;
	f = gv_found_event(s->j, GV_K_GPU_RESET_REQUIRED, r->ev);
	gv_quote(f, r->ev->last);
	gv_set_str(s->j, f, "wants",
		   last.wants < (int)(sizeof(words) / sizeof(words[0])) ? gv_str_of(words[last.wants])
		   : last.wants_text.n					? last.wants_text
									: GV_STR("a recovery action that is not known"));
	s->found = true;
}

/* "RST: Yes, D-RST: No" behind a memory error: whether the driver wants more than the program started again. */
static void found_wish(struct state *s, const struct report *r)
{
	struct gv_xid_said last;

	gv_xid_said(r->code, r->said_last, &last);
	if (last.reset || last.drain)
		gv_set(s->j, gv_found_event(s->j, GV_K_GPU_RESET_REQUIRED, r->ev), "wants", "%s",
		       last.drain ? "the GPU drained and reset" : "a reset of the GPU");
}

static void found_link(struct state *s, const struct report *r)
{
	struct gv_xid_said said;
	enum gv_severity sev;
	struct gv_finding *f;

	gv_xid_said(r->code, r->said, &said);
	if (said.decoded)
		sev = said.severity;
	else
		sev = r->code == 74 ? GV_FAIL : r->code >= 144 ? of_link_words(s, r) : severity_of(s, r);

	if (sev == GV_NOTE) {
		found_xid(s, r, sev);
		return;
	}
	f = gv_found_event(s->j, GV_K_NVLINK_DOWN, r->ev);
	if (f->values.n == 0 || sev == GV_FAIL) {
		f->severity = sev;
		tell(s, f, r);
	}
}

/* A mark that the driver made before it took effect; the GPU says itself whether it still waits. */
static void found_remap(struct state *s, const struct report *r)
{
	enum gv_kind kind = of_pages(r) ? GV_K_PAGE_RETIREMENT : gv_xid_kind(r->code);
	struct gv_finding *f = gv_found_event(s->j, kind, r->ev);
	bool pending;

	tell(s, f, r);
	if (kind == GV_K_PAGE_RETIREMENT && r->code == 64)
		f->severity = GV_FAIL; /* Xid 64: the page could not be retired */
	if (kind == GV_K_ROW_REMAP_PENDING && r->ev->gpu &&
	    gv_flag_known(r->ev->gpu, GV_F_GPU_REMAP_PENDING, &pending) && !pending) {
		f->when = GV_HISTORY;
		f->fixed_when = true;
		gv_quote_fact(f, r->ev->gpu, GV_F_GPU_REMAP_PENDING);
	}
}

static bool is_app_fault(const struct gv_event *ev)
{
	return is_xid(ev) && gv_xid_kind(ev->code) == GV_K_APP_KERNEL_FAULT;
}

struct programs {
	gv_str name[PROGRAMS_MIN];
	size_t n;
};

static void add_program(struct programs *p, gv_str name)
{
	name = gv_trim(gv_before(name, "'"));
	if (!name.n || gv_starts(name, "<") || p->n == PROGRAMS_MIN)
		return;
	for (size_t i = 0; i < p->n; i++)
		if (gv_eq(p->name[i], name))
			return;
	p->name[p->n++] = name;
}

/* The faults of jobs on this GPU are of different programs, and no other GPU of the machine has any. */
static bool under_programs(const struct gv_event *one, struct programs *ret)
{
	uint64_t faults = 0;

	*ret = (struct programs){ 0 };
	if (!one->gpu)
		return false;
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(one->node, ev));) {
		if (!is_app_fault(ev))
			continue;
		if (ev->gpu != one->gpu)
			return false;
		faults += ev->count;
		if (gv_is(ev->sig->id, "nv-xid")) { /* its fourth capture is the name of the process */
			add_program(ret, ev->cap[4]);
			add_program(ret, ev->last_cap[4]);
		}
	}
	return ret->n == PROGRAMS_MIN && faults >= FAULTS_MIN;
}

/* Xids 13, 31 and 43: the job's, unless they come again on one GPU under other programs. */
static void found_app_fault(struct state *s, const struct report *r)
{
	struct programs p;
	struct gv_finding *f;

	if (!under_programs(r->ev, &p)) {
		f = gv_found_event(s->j, GV_K_APP_KERNEL_FAULT, r->ev);
		if (f->values.n == 0) /* the first one names it */
			tell(s, f, r);
		return;
	}
	found_xid(s, r, GV_WARN);
	f = gv_found(s->j, GV_K_GPU_XID, r->ev->gpu);
	if (f->event != r->ev)
		return;
	f->confidence = GV_MEDIUM;
	gv_set(s->j, f, "programs", "under different programs (%.*s, %.*s) on this GPU alone", GV_ARG(p.name[0]),
	       GV_ARG(p.name[1]));
	gv_set(s->j, f, "suspect", "the GPU is suspected, not the programs");
	gv_set(s->j, f, "remedy", "take it out of service and run dcgmi diag -r 3 on it");
}

static void judge_one(struct state *s, const struct report *r)
{
	enum gv_kind kind = gv_xid_kind(r->code);
	const struct gv_event *cause = follows_from(s, r);
	struct gv_finding *f;

	if (cause) /* it stands in the finding of its cause, if anywhere */
		return;
	if (kind == GV_K_GPU_RESET_REQUIRED) {
		found_recovery(s, r);
		return;
	}
	s->found = true;
	if (kind == GV_K_GPU_XID) {
		found_xid(s, r, severity_of(s, r));
	} else if (kind == GV_K_APP_KERNEL_FAULT) {
		found_app_fault(s, r);
	} else if (kind == GV_K_NVLINK_DOWN) {
		found_link(s, r);
	} else if (kind == GV_K_ROW_REMAP_PENDING || kind == GV_K_ROW_REMAP_FAILED) {
		found_remap(s, r);
	} else {
		f = gv_found_event(s->j, kind, r->ev);
		if (f->values.n == 0) /* the first one names it */
			tell(s, f, r);
		if (kind == GV_K_ECC_UNCORRECTABLE) {
			f->severity = ecc_severity(s, r->ev);
			if (f->severity == GV_WARN)
				gv_set_str(s->j, f, "contained", GV_STR("the driver says that they are contained"));
			found_wish(s, r);
		}
	}
}

/* "..., Ch 00000001 caused by previous Xid 149": where the line of that one is not there, this one stands for it. */
static void take_previous(const struct state *s, struct report *r)
{
	uint64_t code;

	if (r->code != 45 || !gv_to_u64(gv_trim(gv_after(r->said, "caused by previous Xid ")), &code) || code >= CODES ||
	    also(s, r->ev, (int)code))
		return;
	r->code = (int)code;
	r->row = s->row_of[code];
	r->said = r->said_last = GV_NONE;
}

static enum gv_answer xid_run(struct gv_judge *j, const struct gv_entity *node)
{
	struct state s = { .j = j, .table = gv_table("xid") };

	learn_codes(&s);
	for (const struct gv_event *ev = NULL; (ev = gv_each_event_on(node, ev));) {
		/* one that the site ignores is still the cause of what follows from it */
		if (is_xid(ev) && !(j->run->site && gv_site_ignores(j->run->site, ev))) {
			struct report r = report_of(&s, ev);

			take_previous(&s, &r);
			judge_one(&s, &r);
		}
	}
	if (s.found)
		return GV_FOUND;
	if (gv_has_kernel_log(j->run, node))
		return GV_PASS;
	return gv_vendors_shown(j->run, node) & GV_NVIDIA ? GV_NODATA : GV_NA;
}

const struct gv_check gv_check_xid = {
	.id = "xid",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.core = "kernel log",
	.run = xid_run,
	.next_run = "sudo dmesg -T --level=emerg,alert,crit,err,warn",
	.next_why = "to see whether the driver reported errors of a GPU",
};
