/* SPDX-License-Identifier: Apache-2.0 */
/* iperf3 and iperf 2: rows "[ID] interval sec transfer rate ...". What counts is the summary: [SUM] before single
 * streams, the receiver's rate before the sender's. Where no summary is there the intervals make a series. */
#include "base/units.h"
#include "format/common.h"

#define WORDS 24
#define IDS 128

struct row {
	gv_str id;   /* "5", "SUM" */
	gv_str role; /* "TX-C" of a test in both directions; else empty */
	double from, to, rate;
	bool sender, receiver;
	double retr; /* -1: none */
};

/* "[  5]", "[SUM]", "[ ID]": the text within; GV_NONE where the line has no such start. */
static gv_str id_of(gv_str line)
{
	gv_str id;

	if (!gv_starts(line, "["))
		return GV_NONE;
	id = gv_trim(gv_between(line, "[", "]"));
	if (!id.n || id.n > 6)
		return GV_NONE;
	if (gv_is(id, "SUM") || gv_is(id, "ID"))
		return id;
	if (id.p[0] == '*')
		id = gv_from(id, 1);
	for (size_t i = 0; i < id.n; i++)
		if ((id.p[i] < '0' || id.p[i] > '9') && id.p[i] != '-')
			return GV_NONE;
	return id;
}

/* "0.00-10.00", in iperf 2 also "0.0-" and "10.0" in two words. */
static bool parse_interval(const gv_str *w, size_t n, size_t *i, struct row *r)
{
	gv_str rest;

	if (*i >= n || !gv_lead_num(w[*i], &r->from, &rest) || !gv_starts(rest, "-"))
		return false;
	rest = gv_from(rest, 1);
	(*i)++;
	if (!rest.n && *i < n)
		rest = w[(*i)++];
	return gv_to_num(rest, &r->to) && r->to > r->from;
}

static bool rate_at(gv_str number, gv_str unit, double *ret)
{
	char text[48];

	if (number.n + unit.n + 1 > sizeof(text))
		return false;
	for (size_t i = 0; i < number.n; i++)
		text[i] = number.p[i];
	for (size_t i = 0; i < unit.n; i++)
		text[number.n + i] = unit.p[i];
	return gv_rate((gv_str){ text, number.n + unit.n }, ret);
}

/* Behind the rate stand the retransmissions, of UDP the jitter ("0.011 ms") in their place. */
static double retransmits(const gv_str *w, size_t n, size_t i)
{
	uint64_t v;

	if (i >= n || !gv_to_u64(w[i], &v) || (i + 1 < n && gv_is(w[i + 1], "ms")))
		return -1;
	return (double)v;
}

static bool parse_row(gv_str line, struct row *r)
{
	gv_str w[WORDS], rest;
	size_t n, i = 0;

	line = gv_trim(line);
	*r = (struct row){ .id = id_of(line), .retr = -1 };
	if (!r->id.n || gv_is(r->id, "ID"))
		return false;
	rest = gv_after(line, "]");
	if (gv_starts(rest, "[") && gv_find_c(rest, ']') > 0) {
		r->role = gv_between(rest, "[", "]");
		rest = gv_after(rest, "]");
	}
	n = gv_words(rest, w, WORDS);
	n = n < WORDS ? n : WORDS;
	if (!parse_interval(w, n, &i, r) || i >= n || !gv_is(w[i], "sec"))
		return false;
	for (i++; i < n; i++)
		if ((gv_ends(w[i], "bits/sec") || gv_ends(w[i], "Bytes/sec")) && rate_at(w[i - 1], w[i], &r->rate))
			break;
	if (i >= n)
		return false;
	r->retr = retransmits(w, n, i + 1);
	for (i++; i < n; i++) {
		r->sender = r->sender || gv_starts(w[i], "sender");
		r->receiver = r->receiver || gv_starts(w[i], "receiver");
	}
	return true;
}

static const char *const talk[] = {
	"Connecting to host",
	"Accepted connection",
	"Server listening",
	"Client connecting",
	"Reverse mode",
	"iperf 3",
	"Linux ",
	"Control connection",
	"Time:",
	"Cookie:",
	"TCP MSS",
	"Starting Test",
	"Test Complete",
	"CPU Utilization",
	"snd_tcp_",
	"rcv_tcp_",
	"TCP window size",
	"UDP buffer size",
	"Sending ",
	"Receiving ",
	"IPG target",
	"Binding to",
	"WARNING: ",
	"Summary Results",
	"TCP congestion",
	"Bandwidth limit",
	"Write buffer",
	"Read buffer",
};

