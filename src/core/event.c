/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a document's text finds the literals of all signatures; the expressions run on the lines that hold one.
 * Host, time and boot are read only where an event was found, so that a log without any costs the one pass. */
#include "core/event.h"

#include <string.h>

#include "base/ac.h"
#include "base/map.h"
#include "core/run.h"
#include "core/sigs.h"

#define MAX_CANDIDATES 48 /* signatures tried on one line */
#define MAX_SUBJECTS 256  /* per signature and document; what is beyond shares one event */
#define MAX_EVENTS 32768 /* per run; beyond it one per signature and document */
#define MAX_KEY 512
#define MAX_HOSTS 64 /* per segment */
#define SCRATCH_BYTES (1u << 20)
#define NEW_BOOT_LINES 400 /* a boot's "Linux version" follows its other marks within so many lines */

/* The boots of one host within one segment: what another command printed is another story. */
struct boots {
	gv_str host;
	double stamp, wall; /* of its last kernel line, of its last line; negative: none yet */
	uint32_t count;
	uint32_t fresh; /* lines left in which "Linux version" still belongs to the boot that was counted */
};

struct found {
	struct gv_event *ev;
	size_t boots;
};

struct candidate {
	uint16_t sig;
	size_t near;
};

struct scan {
	struct gv_sigs *s;
	struct gv_run *run;
	struct gv_doc *doc;
	size_t line; /* that candidates are for */
	size_t seg;
	struct candidate cand[MAX_CANDIDATES];
	size_t ncand;
	uint32_t *tried;    /* by signature: 1 + the last line that it was a candidate for */
	uint16_t *subjects; /* by signature */
	struct gv_map by_key;
	GV_VEC(struct found) found;
	GV_VEC(struct boots) boots;
	size_t boots_first;    /* of the segment */
	size_t boots_seg;      /* segment that the walk is in */
	size_t walked;	       /* lines whose boot marks were seen */
	size_t now_boots;      /* entry of the line walked last */
	struct gv_logline log; /* of that line */
	struct gv_arena *scratch;
};

static bool copied(const struct gv_doc *doc, const struct gv_line *l)
{
	return l->text.n && (l->text.p < doc->text.p || l->text.p >= doc->text.p + doc->text.n);
}

static void next_seg(const struct gv_doc *doc, size_t line, size_t *seg)
{
	while (*seg + 1 < doc->nsegs && doc->segs[*seg + 1].first <= line)
		++*seg;
}

static size_t boots_of(struct scan *c, gv_str host)
{
	size_t i = c->boots_first;

	for (; i < c->boots.n; i++)
		if (gv_eq(c->boots.v[i].host, host))
			return i;
	if (i - c->boots_first >= MAX_HOSTS)
		return i - 1;
	*gv_push(c->run->arena, &c->boots) = (struct boots){ .host = host, .stamp = -1, .wall = -1 };
	return i;
}

/* "-- Boot 0123abcd... --" and "-- Reboot --" of journalctl */
static bool journal_boot(gv_str raw)
{
	return gv_starts(raw, "-- Boot ") || gv_starts(raw, "-- Reboot --");
}

static void mark_boot(struct boots *b, bool last_mark)
{
	if (b->fresh && last_mark) {
		b->fresh = 0;
		return;
	}
	b->count++;
	b->fresh = last_mark ? 0 : NEW_BOOT_LINES;
	b->stamp = -1;
}

/* Reads the front of one line for host, time and signs of a boot. */
static void walk_line(struct scan *c, size_t i)
{
	const struct gv_line *l = &c->doc->lines[i];
	size_t seg = c->boots_seg;
	struct boots *b;

	next_seg(c->doc, i, &c->boots_seg);
	if (seg != c->boots_seg)
		c->boots_first = c->boots.n;
	gv_logline_parse(l->text, &c->log);
	c->now_boots = boots_of(c, c->log.host);
	b = &c->boots.v[c->now_boots];
	if (b->fresh)
		b->fresh--;
	if (journal_boot(l->raw)) {
		/* it names no host: the journal is one machine's */
		for (size_t k = c->boots_first; k < c->boots.n; k++)
			mark_boot(&c->boots.v[k], false);
		return;
	}
	if (c->log.boot.clock == GV_CLOCK_BOOT) {
		bool back = c->log.when.clock == GV_CLOCK_WALL && c->log.when.t < b->wall; /* newest first */

		if (b->stamp >= 0 && c->log.boot.t + 1 < b->stamp && !back)
			mark_boot(b, false);
		b->stamp = c->log.boot.t;
	}
	if (c->log.when.clock == GV_CLOCK_WALL)
		b->wall = c->log.when.t;
	if (c->log.kernel && gv_starts(c->log.text, "Linux version "))
		mark_boot(b, true);
}

