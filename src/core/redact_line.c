/* SPDX-License-Identifier: Apache-2.0 */
/* Names that the form of a line gives away: prompts, prefixes of log lines, rows of tables, lines of known tools. They
 * are marked as spans of the line; scan.c replaces what is marked. */
#include "core/redact_common.h"

#include "core/evidence.h"

#define WORDS 24

void gv_rd_mark(struct gv_rd_scan *sc, gv_str part, enum gv_secret what)
{
	size_t from = (size_t)(part.p - sc->s.p), k;

	if (!part.n || sc->nspans == GV_RD_SPANS)
		return;
	if (what == GV_SECRET_HOST && !gv_rd_host_ok(sc->r, part))
		return;
	if (what == GV_SECRET_USER && !gv_rd_user_ok(sc->r, part))
		return;
	for (k = sc->nspans; k && sc->span[k - 1].from > from; k--)
		sc->span[k] = sc->span[k - 1];
	sc->span[k] = (struct gv_rd_span){ from, from + part.n, (uint8_t)what };
	sc->nspans++;
}

static bool number(gv_str w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!gv_rd_is(w.p[i], GV_C_DIGIT))
			return false;
	return w.n > 0;
}

static bool name_char(char c)
{
	return gv_rd_is(c, GV_C_ALNUM | GV_C_JOINT);
}

static gv_str name_at(gv_str s)
{
	size_t n = 0;

	while (n < s.n && n < GV_RD_NAME && name_char(s.p[n]))
		n++;
	return gv_sub(s, 0, n);
}

static size_t words_of(gv_str s, gv_str *w)
{
	size_t n = gv_words(gv_sub(s, 0, 1024), w, WORDS);

	return n < WORDS ? n : WORDS;
}

static size_t find_word(const gv_str *w, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if (gv_is(w[i], what))
			return i;
	return SIZE_MAX;
}

static void column(struct gv_rd_table *t, enum gv_rd_column how, size_t at, enum gv_secret what)
{
	if (t->n < sizeof(t->col) / sizeof(t->col[0])) {
		t->col[t->n].how = (uint8_t)how;
		t->col[t->n].at = (uint32_t)at;
		t->col[t->n].what = (uint8_t)what;
		t->n++;
	}
}

static void user_column(struct gv_rd_table *t, const gv_str *w, size_t n)
{
	size_t user = find_word(w, n, "USER"), pid = find_word(w, n, "PID");

	if (user == SIZE_MAX && find_word(w, n, "PPID") != SIZE_MAX)
		user = find_word(w, n, "UID");
	if (user == SIZE_MAX)
		return;
	if (pid == SIZE_MAX) {
		/* w, squeue, who -H */
		if (find_word(w, n, "JOBID") != SIZE_MAX || find_word(w, n, "TTY") != SIZE_MAX ||
		    find_word(w, n, "LINE") != SIZE_MAX)
			column(t, GV_RD_WORD, user, GV_SECRET_USER);
		return;
	}
	column(t,
	       user + 1 == pid	 ? GV_RD_BEFORE_PID
	       : user == pid + 1 ? GV_RD_AFTER_PID
				 : GV_RD_WORD,
	       user, GV_SECRET_USER);
}