static bool is_talk(gv_str t)
{
	for (size_t i = 0; i < sizeof(talk) / sizeof(talk[0]); i++)
		if (gv_starts(t, talk[i]))
			return true;
	return gv_starts(t, "- - -") || gv_starts(t, "-----");
}

static bool is_start(gv_str t)
{
	return gv_starts(t, "Connecting to host") || gv_starts(t, "Client connecting") ||
	       gv_starts(t, "Accepted connection") || gv_starts(t, "Server listening");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str top = gv_trim(l[0].text);
	struct row r;
	size_t end = 0;
	bool rows = false;

	(void)seg;
	if (!is_start(top) && !parse_row(top, &r) && !(gv_is(id_of(top), "ID") && gv_has(top, "Interval")))
		return 0;
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);

		if (gv_starts(t, "iperf Done"))
			return i + 1;
		if (parse_row(t, &r))
			rows = true;
		else if (rows && is_start(t))
			break; /* the next test of a server */
		else if (t.n && !is_talk(t) && !id_of(t).n)
			break;
		if (t.n)
			end = i + 1;
	}
	return end;
}

struct sum {
	double rate, retr;
	size_t n;    /* rows */
	bool of_all; /* a [SUM] row */
	const struct gv_line *at;
};

static void add(struct sum *s, const struct row *r, const struct gv_line *l)
{
	bool all = gv_is(r->id, "SUM");

	if (s->of_all && !all)
		return;
	if (all) /* streams that came before it are in it */
		*s = (struct sum){ .of_all = true, .retr = -1 };
	else if (!s->n)
		s->retr = -1;
	s->rate += r->rate;
	if (r->retr >= 0)
		s->retr = (s->retr < 0 ? 0 : s->retr) + r->retr;
	if (!s->n)
		s->at = l;
	s->n++;
}

struct reading {
	struct gv_read *r;
	gv_str role;
	struct sum sent, received;
	size_t intervals;
	double longest; /* of the rows without sender or receiver */
	double shortest;
	const struct gv_line *any; /* a row of this role */
};

static void collect(struct reading *x, const struct gv_line *l, size_t n)
{
	struct row r;

	for (size_t i = 0; i < n; i++) {
		if (!parse_row(l[i].text, &r) || !gv_eq(r.role, x->role))
			continue;
		x->any = x->any ? x->any : &l[i];
		if (r.sender)
			add(&x->sent, &r, &l[i]);
		else if (r.receiver)
			add(&x->received, &r, &l[i]);
		else {
			double len = r.to - r.from;

			x->intervals++;
			x->longest = len > x->longest ? len : x->longest;
			x->shortest = x->shortest == 0 || len < x->shortest ? len : x->shortest;
		}
	}
}

/* iperf 2 and outputs that were cut: where one row spans much more than the others it is the summary, and else every
 * row is a sample. Rows of single streams are left out where there are sums. */
static void put_intervals(struct reading *x, struct gv_entity *e, const struct gv_line *l, size_t n)
{
	bool summary = x->longest > 1.5 * x->shortest, sums = false;
	uint32_t sample = 0;
	struct sum all = { 0 };
	double from = -1;
	struct row r;

	for (size_t i = 0; i < n; i++)
		sums = sums || (parse_row(l[i].text, &r) && gv_is(r.id, "SUM"));
	for (size_t i = 0; i < n; i++) {
		if (!parse_row(l[i].text, &r) || !gv_eq(r.role, x->role) || r.sender || r.receiver)
			continue;
		if ((sums && !gv_is(r.id, "SUM")) || (summary && r.to - r.from < 0.9 * x->longest))
			continue;
		if (all.n && r.from != from) {
			gv_put_nth(x->r, e, GV_F_TEST_BW, all.rate, sample++, 0, all.at);
			all = (struct sum){ 0 };
		}
		from = r.from;
		add(&all, &r, &l[i]);
	}
	if (all.n)
		gv_put_nth(x->r, e, GV_F_TEST_BW, all.rate, sample, 0, all.at);
}

struct setting {
	gv_str peer;
	const struct gv_line *peer_at;
	double streams; /* 0 = not known */
	bool old;	/* iperf 2 */
};

