/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tally.h"

#include <string.h>

#include "core/run.h"

#define MAX_SUBJECTS 256    /* per signature and document; what is beyond shares one event */
#define MAX_EVENTS 32768    /* per run; beyond it one per signature and document */
#define MAX_LOG_EVENTS 4096 /* per log that is not held: each keeps copies of lines */
#define MAX_KEY 512
#define MAX_HOSTS 64	   /* per segment */
#define NEW_BOOT_LINES 400 /* a boot's "Linux version" follows its other marks within so many lines */

/* The boots of one host within one segment: what another command printed is another story. */
struct gv_boots {
	gv_str host;
	double stamp, wall; /* of its last kernel line, of its last line; negative: none yet */
	uint32_t count;
	uint32_t fresh; /* up to this line "Linux version" still belongs to the boot that was counted */
};

static size_t boots_of(struct gv_tally *t, gv_str host)
{
	struct gv_arena *a = t->run->arena;
	size_t i = t->boots_first;

	if (t->now_boots >= i && t->now_boots < t->boots.n && gv_eq(t->boots.v[t->now_boots].host, host))
		return t->now_boots;
	for (; i < t->boots.n; i++)
		if (gv_eq(t->boots.v[i].host, host))
			return i;
	if (i - t->boots_first >= MAX_HOSTS)
		return i - 1;
	*gv_push(a, &t->boots) = (struct gv_boots){ .host = t->log ? gv_dup(a, host) : host, .stamp = -1, .wall = -1 };
	return i;
}

/* "-- Boot 0123abcd... --" and "-- Reboot --" of journalctl */
static bool journal_boot(gv_str raw)
{
	return gv_starts(raw, "-- Boot ") || gv_starts(raw, "-- Reboot --");
}

static void mark_boot(struct gv_boots *b, uint32_t no, bool last_mark)
{
	if (b->fresh > no && last_mark) {
		b->fresh = 0;
		return;
	}
	b->count++;
	b->fresh = last_mark ? 0 : no + NEW_BOOT_LINES;
	b->stamp = -1;
}

