/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of dcgmi diag and watches of dcgmi health complain of. That one failed says little; its message says what
 * is the matter, where it is about the machine at all. Messages without a row here (a test that could not run, a limit
 * that was set for another board, clocks that were lowered) raise nothing. */
#include "check/common.h"

#define MESSAGES 64
#define SHOWN 100 /* bytes of a message in a summary */

/* What a message is about, by texts in it without their blanks, in small letters: tables break lines anywhere. The
 * first row with a hit counts. */
static const struct row {
	const char *text, *with; /* both are in it; NULL: there is no second */
	int kind;		 /* enum gv_kind; -1: known, and nothing to be told */
	enum gv_severity severity;
	enum gv_confidence confidence;
} rows[] = {
	{ "rowremappingfailed", NULL, GV_K_ROW_REMAP_FAILED, GV_FAIL, GV_HIGH },
	{ "rowremappingsarepending", NULL, GV_K_ROW_REMAP_PENDING, GV_WARN, GV_HIGH },
	{ "rowswereremapped", NULL, -1, GV_NOTE, GV_HIGH }, /* mended */
	{ "pendingpageretirements", "dbe", GV_K_PAGE_RETIREMENT, GV_WARN, GV_HIGH },
	{ "pendingretiredpage", NULL, GV_K_PAGE_RETIREMENT, GV_WARN, GV_HIGH },
	{ "retiredpages", "havebeendetected", GV_K_PAGE_RETIREMENT, GV_WARN, GV_MEDIUM },
	{ "retiredpages", "duetodbes", GV_K_PAGE_RETIREMENT, GV_WARN, GV_MEDIUM },
	{ "double-biteccerror", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_HIGH },
	{ "ecc_dbe_volatile", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_HIGH },
	{ "uncontainederror", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_HIGH },
	{ "faultymemoryelements", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_MEDIUM },
	{ "memorymismatchwasdetected", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_MEDIUM },
	{ "miscomparefailureinthel1cache", NULL, GV_K_ECC_UNCORRECTABLE, GV_FAIL, GV_MEDIUM },
	{ "pciereplay", NULL, GV_K_PCIE_AER, GV_WARN, GV_MEDIUM },
	{ "pcie_replay", NULL, GV_K_PCIE_AER, GV_WARN, GV_MEDIUM },
	{ "pcilinkwidth", NULL, GV_K_PCIE_LINK_DEGRADED, GV_WARN, GV_MEDIUM },
	{ "pcilinkgeneration", NULL, GV_K_PCIE_LINK_DEGRADED, GV_NOTE, GV_MEDIUM }, /* an idle link is slow */
	{ "fatalnvswitchsxid", NULL, GV_K_NVSWITCH_ERROR, GV_FAIL, GV_HIGH },
	{ "nonfatalerrorsonnvswitch", NULL, GV_K_NVSWITCH_ERROR, GV_WARN, GV_MEDIUM },
	{ "fatalerrorsonnvswitch", NULL, GV_K_NVSWITCH_ERROR, GV_FAIL, GV_HIGH },
	{ "nvlinksareupoutoftheexpected", NULL, GV_K_NVLINK_DOWN, GV_FAIL, GV_MEDIUM },
	{ "nvlink", "iscurrentlydown", GV_K_NVLINK_DOWN, GV_FAIL, GV_HIGH },
	{ "nvlink", "isdown", GV_K_NVLINK_DOWN, GV_FAIL, GV_HIGH },
	{ "nvlinkerrors", "(shouldbe0)", GV_K_NVLINK_DOWN, GV_WARN, GV_MEDIUM },
	{ "nvlinkerrors", "exceed", GV_K_NVLINK_DOWN, GV_WARN, GV_MEDIUM },
	{ "thermalviolation", NULL, GV_K_THROTTLE_THERMAL, GV_WARN, GV_MEDIUM },
	{ "exceededuser-specifiedmaximum", "temperature", GV_K_THROTTLE_THERMAL, GV_WARN, GV_MEDIUM },
	{ "powerviolation", NULL, GV_K_POWER_CAP, GV_NOTE, GV_LOW }, /* so is every GPU at full work */
	{ "clocksarebeingthrottled", NULL, -1, GV_NOTE, GV_HIGH },
	{ "driveronthedenylist", NULL, GV_K_DRIVER_CONFLICT, GV_WARN, GV_MEDIUM },
	{ "fabricmanager", NULL, GV_K_FABRIC_MANAGER_DOWN, GV_FAIL, GV_MEDIUM },
	{ "persistencemode", "disabled", GV_K_PERSISTENCE_OFF, GV_NOTE, GV_MEDIUM },
};

struct message {
	struct gv_judge *j;
	const struct gv_entity *on;
	enum gv_fact fact;
	const struct gv_obs *o;
	gv_str bare; /* without blanks, in small letters */
};

static gv_str without_blanks(struct gv_arena *a, gv_str s)
{
	char *p = gv_alloc(a, s.n + 1);
	gv_str ret = { p, 0 };

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			p[ret.n++] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 32) : s.p[i];
	return ret;
}

static size_t times(gv_str s, const char *what)
{
	size_t n = 0;

	for (gv_str rest = s; (rest = gv_after(rest, what)).p;)
		n++;
	return n;
}

static struct gv_finding *found(const struct message *m, enum gv_kind kind, enum gv_severity severity,
				enum gv_confidence confidence)
{
	size_t before = m->j->run->findings.n;
	struct gv_finding *f = gv_found(m->j, kind, m->on);
	bool fresh = m->j->run->findings.n > before;

