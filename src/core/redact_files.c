/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of files that people add to a capture, whose form says what stands where: passwd, shadow, hosts, resolv.conf,
 * known_hosts, .pgpass, Dockerfiles, and Slurm's messages. */
#include "core/redact_common.h"

#define FIELDS 10

/* Fields between colons; how many there are, at most FIELDS. */
static size_t fields_of(gv_str s, gv_str *f)
{
	size_t n = 0;

	for (gv_str piece; n < FIELDS && gv_next(&s, ':', &piece);)
		f[n++] = piece;
	return n;
}

static bool digits(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!gv_rd_is(s.p[i], GV_C_DIGIT))
			return false;
	return s.n > 0;
}

/* name:x:uid:gid:full name:home:shell, and the nine fields of shadow, whose hash scan.c knows by its form */
static void accounts(struct gv_rd_scan *sc)
{
	gv_str f[FIELDS], s = gv_rtrim(sc->s);
	ptrdiff_t first = s.n < 1024 ? gv_find_c(gv_sub(s, 0, 64), ':') : -1;
	size_t n = first > 0 && gv_find_c(gv_sub(s, 0, (size_t)first), ' ') < 0 ? fields_of(s, f) : 0;

	if (n == 7 && digits(f[2]) && digits(f[3]) && f[6].n && f[6].p[0] == '/') {
		gv_rd_mark(sc, f[0], GV_SECRET_USER);
		if (f[4].n && !gv_rd_account(sc->r, f[0]) && gv_trim(f[4]).n && !gv_rd_pseudonym(GV_SECRET_TOKEN, f[4]))
			gv_rd_mark(sc, f[4], GV_SECRET_TOKEN);
	} else if (n == 9 && f[1].n && (f[1].p[0] == '$' || f[1].p[0] == '!' || f[1].p[0] == '*') && digits(f[2])) {
		gv_rd_mark(sc, f[0], GV_SECRET_USER);
	} else if (n == 5 && !gv_has(s, " ") && (digits(f[1]) || gv_is(f[1], "*")) && f[4].n &&
		   gv_rd_host_ok(sc->r, f[0])) {
		gv_rd_mark(sc, f[0], GV_SECRET_HOST); /* host:port:database:user:password of .pgpass */
		gv_rd_mark(sc, f[3], GV_SECRET_USER);
		if (!gv_rd_pseudonym(GV_SECRET_TOKEN, f[4]))
			gv_rd_mark(sc, f[4], GV_SECRET_TOKEN);
	}
}

/* An address as /etc/hosts has it; "0000:41:00.0" and "10:44:02" are none. */
static bool address(gv_str s)
{
	size_t dots = 0, colons = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!gv_rd_is(s.p[i], GV_C_HEX) && s.p[i] != '.' && s.p[i] != ':')
			return false;
		dots += s.p[i] == '.';
		colons += s.p[i] == ':';
	}
	return colons ? !dots && gv_has(s, "::") : dots == 3;
}

/* "10.1.2.3 gpu07 gpu07.example.org" of /etc/hosts; nothing but names may follow, but for a comment */
static void hosts_file(struct gv_rd_scan *sc)
{
	gv_str rest = gv_sub(sc->s, 0, 512), w, names[8];
	size_t n = 0;

	if (!rest.n || !gv_rd_is(rest.p[0], GV_C_HEX | GV_C_DIGIT) || !gv_word(&rest, &w) || !address(w))
		return;
	while (n < 8 && gv_word(&rest, &w) && w.p[0] != '#') {
		if (gv_find_c(w, '[') >= 0 || !gv_rd_host_ok(sc->r, w) || !gv_rd_is(w.p[0], GV_C_ALPHA))
			return;
		names[n++] = w;
	}
	/* an address and a word or two may be prose: one name must tell that it is one */
	for (size_t i = 0; i < n; i++)
		if (gv_rd_telling(sc->r, names[i])) {
			for (size_t k = 0; k < n; k++)
				gv_rd_mark(sc, names[k], GV_SECRET_HOST);
			return;
		}
}

/* "search example.org lab.example.org", "domain example.org" */
static void resolver(struct gv_rd_scan *sc)
{
	gv_str rest = sc->s, w, all;

	if ((!gv_starts(rest, "search ") && !gv_starts(rest, "domain ")) || rest.n > 512)
		return;
	gv_word(&rest, &w);
	for (all = rest; gv_word(&all, &w);)
		if (!gv_has(w, ".") || !gv_rd_host_ok(sc->r, w))
			return;
	while (gv_word(&rest, &w))
		gv_rd_mark(sc, w, GV_SECRET_DOMAIN);
}

/* "host,10.1.2.3 ssh-ed25519 AAAA..." */
static void known_hosts(struct gv_rd_scan *sc)
{
	gv_str rest = gv_sub(sc->s, 0, 512), names = GV_NONE, kind = GV_NONE, one;
	ptrdiff_t blank = gv_find_c(rest, ' ');

	if (blank < 0 || !gv_rd_one_of(gv_rd_at(rest, (size_t)blank + 1), "se"))
		return;
	if (!gv_word(&rest, &names) || !gv_word(&rest, &kind) ||
	    !(gv_starts(kind, "ssh-") || gv_starts(kind, "ecdsa-sha2-")) || gv_find(rest, "AAAA") < 0)
		return;
	while (gv_next(&names, ',', &one)) {
		gv_str inner = gv_between(one, "[", "]");

		gv_rd_mark(sc, inner.n ? inner : one, GV_SECRET_HOST);
	}
}

/* "ENV NAME value" of a Dockerfile, "setenv NAME value" of csh */
static void env_line(struct gv_rd_scan *sc)
{
	gv_str rest = gv_trim(sc->s), w = GV_NONE, name = GV_NONE;
	enum gv_rd_key k;

	if (!gv_starts(rest, "ENV ") && !gv_starts(rest, "setenv "))
		return;
	gv_word(&rest, &w);
	gv_word(&rest, &name);
	rest = gv_trim(rest);
	k = gv_rd_key_of(sc->r, name);
	if ((k == GV_KEY_SECRET || k == GV_KEY_WEAK) && rest.n && !gv_rd_placeholder(sc->r, rest))
		gv_rd_mark(sc, rest, GV_SECRET_TOKEN);
}

/* "slurmstepd: error: *** STEP 4711.0 ON gpu07 CANCELLED AT ..." */
static void slurm(struct gv_rd_scan *sc, gv_str text)
{
	gv_str rest;

	if (!gv_starts(text, "slurmstepd"))
		return;
	rest = gv_after(text, " ON ");
	if (gv_find(rest, " CANCELLED") > 0)
		gv_rd_mark(sc, gv_before(rest, " "), GV_SECRET_HOST);
}

void gv_rd_files(struct gv_rd_scan *sc, gv_str text)
{
	accounts(sc);
	hosts_file(sc);
	resolver(sc);
	known_hosts(sc);
	env_line(sc);
	slurm(sc, text);
}