static void walk_to(struct scan *c, size_t line)
{
	while (c->walked <= line)
		walk_line(c, c->walked++);
}

/* "node01:4711:4712 [3] NCCL INFO ...": NCCL's lines name the host in front. */
static gv_str nccl_host(gv_str text)
{
	gv_str host = gv_before(text, ":"), rest = gv_after(text, ":"), pid;
	uint64_t v;

	if (!host.n || host.n > 255 || gv_find_c(host, ' ') >= 0)
		return GV_NONE;
	pid = gv_before(rest, ":");
	rest = gv_before(gv_after(rest, ":"), " ");
	if (pid.n > 10 || !gv_to_u64(pid, &v) || rest.n > 10 || !gv_to_u64(rest, &v))
		return GV_NONE;
	return host;
}

/* The PCI address that the line speaks of. Made in the scratch arena: a flood must not fill the run's. */
static gv_str bus_of(struct scan *c, const struct gv_sig *sig, const struct gv_match *m, gv_str text)
{
	gv_str bus = GV_NONE;

	if (gv_arena_bytes(c->scratch) > SCRATCH_BYTES) {
		gv_arena_free(c->scratch);
		c->scratch = gv_arena_new();
	}
	if (m->bus.n) {
		if (!gv_bus_id(c->scratch, m->bus, &bus))
			gv_find_bus_id(c->scratch, m->bus, &bus);
	} else if (sig->subject < 0 || gv_is(sig->log, "kernel") || gv_is(sig->log, "fabricmanager")) {
		gv_find_bus_id(c->scratch, gv_sub(text, 0, 1024), &bus);
	}
	return bus;
}

static size_t put_key(char *key, size_t n, gv_str part)
{
	part = gv_sub(part, 0, 150);
	if (part.n)
		memcpy(key + n, part.p, part.n);
	n += part.n;
	key[n++] = '\0';
	return n;
}

static struct gv_event *event_of(struct scan *c, size_t sig, gv_str host, gv_str subject, gv_str bus, int code)
{
	struct gv_arena *a = c->run->arena;
	char key[MAX_KEY];
	uint64_t head[3] = { sig, c->seg, (uint64_t)code };
	struct gv_event *ev;
	size_t n;

	memcpy(key, head, sizeof(head));
	n = put_key(key, put_key(key, sizeof(head), host), subject);
	ev = gv_map_get(&c->by_key, (gv_str){ key, n });
	if (ev)
		return ev;
	if (c->subjects[sig] >= MAX_SUBJECTS || c->run->events.n >= MAX_EVENTS) { /* one more key, shared by all that come now */
		memset(key, 0xff, sizeof(head));
		memcpy(key, head, sizeof(head[0]));
		n = sizeof(head);
		subject = host = bus = GV_NONE;
		ev = gv_map_get(&c->by_key, (gv_str){ key, n });
		if (ev)
			return ev;
	}
	c->subjects[sig]++;
	ev = GV_NEW(a, struct gv_event);
	*ev = (struct gv_event){ .sig = &c->s->sig[sig], .doc = c->doc, .code = code };
	ev->seg = c->doc->nsegs ? &c->doc->segs[c->seg] : NULL;
	ev->container = ev->seg && ev->seg->container;
	ev->host = host;
	ev->bus = bus.n ? gv_dup(a, bus) : GV_NONE;
	ev->subject = ev->sig->subject < 0 ? ev->bus : subject;
	*gv_map_put(&c->by_key, gv_dup(a, (gv_str){ key, n })) = ev;
	gv_add_event(c->run, ev);
	*gv_push(a, &c->found) = (struct found){ ev, c->now_boots };
	return ev;
}

/* Of the lines between the first and the last a few are kept: near the first, and further and further from it. */
static bool worth_keeping(const struct gv_event *ev)
{
	static const uint64_t at[GV_KEEP] = { 2, 5, 50, 500 };

	return ev->nsome < GV_KEEP && ev->count == at[ev->nsome];
}