static void header(struct gv_rd_scan *sc, gv_str s)
{
	struct gv_rd_table t = { 0 };
	gv_str w[WORDS], front = gv_trim(gv_sub(s, 0, 64));
	size_t n, k;

	if (front.n < 2 || front.p[0] < 'A' || front.p[0] > 'Z' ||
	    !((front.p[1] >= 'A' && front.p[1] <= 'Z') || gv_starts(front, "Node ")))
		return;
	n = words_of(s, w);
	user_column(&t, w, n);
	if ((k = find_word(w, n, "NODE")) != SIZE_MAX && find_word(w, n, "NAME") != SIZE_MAX)
		column(&t, GV_RD_OFFSET, (size_t)(w[k].p - sc->s.p), GV_SECRET_HOST);
	if ((k = find_word(w, n, "NAME")) != SIZE_MAX && find_word(w, n, "ROLES") != SIZE_MAX)
		column(&t, GV_RD_OFFSET, (size_t)(w[k].p - sc->s.p), GV_SECRET_HOST);
	if ((k = find_word(w, n, "NODELIST")) != SIZE_MAX || (k = find_word(w, n, "HOSTNAMES")) != SIZE_MAX)
		column(&t, k + 1 == n ? GV_RD_LAST : GV_RD_WORD, k, GV_SECRET_HOST);
	if (find_word(w, n, "NODELIST(REASON)") != SIZE_MAX)
		column(&t, GV_RD_LAST, 0, GV_SECRET_HOST);
	if ((k = find_word(w, n, "SERIAL")) != SIZE_MAX ||
	    ((k = find_word(w, n, "SN")) != SIZE_MAX && find_word(w, n, "Node") == 0))
		column(&t, GV_RD_OFFSET, (size_t)(w[k].p - sc->s.p), GV_SECRET_SERIAL);
	if ((k = find_word(w, n, "WWN")) != SIZE_MAX)
		column(&t, GV_RD_OFFSET, (size_t)(w[k].p - sc->s.p), GV_SECRET_MAC);
	if (t.n)
		sc->r->doc.table = t;
}

static gv_str word_from(gv_str s, size_t at)
{
	size_t end = at;

	if (at >= s.n || gv_rd_is(s.p[at], GV_C_BLANK) || (at && !gv_rd_is(s.p[at - 1], GV_C_BLANK)))
		return GV_NONE;
	while (end < s.n && !gv_rd_is(s.p[end], GV_C_BLANK))
		end++;
	return gv_sub(s, at, end - at);
}

static bool serial_like(gv_str s)
{
	size_t digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		digits += gv_rd_is(s.p[i], GV_C_DIGIT);
		if (!name_char(s.p[i]))
			return false;
	}
	return digits && s.n >= 6 && !gv_rd_pseudonym(GV_SECRET_SERIAL, s);
}

static void row(struct gv_rd_scan *sc)
{
	const struct gv_rd_table *t = &sc->r->doc.table;
	gv_str w[WORDS];
	size_t n = words_of(sc->s, w), pid = 0;

	if (!n) {
		sc->r->doc.table.n = 0;
		return;
	}
	while (pid < n && !number(w[pid]))
		pid++;
	for (size_t k = 0; k < t->n; k++) {
		gv_str cell = GV_NONE;

		switch (t->col[k].how) {
		case GV_RD_OFFSET:
			cell = word_from(sc->s, t->col[k].at);
			break;
		case GV_RD_WORD:
			cell = t->col[k].at < n ? w[t->col[k].at] : GV_NONE;
			break;
		case GV_RD_LAST:
			cell = w[n - 1];
			break;
		case GV_RD_BEFORE_PID:
			cell = pid && pid < n ? w[pid - 1] : GV_NONE;
			break;
		default:
			cell = pid + 1 < n ? w[pid + 1] : GV_NONE;
		}
		if (t->col[k].what == GV_SECRET_MAC)
			sc->guid = 1;
		else if (t->col[k].what != GV_SECRET_SERIAL || serial_like(cell))
			gv_rd_mark(sc, cell, t->col[k].what);
	}
}

/* "-rw-r--r-- 1 alice research 4096 ..." */
static void listing(struct gv_rd_scan *sc, gv_str s)
{
	gv_str w[WORDS];

	if (s.n < 20 || !gv_rd_one_of(s.p[0], "-dlcbps") || !gv_rd_one_of(s.p[1], "-r") ||
	    !gv_rd_one_of(s.p[2], "-w") || !gv_rd_one_of(s.p[3], "-xsS") || !gv_rd_one_of(s.p[4], "-r") ||
	    words_of(s, w) < 6 || w[0].n < 10 || w[0].n > 11 || !number(w[1]))
		return;
	gv_rd_mark(sc, w[2], GV_SECRET_USER);
	gv_rd_mark(sc, w[3], GV_SECRET_USER);
}

/* uid=1000(alice) gid=1000(alice) groups=1000(alice),27(sudo); "Uid: ( 1000/   alice)"; UserId=alice(1000) is a key's
 * value */
