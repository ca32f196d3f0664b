/* SPDX-License-Identifier: Apache-2.0 */
/* Documents, line by line, and what one line says about those that follow: PEM blocks, block scalars, Secrets. */
#include "core/redact_common.h"

#include "core/evidence.h"

struct gv_redactor *gv_redactor_new(struct gv_arena *a)
{
	struct gv_redactor *r = GV_NEW(a, struct gv_redactor);
	struct gv_map *maps[] = { &r->words, &r->lists, &r->learned, &r->eui,	   &r->mac,	 &r->tree,
				  &r->kids,  &r->addr,	&r->issued,  &r->reserved, &r->uuid_head };

	r->arena = a;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		maps[i]->arena = a;
	for (size_t i = 0; i < GV_SECRETS; i++)
		r->no[i].of.arena = a;
	gv_rd_lists_init(r);
	gv_rd_phrases_init(r->phrase);
	gv_rd_tokens_init(r);
	return r;
}

void gv_redact_know(struct gv_redactor *r, enum gv_secret what, gv_str value)
{
	value = gv_trim(value);
	if (what != GV_SECRET_PATH) {
		if (what != GV_SECRET_USER || gv_rd_user_ok(r, value))
			gv_rd_learn(r, what, value);
		return;
	}
	while (value.n > 1 && value.p[value.n - 1] == '/')
		value.n--;
	if (value.n > 1 && value.p[0] == '/' && r->nhomes < sizeof(r->home) / sizeof(r->home[0]))
		r->home[r->nhomes++] = gv_dup(r->arena, value);
}

/* Without colour codes, titles of terminals and what backspaces took away: a secret may be cut in two by them. */
static gv_str without_codes(struct gv_buf *scratch, gv_str s)
{
	scratch->n = 0;
	for (size_t i = 0; i < s.n; i++) {
		char next = gv_rd_at(s, i + 1);

		if (s.p[i] == '\b') {
			scratch->n -= scratch->n > 0;
		} else if (s.p[i] != 27) {
			gv_putc(scratch, s.p[i]);
		} else if (next == '[') {
			for (i += 2; i < s.n && !(s.p[i] >= '@' && s.p[i] <= '~'); i++)
				;
		} else if (next == ']') {
			for (i += 2; i < s.n && s.p[i] != 7 && s.p[i] != 27; i++)
				;
			i += i + 1 < s.n && s.p[i] == 27;
		} else {
			i += next == '(' || next == ')' ? 2 : 1;
		}
	}
	return gv_buf_str(scratch);
}

static gv_str line_at(gv_str text, size_t at)
{
	gv_str rest = gv_from(text, at);
	const char *nl = rest.n ? memchr(rest.p, '\n', rest.n) : NULL;

	return nl ? gv_sub(rest, 0, (size_t)(nl - rest.p)) : rest;
}

static bool base64(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!gv_rd_is(s.p[i], GV_C_ALNUM) && !gv_rd_one_of(s.p[i], "+/=_-"))
			return false;
	return s.n >= 4;
}

/* What a line of a PEM block holds: its last word, where that is the whole line, long, or the last before the end. */
static gv_str pem_body(gv_str line, gv_str next)
{
	gv_str s = gv_trim(line), w;
	size_t from = s.n;

	while (from && !gv_rd_is(s.p[from - 1], GV_C_BLANK) && s.p[from - 1] != '"' && s.p[from - 1] != '\'')
		from--;
	w = gv_from(s, from);
	if (!base64(w) || (from && w.n < 40 && !gv_has(next, "-----END")))
		return GV_NONE;
	return w;
}

/* The block that begins behind this line gets one pseudonym, by all that it holds. */
static uint32_t pem_number(struct gv_redactor *r, gv_str text, size_t at)
{
	uint64_t h = 0xcbf29ce484222325u;
	char key[32];
	int n;

	for (unsigned lines = 0; at < text.n && lines < 400; lines++) {
		gv_str line = line_at(text, at), body;

		at += line.n + 1;
		if (line.n > 4096 || gv_has(line, "-----"))
			break;
		body = pem_body(line, line_at(text, at));
		for (size_t i = 0; i < body.n; i++)
			h = (h ^ (unsigned char)body.p[i]) * 0x100000001b3u;
	}
	n = snprintf(key, sizeof(key), "pem %016llx", (unsigned long long)h);
	return gv_rd_number(r, GV_SECRET_TOKEN, (gv_str){ key, (size_t)n });
}