static void record(struct scan *c, size_t sig, const struct gv_match *m)
{
	struct gv_line *l = &c->doc->lines[c->line];
	const struct gv_sig *g = &c->s->sig[sig];
	struct gv_place at = gv_at(c->doc, l);
	struct gv_time when;
	struct gv_event *ev;
	gv_str host, bus;
	uint64_t code;

	walk_to(c, c->line);
	when = c->log.when;
	host = c->log.host.n ? c->log.host : nccl_host(c->log.text);
	bus = bus_of(c, g, m, c->log.text);
	ev = event_of(c, sig, host,
		      g->subject < 0 ? bus
		      : g->subject   ? m->cap[g->subject]
				     : GV_NONE,
		      bus, m->code.n && gv_to_u64(m->code, &code) && code < 1000000 ? (int)code : -1);
	l->flags |= GV_LINE_SIGNED;
	ev->told = (ev->told || !ev->count) && gv_told(l->text, m->cap[0]);
	if (!ev->count++) {
		memcpy(ev->cap, m->cap, sizeof(ev->cap));
		ev->first = at;
		ev->t_first = when;
		ev->boot_first = c->boots.v[c->now_boots].count;
	} else if (worth_keeping(ev)) {
		ev->some[ev->nsome++] = at;
	}
	memcpy(ev->last_cap, m->cap, sizeof(ev->last_cap));
	ev->last = at;
	ev->t_last = when;
	ev->boot_last = c->boots.v[c->now_boots].count;
	ev->kernel |= c->log.kernel;
}

static void finish_line(struct scan *c)
{
	const struct gv_line *l = &c->doc->lines[c->line];
	struct gv_match m;

	if (!(l->flags & GV_LINE_PROMPT)) /* a command that greps for a message is not the message */
		for (size_t i = 0; i < c->ncand; i++)
			if (gv_sigs_run(c->s, c->cand[i].sig, l->text, c->cand[i].near, &m))
				record(c, c->cand[i].sig, &m);
	c->ncand = 0;
}

static void add_candidate(struct scan *c, size_t sig, size_t near)
{
	if (c->tried[sig] == c->line + 1 || c->ncand == MAX_CANDIDATES)
		return;
	c->tried[sig] = (uint32_t)(c->line + 1);
	c->cand[c->ncand++] = (struct candidate){ (uint16_t)sig, near };
}

static void on_copied(void *ctx, uint32_t lit, size_t end)
{
	struct scan *c = ctx;

	add_candidate(c, c->s->owner[lit], end);
}

static void enter_line(struct scan *c, size_t line)
{
	c->line = line;
	next_seg(c->doc, line, &c->seg);
	if (copied(c->doc, &c->doc->lines[line])) /* its escape sequences may stand amid a literal */
		gv_ac_scan(c->s->ac, c->doc->lines[line].text, on_copied, c);
}

static void go_to(struct scan *c, size_t line)
{
	while (c->line < line) {
		finish_line(c);
		enter_line(c, c->line + 1);
	}
}

static void on_literal(void *ctx, uint32_t lit, size_t end)
{
	struct scan *c = ctx;
	const char *last = c->doc->text.p + end - 1;
	const struct gv_doc *doc = c->doc;
	size_t line = c->line;
	gv_str text;

	while (line + 1 < doc->nlines && doc->lines[line + 1].raw.p <= last)
		line++;
	go_to(c, line);
	text = doc->lines[line].text;
	if (!copied(doc, &doc->lines[line]) && text.n && last >= text.p && last < text.p + text.n)
		add_candidate(c, c->s->owner[lit], (size_t)(last - text.p) + 1);
}

/* Numbers of boots so far, that all hosts and segments of the document end at the same number. */
static void level_boots(struct scan *c)
{
	uint32_t max = 0;

	for (size_t i = 0; i < c->boots.n; i++)
		if (c->boots.v[i].count > max)
			max = c->boots.v[i].count;
	c->doc->boots = max;
	for (size_t i = 0; i < c->found.n; i++) {
		uint32_t up = max - c->boots.v[c->found.v[i].boots].count;

		c->found.v[i].ev->boot_first += up;
		c->found.v[i].ev->boot_last += up;
	}
}

void gv_sigs_scan(struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc)
{
	struct scan c = { .s = s, .run = run, .doc = doc, .by_key = { .arena = run->arena } };

	if (!s->ac || !doc->nlines)
		return;
	gv_sigs_rested(s);
	c.tried = GV_NEWN(run->arena, uint32_t, s->n);
	c.subjects = GV_NEWN(run->arena, uint16_t, s->n);
	c.scratch = gv_arena_new();
	enter_line(&c, 0);
	gv_ac_scan(s->ac, doc->text, on_literal, &c);
	go_to(&c, doc->nlines - 1);
	finish_line(&c);
	if (c.found.n) {
		walk_to(&c, doc->nlines - 1);
		level_boots(&c);
	}
	gv_arena_free(c.scratch);
}