static void ids(struct gv_rd_scan *sc, gv_str s)
{
	if (!(gv_starts(s, "uid=") && gv_has(s, "gid=")) &&
	    !(gv_starts(s, "Access: (") && gv_has(gv_sub(s, 0, 80), "Uid: (")))
		return;
	for (size_t i = 1; i + 1 < s.n; i++) {
		gv_str name;

		if (s.p[i] != '(' && s.p[i] != '/')
			continue;
		if (!gv_rd_is(s.p[i - 1], GV_C_DIGIT))
			continue;
		for (i++; i < s.n && s.p[i] == ' '; i++)
			;
		name = name_at(gv_from(s, i));
		if (i + name.n < s.n && s.p[i + name.n] == ')')
			gv_rd_mark(sc, name, GV_SECRET_USER);
	}
}

/* "host:pid:tid [0] NCCL INFO", "[host:pid:tid:0]" of UCX, "[host:pid] ..." of Open MPI: at a place where one may begin
 */
static bool rank_prefix(struct gv_rd_scan *sc, gv_str s)
{
	bool bracket = s.n && s.p[0] == '[';
	gv_str name = name_at(gv_from(s, bracket)), rest = gv_from(s, bracket + name.n);
	unsigned numbers = 0;

	if (!name.n || name.n > 128 || !gv_rd_host_ok(sc->r, name))
		return false;
	while (rest.n > 1 && rest.p[0] == ':' && gv_rd_is(rest.p[1], GV_C_DIGIT)) {
		size_t n = 1;

		while (n < rest.n && gv_rd_is(rest.p[n], GV_C_DIGIT))
			n++;
		rest = gv_from(rest, n);
		numbers++;
	}
	if (bracket ? !gv_starts(rest, "]") && !gv_starts(rest, ":]") : !gv_starts(rest, " ") || numbers != 2)
		return false;
	if (bracket && numbers == 1 && !gv_has(gv_sub(rest, 0, 80), "***") && !gv_has(gv_sub(rest, 0, 80), "mca") &&
	    !gv_has(gv_sub(rest, 0, 80), "PMIX") && !gv_has(gv_sub(rest, 0, 80), "[ 0") &&
	    !gv_has(gv_sub(rest, 0, 80), "more process"))
		return false;
	if (!numbers || (!bracket && !gv_starts(rest, " [") && !gv_has(gv_sub(rest, 0, 64), "NCCL")))
		return false;
	gv_rd_mark(sc, name, GV_SECRET_HOST);
	return true;
}

static void ranks(struct gv_rd_scan *sc, gv_str s)
{
	/* at the front, and behind up to three words or prefixes such as "[1,0]<stdout>:" and "0: " */
	for (unsigned word = 0; word < 4 && s.n; word++) {
		size_t n = 0;

		if (rank_prefix(sc, s))
			return;
		while (n < s.n && n < 300 && s.p[n] != ' ' && s.p[n] != '>')
			n++;
		if (n < s.n && s.p[n] == '>' && gv_rd_at(s, n + 1) == ':')
			n++;
		s = gv_from(s, n + 1);
		while (s.n && s.p[0] == ' ')
			s = gv_from(s, 1);
	}
}

/* "Linux name 5.15.0-91 ...", "Linux 5.15.0-91 (name) ..." */
static void kernel_line(struct gv_rd_scan *sc, gv_str s)
{
	gv_str w[WORDS];

	if (!gv_starts(s, "Linux ") || words_of(s, w) < 3)
		return;
	if (gv_rd_is(w[2].p[0], GV_C_DIGIT) && gv_has(w[2], ".") && !gv_is(w[1], "version"))
		gv_rd_mark(sc, w[1], GV_SECRET_HOST);
	if (w[2].p[0] == '(' && gv_ends(w[2], ")") && gv_rd_is(w[1].p[0], GV_C_DIGIT))
		gv_rd_mark(sc, gv_sub(w[2], 1, w[2].n - 2), GV_SECRET_HOST);
}