/* True where the line was written. */
static bool pem(struct gv_rd_scan *sc, gv_str text, size_t next)
{
	struct gv_rd_doc *d = &sc->r->doc;
	ptrdiff_t begin, end;
	size_t from;
	gv_str body;

	begin = gv_find(sc->s, "-----BEGIN ");
	end = gv_find(sc->s, "-----END ");
	if (begin >= 0) {
		gv_str rest = gv_from(sc->s, (size_t)begin + 11);
		ptrdiff_t dashes = gv_find(rest, "-----");

		if (dashes >= 0 && end > begin) { /* the whole block in one line */
			from = (size_t)begin + 11 + (size_t)dashes + 5;
			body = gv_sub(sc->s, from, (size_t)end > from ? (size_t)end - from : 0);
			while (body.n && (gv_rd_is(body.p[0], GV_C_BLANK) || gv_starts(body, "\\n")))
				body = gv_from(body, body.p[0] == '\\' ? 2 : 1);
			while (body.n && (gv_rd_is(body.p[body.n - 1], GV_C_BLANK) || gv_ends(body, "\\n")))
				body.n -= body.n > 1 && gv_ends(body, "\\n") ? 2 : 1;
			if (body.n && !gv_rd_pseudonym(GV_SECRET_TOKEN, body))
				gv_rd_mark(sc, body, GV_SECRET_TOKEN);
		} else if (dashes >= 0) {
			d->pem = 400;
			d->pem_no = sc->out ? pem_number(sc->r, text, next) : 0;
		}
		return false;
	}
	if (end >= 0 || !d->pem) {
		d->pem = 0;
		return false;
	}
	d->pem--;
	body = pem_body(sc->s, sc->next_line);
	if (!body.n) {
		/* headers and the blank line behind them are all that may stand between */
		if (gv_trim(sc->s).n && gv_find_c(sc->s, ':') < 0)
			d->pem = 0;
		return false;
	}
	from = (size_t)(body.p - sc->s.p);
	if (sc->out && !gv_rd_pseudonym(GV_SECRET_TOKEN, body)) {
		gv_put(sc->out, gv_sub(sc->s, 0, from));
		gv_printf(sc->out, "secret-%u", d->pem_no);
		gv_put(sc->out, gv_from(sc->s, from + body.n));
	} else if (sc->out) {
		gv_put(sc->out, sc->s);
	}
	return true;
}

/* Lines below "password: |" */
static void block_scalar(struct gv_rd_scan *sc)
{
	gv_str s = gv_trim(sc->s);

	if (sc->r->doc.block < 0 || !s.n)
		return;
	if ((ptrdiff_t)gv_indent(sc->s) <= sc->r->doc.block)
		sc->r->doc.block = -1;
	else if (!gv_rd_pseudonym(GV_SECRET_TOKEN, s))
		gv_rd_mark(sc, s, GV_SECRET_TOKEN);
}

/* `data:` of a Kubernetes Secret */
static void secret_data(struct gv_rd_scan *sc)
{
	struct gv_rd_doc *d = &sc->r->doc;
	gv_str s = gv_trim(sc->s);
	ptrdiff_t indent = (ptrdiff_t)gv_indent(sc->s);

	if (!d->kind_secret || !s.n)
		return;
	if (d->data >= 0 && indent <= d->data)
		d->data = -1;
	if (d->data >= 0)
		sc->secret_data = true;
	else if (gv_is(s, "data:") || gv_is(s, "stringData:") || gv_is(s, "\"data\": {") ||
		 gv_is(s, "\"stringData\": {"))
		d->data = indent;
	else if (gv_has(s, "\"kind\":\"Secret\"") || gv_has(s, "\\\"kind\\\":\\\"Secret\\\""))
		sc->secret_data = true;
}

/* "machine x login y password z" of .netrc, in one line or several */
static void netrc(struct gv_rd_scan *sc)
{
	struct gv_rd_doc *d = &sc->r->doc;
	gv_str rest = sc->s, w, before = GV_NONE;

	if (gv_starts(gv_trim(sc->s), "machine "))
		d->netrc = 5;
	if (!d->netrc)
		return;
	d->netrc--;
	for (unsigned n = 0; n < 16 && gv_word(&rest, &w); n++) {
		if (gv_is(before, "machine") && !gv_rd_public(sc->r, w))
			gv_rd_mark(sc, w, GV_SECRET_HOST);
		else if (gv_is(before, "login") || gv_is(before, "account"))
			gv_rd_mark(sc, w, GV_SECRET_USER);
		else if (gv_is(before, "password") && !gv_rd_placeholder(sc->r, w))
			gv_rd_mark(sc, w, GV_SECRET_TOKEN);
		before = w;
	}
}

static void one_line(struct gv_redactor *r, gv_str text, gv_str line, size_t next, gv_str raw_next, struct gv_buf *out)
{
	struct gv_rd_scan sc = { .r = r, .s = line, .next_line = raw_next, .out = out, .guid = -1 };
	struct gv_rd_doc *d = &r->doc;

	if (gv_has(line, "-----") || d->pem)
		if (pem(&sc, text, next))
			return;
	sc.has_at = gv_find_c(line, '@') >= 0 || (gv_find_c(line, '%') >= 0 && gv_has(line, "%40"));
	block_scalar(&sc);
	secret_data(&sc);
	netrc(&sc);
	gv_rd_line(&sc);
	gv_rd_scan(&sc);
	d->pending -= d->pending > 0;
	d->assigns = gv_rd_is_assignment(line);
}