	if (fresh) {
		f->severity = severity;
		f->confidence = confidence;
		/* the tool looked again, and did not say so any more */
		if (m->o->block && !m->o->block->latest) {
			f->when = GV_RECENT;
			f->fixed_when = true;
		}
	} else if (severity > f->severity && !f->event) {
		f->severity = severity;
	}
	gv_set(m->j, f, "dcgm", "%.*s%s", GV_ARG(gv_sub(m->o->str, 0, SHOWN)), m->o->str.n > SHOWN ? "..." : "");
	gv_quote(f, m->o->at);
	return f;
}

/* "Detected XID 48 for GPU 0": what the driver's code is worth, where it is not the program's. */
static bool by_xid(const struct message *m)
{
	gv_str t = gv_after(m->bare, "detectedxid"), rest;
	enum gv_severity severity;
	struct gv_finding *f;
	enum gv_kind kind;
	double code;

	if (!t.p || !gv_lead_num(t, &code, &rest) || code < 1 || code > 1000)
		return false;
	kind = gv_xid_kind((int)code);
	severity = kind == GV_K_APP_KERNEL_FAULT ? GV_NOTE : gv_xid_severity((int)code);
	f = found(m, kind, severity, GV_MEDIUM);
	gv_set(m->j, f, "code", "%.0f", code);
	return true;
}

/* DCGM reports every link of a card without a bridge as down. */
static bool link_means_nothing(const struct message *m, enum gv_severity *severity, enum gv_confidence *confidence)
{
	gv_str name = m->on->kind == GV_GPU ? gv_text(m->on, GV_F_GPU_NAME) : GV_NONE;

	if (gv_nvlink_wired(name))
		return false;
	if (name.n)
		return true;
	*severity = times(m->bare, "down") > 3 ? GV_NOTE : GV_WARN;
	*confidence = GV_LOW;
	return false;
}

static bool by_row(const struct message *m, const struct row *r)
{
	enum gv_severity severity = r->severity;
	enum gv_confidence confidence = r->confidence;
	struct gv_finding *f;
	double width, max;

	if (r->kind < 0)
		return false;
	if (r->kind == GV_K_NVLINK_DOWN && r->with && gv_has(gv_str_of(r->with), "down") &&
	    link_means_nothing(m, &severity, &confidence))
		return false;
	/* all that card and slot can do, where nvidia-smi knows */
	if (gv_is(gv_str_of(r->text), "pcilinkwidth") && gv_num(m->on, GV_F_GPU_PCIE_WIDTH, &width) &&
	    gv_num(m->on, GV_F_GPU_PCIE_WIDTH_MAX, &max) && width >= max)
		return false;
	f = found(m, (enum gv_kind)r->kind, severity, confidence);
	if (r->kind == GV_K_PCIE_AER)
		gv_set_str(m->j, f, "sort", GV_STR("corrected"));
	if (r->kind == GV_K_PERSISTENCE_OFF)
		gv_set_str(m->j, f, "gpus", GV_STR("1"));
	return true;
}

static bool judge_one(const struct message *m)
{
	if (by_xid(m))
		return true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (gv_has(m->bare, rows[i].text) && (!rows[i].with || gv_has(m->bare, rows[i].with)))
			return by_row(m, &rows[i]);
	return false;
}

static bool judge_all(struct gv_judge *j, const struct gv_entity *e, enum gv_fact fact)
{
	const struct gv_obs *v[MESSAGES];
	size_t n = gv_series(e, fact, v, MESSAGES);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct message m = { j, e, fact, v[i], without_blanks(j->run->arena, v[i]->str) };

		any |= judge_one(&m);
	}
	return any;
}

/* The host engine logs the same sentences: "Detected a WARNING in health system Thermal: '...'". */
static bool by_log(struct gv_judge *j, const struct gv_entity *node)
{
	bool any = false;

	for (struct gv_event *ev = NULL; (ev = gv_each_event(j->run, "dcgm-health-log", node, ev));) {
		struct gv_obs o = { .str = ev->cap[3], .at = ev->first, .state = GV_KNOWN };
		struct message m = { j, node, GV_F_HEALTH_SAYS, &o, without_blanks(j->run->arena, ev->cap[3]) };

		any |= judge_one(&m);
	}
	return any;
}

static enum gv_answer run(struct gv_judge *j, const struct gv_entity *node)
{
	bool any, ran = false;

	if (gv_crowded(j->run, node))
		return GV_NA;
	any = judge_all(j, node, GV_F_DIAG_SAYS);
	any |= judge_all(j, node, GV_F_HEALTH_SAYS);
	any |= by_log(j, node);
	for (struct gv_entity *g = NULL; (g = gv_each(j->run, GV_GPU, node, g));) {
		any |= judge_all(j, g, GV_F_GPU_DIAG_SAYS);
		any |= judge_all(j, g, GV_F_GPU_HEALTH_SAYS);
	}
	for (struct gv_entity *t = NULL; !any && !ran && (t = gv_each(j->run, GV_TEST, node, t));)
		ran = gv_starts(gv_text(t, GV_F_TEST_TOOL), "dcgmi");
	return any ? GV_FOUND : ran ? GV_PASS : GV_NA;
}

const struct gv_check gv_check_dcgm = {
	.id = "dcgm",
	.stage = GV_STAGE_VISIBLE,
	.over = GV_NODE,
	.needs = { GV_FACTS },
	.run = run,
};