/* "alice  pts/0  ..." of who, w and last; "gpu07  Tue Jan 13 ..." of gpustat */
static void sessions(struct gv_rd_scan *sc, gv_str s)
{
	gv_str rest = gv_sub(s, 0, 200), name = GV_NONE, second = GV_NONE, w[WORDS];

	if (!s.n || !(gv_rd_is(s.p[0], GV_C_ALPHA) || s.p[0] == '_') || !gv_word(&rest, &name) ||
	    !gv_word(&rest, &second))
		return;
	if ((gv_starts(second, "pts/") && number(gv_from(second, 4))) ||
	    (gv_starts(second, "tty") && number(gv_from(second, 3))))
		gv_rd_mark(sc, name, GV_SECRET_USER);
	if (second.n == 3 && gv_rd_in(sc->r, second, GV_L_DAY) && words_of(rest, w) >= 3 &&
	    gv_rd_in(sc->r, w[0], GV_L_MONTH) && number(w[1]) && gv_find_c(w[2], ':') > 0 && gv_find_c(name, ':') < 0)
		gv_rd_mark(sc, name, GV_SECRET_HOST);
}

static bool has_export(gv_str s)
{
	for (size_t i = 1; i < s.n; i++) {
		const char *slash = memchr(s.p + i, '/', s.n - i);

		if (!slash)
			return false;
		if (slash[-1] == ':')
			return true;
		i = (size_t)(slash - s.p);
	}
	return false;
}

/* "host:/export" of NFS and its kin in df, mount and fstab; "name@o2ib:/" of Lustre */
static void exports(struct gv_rd_scan *sc, gv_str s)
{
	gv_str w[WORDS];
	size_t n;

	if (!has_export(gv_sub(s, 0, 1024)))
		return;
	n = words_of(s, w);
	for (size_t k = 0; k < n; k++) {
		gv_str host = name_at(w[k]);
		gv_str rest = gv_from(w[k], host.n);

		if (rest.n && rest.p[0] == '@')
			rest = gv_from(rest, 1 + name_at(gv_from(rest, 1)).n);
		if (!host.n || !gv_starts(rest, ":/") || gv_starts(rest, "://") || !gv_rd_is(host.p[0], GV_C_ALPHA))
			continue;
		/* alone on the line, behind "mount", or with what tables of mounts have */
		if ((k == 0 && (n >= 5 || n == 1)) || gv_has(s, " nfs") || gv_has(s, "lustre") || gv_has(s, "ceph") ||
		    gv_has(s, "gluster") || gv_is(w[0], "mount"))
			gv_rd_mark(sc, host, GV_SECRET_HOST);
	}
}

/* First word behind "ssh" and its options that is no option; user@host. */
static void ssh_target(struct gv_rd_scan *sc, gv_str cmd)
{
	gv_str w[WORDS];
	size_t n = words_of(cmd, w), k = 0;

	while (k < n && !gv_is(w[k], "ssh") && !gv_is(w[k], "scp") && !gv_is(w[k], "rsync") && !gv_is(w[k], "sftp") &&
	       !gv_is(w[k], "ssh-copy-id"))
		k++;
	if (k > 3 || k == n)
		return;
	for (bool ssh = gv_is(w[k], "ssh"); ++k < n;) {
		gv_str host = w[k], user;
		ptrdiff_t at;

		if (host.p[0] == '-') {
			k += host.n == 2 && gv_rd_one_of(host.p[1], "piloFLRDbceEIJmOQSwW");
			continue;
		}
		at = gv_find_c(host, '@');
		if (at > 0) {
			user = gv_sub(host, 0, (size_t)at);
			gv_rd_mark(sc, user, GV_SECRET_USER);
			host = gv_from(host, (size_t)at + 1);
		}
		if (!ssh && gv_find_c(host, ':') < 0)
			continue;
		gv_rd_mark(sc, name_at(host), GV_SECRET_HOST);
		if (ssh)
			return;
	}
}

static void prompt(struct gv_rd_scan *sc)
{
	gv_str cmd = GV_NONE, host = GV_NONE, w = GV_NONE, rest;
	size_t at, from;

	if (!gv_prompt(sc->s, &cmd, &host)) {
		if (gv_starts(sc->s, "ssh ") || gv_starts(sc->s, "scp ") || gv_starts(sc->s, "rsync "))
			ssh_target(sc, sc->s);
		return;
	}
	sc->r->doc.table.n = 0;
	rest = cmd;
	gv_word(&rest, &w);
	sc->r->doc.hostname = gv_is(w, "hostname") && cmd.n < 16;
	if (cmd.n)
		ssh_target(sc, cmd);
	if (!host.n)
		return;
	gv_rd_mark(sc, host, GV_SECRET_HOST);
	at = (size_t)(host.p - sc->s.p);
	if (!at || sc->s.p[at - 1] != '@')
		return;
	from = --at;
	while (from && name_char(sc->s.p[from - 1]))
		from--;
	gv_rd_mark(sc, gv_sub(sc->s, from, at - from), GV_SECRET_USER);
}