static void read_command(struct setting *s, gv_str cmd)
{
	gv_str w;
	double v;

	while (gv_word(&cmd, &w)) {
		gv_str value = gv_after(w, "=");

		if (gv_is(w, "iperf") || gv_ends(w, "/iperf"))
			s->old = true;
		if (gv_is(w, "|"))
			break;
		if (gv_is(w, "-c") || gv_is(w, "--client"))
			gv_word(&cmd, &s->peer);
		else if (gv_starts(w, "--client="))
			s->peer = value;
		else if ((gv_is(w, "-P") || gv_is(w, "--parallel")) && gv_word(&cmd, &w) && gv_to_num(w, &v))
			s->streams = v;
		else if (gv_starts(w, "--parallel=") && gv_to_num(value, &v))
			s->streams = v;
		else if (gv_starts(w, "-P") && gv_to_num(gv_from(w, 2), &v))
			s->streams = v;
	}
}

static void read_setting(struct setting *s, const struct gv_line *l, size_t n)
{
	gv_str seen[IDS];
	size_t nseen = 0;

	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text), id = id_of(t), peer = GV_NONE;

		if (gv_starts(t, "Connecting to host "))
			peer = gv_before(gv_after(t, "Connecting to host "), ",");
		else if (gv_starts(t, "Client connecting to "))
			peer = gv_before(gv_after(t, "Client connecting to "), ",");
		else if (gv_starts(t, "Accepted connection from "))
			peer = gv_before(gv_after(t, "Accepted connection from "), ",");
		s->old = s->old || gv_starts(t, "Client connecting to ");
		if (peer.n && !s->peer_at) {
			s->peer = peer;
			s->peer_at = &l[i];
		}
		if (!id.n || gv_is(id, "SUM") || gv_is(id, "ID"))
			continue;
		for (size_t k = 0; k < nseen && id.n; k++)
			if (gv_eq(seen[k], id))
				id = GV_NONE;
		if (id.n && nseen < IDS)
			seen[nseen++] = id;
	}
	/* A sum over one stream that is seen: the others were left out. */
	if (!s->streams && nseen)
		s->streams = (double)nseen;
}

static bool has_sum_only_of_one(const struct reading *x, const struct setting *s)
{
	return s->streams == 1 && (x->sent.of_all || x->received.of_all);
}

static void put_test(struct reading *x, const struct setting *s, const struct gv_line *l, size_t n)
{
	struct gv_read *r = x->r;
	gv_str tool = s->old ? GV_STR("iperf") : GV_STR("iperf3");
	gv_str id = s->peer.n ? gv_fmt(r->arena, "%.*s to %.*s", GV_ARG(tool), GV_ARG(s->peer)) : tool;
	struct gv_entity *e;

	if (x->role.n)
		id = gv_fmt(r->arena, "%.*s (%.*s)", GV_ARG(id), GV_ARG(x->role));
	e = gv_see(r, GV_TEST, id);
	gv_put_str(r, e, GV_F_TEST_TOOL, tool, x->any);
	if (s->peer.n)
		gv_put_str(r, e, GV_F_TEST_DEVICE, s->peer, s->peer_at ? s->peer_at : x->any);
	if (s->streams && !has_sum_only_of_one(x, s))
		gv_put_num(r, e, GV_F_TEST_STREAMS, s->streams, x->any);
	if (x->sent.n) {
		gv_put_num(r, e, GV_F_TEST_BW_SENT, x->sent.rate, x->sent.at);
		if (x->sent.retr >= 0)
			gv_put_num(r, e, GV_F_TEST_RETRANS, x->sent.retr, x->sent.at);
	}
	if (x->received.n)
		gv_put_num(r, e, GV_F_TEST_BW, x->received.rate, x->received.at);
	else if (x->sent.n) /* what was sent is the most that can have come through */
		gv_put_num(r, e, GV_F_TEST_BW, x->sent.rate, x->sent.at);
	else if (x->intervals)
		put_intervals(x, e, l, n);
}

static void read_iperf3(struct gv_read *r, const struct gv_line *l, size_t n)
{
	static const char *const roles[] = { "", "TX-C", "RX-C", "TX-S", "RX-S" };
	struct setting s = { 0 };

	read_command(&s, r->block->seg->cmd);
	read_setting(&s, l, n);
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		struct reading x = { .r = r, .role = gv_str_of(roles[i]) };

		collect(&x, l, n);
		if (x.any)
			put_test(&x, &s, l, n);
	}
}

const struct gv_format gv_format_iperf3 = {
	.name = "iperf3",
	.heads = { "Connecting to host", "Client connecting", "Accepted connection from", "bits/sec", "[ ID]", "[ID]",
		   "Bytes/sec" },
	.claim = claim,
	.read = read_iperf3,
};