void gv_tally_walk(struct gv_tally *t, const struct gv_tally_line *l)
{
	const struct gv_logline *log = &l->log;
	struct gv_boots *b;

	if (l->seg != t->boots_seg)
		t->boots_first = t->boots.n;
	t->boots_seg = l->seg;
	gv_window_line(&t->run->window, &t->span, t->boots_seg, log);
	t->now_boots = boots_of(t, log->host);
	b = &t->boots.v[t->now_boots];
	if (t->span.side == GV_AFTER) /* a boot that comes later makes no history of what is judged */
		return;
	if (journal_boot(l->raw)) {
		/* it names no host: the journal is one machine's */
		for (size_t k = t->boots_first; k < t->boots.n; k++)
			mark_boot(&t->boots.v[k], l->no, false);
		return;
	}
	if (log->boot.clock == GV_CLOCK_BOOT) {
		bool back = log->when.clock == GV_CLOCK_WALL && log->when.t < b->wall; /* newest first */

		if (b->stamp >= 0 && log->boot.t + 1 < b->stamp && !back)
			mark_boot(b, l->no, false);
		b->stamp = log->boot.t;
	}
	if (log->when.clock == GV_CLOCK_WALL)
		b->wall = log->when.t;
	if (log->kernel && gv_starts(log->text, "Linux version "))
		mark_boot(b, l->no, true);
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

/* The PCI address that the line speaks of. */
gv_str gv_bus_of(struct gv_arena *a, const struct gv_sig *sig, const struct gv_match *m, gv_str text)
{
	gv_str bus = GV_NONE;

	if (m->bus.n) {
		if (!gv_bus_id(a, m->bus, &bus))
			gv_find_bus_id(a, m->bus, &bus);
	} else if (sig->subject < 0 || gv_is(sig->log, "kernel") || gv_is(sig->log, "fabricmanager")) {
		gv_find_bus_id(a, gv_sub(text, 0, 1024), &bus);
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

static bool full(const struct gv_tally *t, size_t sig)
{
	return t->subjects[sig] >= MAX_SUBJECTS || t->run->events.n >= MAX_EVENTS ||
	       (t->log && t->found.n >= MAX_LOG_EVENTS);
}

static struct gv_tallied *event_of(struct gv_tally *t, size_t sig, gv_str host, gv_str subject, gv_str bus, int code)
{
	struct gv_arena *a = t->run->arena;
	char key[MAX_KEY];
	uint64_t head[3] = { sig, t->boots_seg, (uint64_t)code };
	struct gv_tallied *e;
	struct gv_event *ev;
	size_t n;

	memcpy(key, head, sizeof(head));
	n = put_key(key, put_key(key, sizeof(head), host), subject);
	e = gv_map_get(&t->by_key, (gv_str){ key, n });
	if (e)
		return e;
	if (full(t, sig)) { /* one more key, shared by all that come now */
		memset(key, 0xff, sizeof(head));
		memcpy(key, head, sizeof(head[0]));
		n = sizeof(head);
		subject = host = bus = GV_NONE;
		e = gv_map_get(&t->by_key, (gv_str){ key, n });
		if (e)
			return e;
	}
	t->subjects[sig]++;
	e = GV_NEW(a, struct gv_tallied);
	e->ev = ev = GV_NEW(a, struct gv_event);
	e->boots = t->now_boots;
	*ev = (struct gv_event){ .sig = &t->s->sig[sig], .doc = t->doc, .code = code };
	ev->seg = t->doc->nsegs ? &t->doc->segs[t->boots_seg] : NULL;
	ev->container = ev->seg && ev->seg->container;
	ev->host = t->log ? gv_dup(a, host) : host;
	ev->bus = bus.n ? gv_dup(a, bus) : GV_NONE;
	ev->subject = ev->sig->subject < 0 ? ev->bus : t->log ? gv_dup(a, gv_sub(subject, 0, MAX_KEY)) : subject;
	*gv_map_put(&t->by_key, gv_dup(a, (gv_str){ key, n })) = e;
	if (!t->log)
		gv_add_event(t->run, ev);
	*gv_push(a, &t->found) = e;
	return e;
}

/* Of the lines between the first and the last a few are kept: near the first, and further and further from it. */
static bool worth_keeping(const struct gv_event *ev)
{
	static const uint64_t at[GV_KEEP] = { 2, 5, 50, 500 };

	return ev->nsome < GV_KEEP && ev->count == at[ev->nsome];
}

/* The line walked last lies in the span that is judged. */
static bool in_window(struct gv_tally *t)
{
	struct gv_window *w = &t->run->window;

	if (t->span.side != GV_INSIDE) {
		w->lines_out++;
		return false;
	}
	w->lines_undated += !t->span.dated;
	return true;
}

/* Only the last boot counts: what an event was before is forgotten when it comes again after one. */
static void forget_boots(struct gv_tally *t, struct gv_event *ev)
{
	if (t->run->window.since.how != GV_MOMENT_BOOT || !ev->count || ev->boot_last == t->boots.v[t->now_boots].count)
		return;
	t->run->window.lines_out += ev->count;
	ev->count = ev->nsome = 0;
	ev->kernel = ev->told = false;
}

#define WRITTEN 1000 /* sentences of a document that are looked at: nobody writes more */

struct gv_tallied *gv_tally_hit(struct gv_tally *t, const struct gv_tally_line *l, const struct gv_tally_hit *h,
				enum gv_tally_kept *ret)
{
	const struct gv_sig *g = &t->s->sig[h->sig];
	const struct gv_match *m = &h->m;
	struct gv_place at = { t->doc, l->no };
	uint32_t boots = t->boots.v[t->now_boots].count;
	struct gv_tallied *e;
	struct gv_event *ev;
	gv_str host;
	uint64_t code;

	if (g->by_person &&
	    (t->log || !l->no || ++t->written > WRITTEN || !gv_stated(t->doc, l->no - 1, m->cap[0], &t->ticket)))
		return NULL;
	if (t->run->window.on && !in_window(t))
		return NULL;
	host = l->log.host.n ? l->log.host : nccl_host(l->log.text);
	e = event_of(t, h->sig, host,
		     g->subject < 0 ? h->bus
		     : g->subject   ? m->cap[g->subject]
				    : GV_NONE,
		     h->bus, m->code.n && gv_to_u64(m->code, &code) && code < 1000000 ? (int)code : -1);
	ev = e->ev;
	forget_boots(t, ev);
	ev->told = !g->by_person && (ev->told || !ev->count) && gv_told(l->text, m->cap[0]);
	*ret = GV_TALLY_LAST;
	if (!ev->count++) {
		memcpy(ev->cap, m->cap, sizeof(ev->cap));
		ev->first = at;
		ev->t_first = l->log.when;
		ev->boot_first = boots;
		*ret = GV_TALLY_FIRST;
	} else if (worth_keeping(ev)) {
		ev->some[ev->nsome++] = at;
		*ret = GV_TALLY_SOME;
	}
	memcpy(ev->last_cap, m->cap, sizeof(ev->last_cap));
	ev->last = at;
	ev->t_last = l->log.when;
	ev->boot_last = boots;
	ev->kernel |= l->log.kernel;
	return e;
}

void gv_tally_begin(struct gv_tally *t, struct gv_sigs *s, struct gv_run *run, struct gv_doc *doc, bool log)
{
	*t = (struct gv_tally){ .s = s,
				.run = run,
				.doc = doc,
				.log = log,
				.span = gv_window_walk(doc),
				.by_key = { .arena = run->arena } };
	t->subjects = GV_NEWN(run->arena, uint16_t, s->n + 1);
}

/* Does the document show a boot before this one, and this one as well? */
static bool shows_earlier_boot(const struct gv_doc *doc)
{
	bool earlier = false, this = false;

	for (size_t i = 0; i < doc->nsegs; i++) {
		earlier = earlier || gv_cmd_earlier_boot(doc->segs[i].cmd);
		this = this || (doc->segs[i].n && gv_cmd_this_boot(doc->segs[i].cmd));
	}
	return earlier && this;
}

/* That all hosts and segments of the document end at the same number; the journal of an earlier boot ends one before. */
void gv_tally_end(struct gv_tally *t)
{
	bool earlier = shows_earlier_boot(t->doc);
	uint32_t max = 0;

	for (size_t i = 0; i < t->boots.n; i++)
		if (t->boots.v[i].count > max)
			max = t->boots.v[i].count;
	t->doc->boots = max + earlier;
	for (size_t i = 0; i < t->found.n; i++) {
		struct gv_event *ev = t->found.v[i]->ev;
		bool before = earlier && ev->seg && gv_cmd_earlier_boot(ev->seg->cmd);
		uint32_t up = max + (earlier && !before) - t->boots.v[t->found.v[i]->boots].count;

		ev->boot_first += up;
		ev->boot_last += up;
	}
}