/* Lines of what logs people in: their words name users. */
static void logins(struct gv_rd_scan *sc, const struct gv_logline *l)
{
	gv_str s = gv_trim(l->text);

	sc->auth = gv_rd_in(sc->r, l->tag, GV_L_LOGIN_TAG) || (l->tag.n && gv_has(s, "pam_unix("));
	if (gv_is(l->tag, "sudo") && gv_find(s, " : ") > 0)
		gv_rd_mark(sc, gv_sub(s, 0, (size_t)gv_find(s, " : ")), GV_SECRET_USER);
	if (gv_rd_in(sc->r, l->tag, GV_L_CRON) && gv_starts(s, "("))
		gv_rd_mark(sc, name_at(gv_from(s, 1)), GV_SECRET_USER);
	if (gv_is(l->tag, "su") && gv_starts(s, "(to "))
		gv_rd_mark(sc, name_at(gv_trim(gv_after(s, ")"))), GV_SECRET_USER);
}

/* "Name:   gpu07" of `kubectl describe node` */
static void described_node(struct gv_rd_scan *sc)
{
	if (gv_starts(sc->s, "Name:") && gv_starts(sc->next_line, "Roles:"))
		gv_rd_mark(sc, gv_trim(gv_from(sc->s, 5)), GV_SECRET_HOST);
}

/* gpustat: "| alice(1234M) bob(20M)" */
static void memory_of_users(struct gv_rd_scan *sc, gv_str s)
{
	ptrdiff_t bar;

	if (!gv_starts(s, "[") || !gv_has(gv_sub(s, 0, 200), " MB |"))
		return;
	bar = gv_find(s, " MB |");
	s = gv_from(s, (size_t)bar + 5);
	for (gv_str w; gv_word(&s, &w);) {
		gv_str name = name_at(w);

		if (name.n < w.n && w.p[name.n] == '(' && gv_ends(w, "M)"))
			gv_rd_mark(sc, name, GV_SECRET_USER);
	}
}

void gv_rd_line(struct gv_rd_scan *sc)
{
	struct gv_rd_doc *d = &sc->r->doc;
	struct gv_logline l = { .text = sc->s };
	gv_str alone = gv_trim(sc->s);

	if (d->hostname && alone.n) {
		gv_rd_mark(sc, alone, GV_SECRET_HOST);
		d->hostname = false;
	}
	if (d->table.n)
		row(sc);
	header(sc, sc->s);
	if (gv_logline_parse(sc->s, &l)) {
		if (l.host.n && !gv_rd_in(sc->r, l.host, GV_L_LEVEL))
			gv_rd_mark(sc, l.host, GV_SECRET_HOST);
		logins(sc, &l);
	}
	if (gv_starts(sc->s, "-- Boot ") && sc->s.n >= 40)
		gv_rd_mark(sc, gv_sub(sc->s, 8, 32), GV_SECRET_UUID);
	prompt(sc);
	gv_rd_files(sc, l.text);
	ranks(sc, l.text);
	kernel_line(sc, l.text);
	listing(sc, sc->s);
	ids(sc, l.text);
	sessions(sc, sc->s);
	exports(sc, l.text);
	described_node(sc);
	memory_of_users(sc, sc->s);
}