static gv_str base_name(gv_str name)
{
	ptrdiff_t slash = gv_rfind(name, "/");

	return slash >= 0 ? gv_from(name, (size_t)slash + 1) : name;
}

static void document(struct gv_redactor *r, gv_str name, gv_str text, struct gv_buf *out)
{
	struct gv_buf scratch = { 0 };
	bool again = r->doc.again;

	r->doc = (struct gv_rd_doc){ .block = -1, .data = -1, .again = again };
	r->doc.nul = gv_find_c(text, '\0') >= 0;
	r->doc.kind_secret =
	    gv_has(text, "kind: Secret") || gv_has(text, "\"kind\": \"Secret\"") || gv_has(text, "\"kind\":\"Secret\"");
	r->doc.hostname = text.n < 1024 && gv_has(base_name(name), "hostname");
	for (size_t at = 0; at < text.n;) {
		gv_str line = line_at(text, at);
		bool more = at + line.n < text.n;

		at += line.n + 1;
		if (gv_find_c(line, 27) >= 0 || gv_find_c(line, '\b') >= 0)
			line = without_codes(&scratch, line);
		one_line(r, text, line, at, gv_sub(line_at(text, at), 0, 256), out);
		if (more && out)
			gv_putc(out, '\n');
	}
	gv_buf_free(&scratch);
}

/* Which text that is, to know it again. */
static gv_str text_key(gv_str name, gv_str text, uint64_t key[3])
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ text.n, word;

	for (size_t i = 0; i < text.n; i += sizeof(word)) {
		word = 0;
		memcpy(&word, text.p + i, text.n - i < sizeof(word) ? text.n - i : sizeof(word));
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	key[0] = h;
	key[1] = text.n;
	key[2] = 0xcbf29ce484222325u;
	for (size_t i = 0; i < name.n; i++)
		key[2] = (key[2] ^ (unsigned char)name.p[i]) * 0x100000001b3u;
	return (gv_str){ (const char *)key, 3 * sizeof(uint64_t) };
}

static void learn(struct gv_redactor *r, gv_str name, gv_str text)
{
	uint64_t key[3];
	gv_str k = text_key(name, text, key);
	uintptr_t known = (uintptr_t)gv_map_get(&r->learned, k);

	r->doc.again = known == 2;
	if (known)
		return;
	document(r, name, text, NULL);
	if (r->learned.n < GV_SECRETS_MAX)
		*gv_map_put(&r->learned, gv_dup(r->arena, k)) = (void *)(uintptr_t)(r->doc.again ? 2 : 1);
}

void gv_redact_learn(struct gv_redactor *r, gv_str name, gv_str text)
{
	struct gv_arena *a = gv_arena_new();

	gv_to_utf8(a, text, &text);
	learn(r, name, text);
	gv_arena_free(a);
}

bool gv_redact(struct gv_redactor *r, gv_str name, gv_str text, struct gv_buf *out)
{
	struct gv_arena *a = gv_arena_new();
	bool readable = gv_to_utf8(a, text, &text);

	learn(r, name, text);
	document(r, name, text, out); /* what the first pass has seen of earlier redaction is kept */
	gv_arena_free(a);
	return readable;
}

gv_str gv_redact_name(struct gv_redactor *r, gv_str name)
{
	struct gv_buf out = { 0 };
	struct gv_rd_scan sc = { .r = r, .s = name, .out = &out, .guid = -1, .filename = true };
	gv_str ret;

	r->doc = (struct gv_rd_doc){ .block = -1, .data = -1 };
	sc.has_at = gv_find_c(name, '@') >= 0;
	gv_rd_scan(&sc);
	ret = gv_dup(r->arena, gv_buf_str(&out));
	gv_buf_free(&out);
	return ret;
}

size_t gv_redact_count(const struct gv_redactor *r, enum gv_secret what)
{
	return r->count[what];
}

gv_str gv_redact_summary(const struct gv_redactor *r, struct gv_arena *a)
{
	static const char *const one[GV_SECRETS] = { "host",	      "domain",	 "user",
						     "path",	      "address", "hardware address",
						     "serial number", "UUID",	 "secret" };
	gv_str s = GV_NONE;

	for (size_t i = 0; i < GV_SECRETS; i++) {
		size_t n = r->count[i];

		if (n)
			s = gv_fmt(a, "%.*s%s%zu %s%s", GV_ARG(s), s.n ? ", " : "", n, one[i],
				   n == 1			     ? ""
				   : gv_ends(gv_str_of(one[i]), "s") ? "es"
								     : "s");
	}
	return s.n ? s : GV_STR("nothing");
}