/* Words that a name follows. `auth`: only in lines of what logs people in. Sorted by the first character. */
static const struct phrase {
	const char *text;
	uint8_t what;
	bool auth;
} phrases[] = {
	{ "Accepted keyboard-interactive/pam for ", GV_SECRET_USER, true },
	{ "Accepted password for ", GV_SECRET_USER, true },
	{ "Accepted publickey for ", GV_SECRET_USER, true },
	{ "Connected to ", GV_SECRET_HOST, false },
	{ "Connecting to ", GV_SECRET_HOST, false },
	{ "Connection to ", GV_SECRET_HOST, false },
	{ "Could not resolve host: ", GV_SECRET_HOST, false },
	{ "Could not resolve hostname ", GV_SECRET_HOST, false },
	{ "Failed password for ", GV_SECRET_USER, true },
	{ "Failed publickey for ", GV_SECRET_USER, true },
	{ "Hostname set to <", GV_SECRET_HOST, false },
	{ "Invalid user ", GV_SECRET_USER, true },
	{ "Node \"", GV_SECRET_HOST, false },
	{ "Set hostname to <", GV_SECRET_HOST, false },
	{ "User ", GV_SECRET_USER, true },
	{ "authenticating user ", GV_SECRET_USER, true },
	{ "by user ", GV_SECRET_USER, true },
	{ "connect to host ", GV_SECRET_HOST, false },
	{ "for invalid user ", GV_SECRET_USER, true },
	{ "for user ", GV_SECRET_USER, true },
	{ "from host ", GV_SECRET_HOST, false },
	{ "from node ", GV_SECRET_HOST, false },
	{ "from user ", GV_SECRET_USER, true },
	{ "invalid user ", GV_SECRET_USER, true },
	{ "kubelet, ", GV_SECRET_HOST, false },
	{ "logged in as: ", GV_SECRET_USER, false },
	{ "lookup ", GV_SECRET_HOST, false },
	{ "network address of (", GV_SECRET_HOST, false },
	{ "new user: name=", GV_SECRET_USER, true },
	{ "node \"", GV_SECRET_HOST, false },
	{ "node/", GV_SECRET_HOST, false },
	{ "of user ", GV_SECRET_USER, true },
	{ "on host ", GV_SECRET_HOST, false },
	{ "on node ", GV_SECRET_HOST, false },
	{ "password changed for ", GV_SECRET_USER, true },
	{ "server ", GV_SECRET_HOST, false },
	{ "session opened for user ", GV_SECRET_USER, true },
	{ "srun: error: ", GV_SECRET_HOST, false },
	{ "to node ", GV_SECRET_HOST, false },
};

void gv_rd_phrases_init(uint8_t *first)
{
	for (size_t k = sizeof(phrases) / sizeof(phrases[0]); k-- > 0;)
		first[(unsigned char)phrases[k].text[0]] = (uint8_t)(k + 1);
}

bool gv_rd_telling(const struct gv_redactor *r, gv_str v)
{
	bool digit = false, joint = false;

	for (size_t i = 0; i < v.n; i++) {
		digit |= gv_rd_is(v.p[i], GV_C_DIGIT);
		joint |= v.p[i] == '-' || v.p[i] == '.';
	}
	return gv_rd_is(v.p[0], GV_C_ALPHA) && (digit || joint) && !gv_rd_device_like(r, v);
}

/* At a word: a phrase and the name behind it. Only the name's place is moved to; true where something was replaced. */
bool gv_rd_phrase(struct gv_rd_scan *sc, size_t i)
{
	gv_str rest = gv_from(sc->s, i), name;

	for (size_t k = sc->r->phrase[(unsigned char)rest.p[0]]; k && k <= sizeof(phrases) / sizeof(phrases[0]); k++) {
		const struct phrase *p = &phrases[k - 1];
		size_t n;

		if (p->text[0] != rest.p[0])
			break;
		if (p->text[1] != gv_rd_at(rest, 1))
			continue;
		n = gv_str_of(p->text).n;
		if ((p->auth && !sc->auth) || !gv_starts(rest, p->text))
			continue;
		if (gv_rd_one_of(gv_rd_at(rest, n), "'\"<`"))
			n++;
		name = name_at(gv_from(rest, n));
		while (name.n && name.p[name.n - 1] == '.')
			name.n--;
		if (p->what == GV_SECRET_HOST
			? !name.n || !gv_rd_telling(sc->r, name) || !gv_rd_host_ok(sc->r, name) ||
			      gv_rd_public(sc->r, name)
			: !gv_rd_user_ok(sc->r, name) || gv_rd_in(sc->r, name, GV_L_NOT_USER_NAME))
			continue;
		gv_rd_replace(sc, i + n, i + n + name.n, p->what);
		return true;
	}
	return false;
}
