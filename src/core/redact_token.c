/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that are known by their form, URLs with what they hold, e-mail addresses, and options of programs that take a
 * password. */
#include "core/redact_common.h"

/* What sc->prog says: a program whose options are known, or a key that a name follows. */
enum { P_NONE, P_MYSQL, P_SSHPASS, P_LOGIN, P_CURL, P_REDIS, P_LDAP, P_IPMI, P_SMB, P_SSH, P_WANDB, P_KEY, P_MPI };

/* Characters of a token, beside letters and digits. */
struct token {
	const char *prefix, *also;
	uint8_t least, most; /* characters behind the prefix; most 0: any */
};

/* Sorted by the first character. */
static const struct token tokens[] = {
	{ "AAAAB3NzaC1", "+/=", 20, 0 },
	{ "AAAAC3NzaC1", "+/=", 20, 0 },
	{ "AAAAE2VjZHNh", "+/=", 20, 0 },
	{ "AAAAGnNrLX", "+/=", 20, 0 },
	{ "AAAAInNrLX", "+/=", 20, 0 },
	{ "AGE-SECRET-KEY-", "", 20, 0 },
	{ "AIDA", "", 16, 17 },
	{ "AIza", "_-", 30, 0 },
	{ "AKIA", "", 16, 16 },
	{ "AROA", "", 16, 17 },
	{ "ASIA", "", 16, 16 },
	{ "LTAI", "", 12, 24 },
	{ "SG.", "._-", 40, 0 },
	{ "SHA256:", "+/=", 40, 44 },
	{ "api_org_", "", 20, 0 },
	{ "dckr_pat_", "_-", 20, 0 },
	{ "dop_v1_", "", 40, 0 },
	{ "eyJ", "._-=", 20, 0 },
	{ "gho_", "_", 20, 0 },
	{ "ghp_", "_", 20, 0 },
	{ "ghr_", "_", 20, 0 },
	{ "ghs_", "_", 20, 0 },
	{ "ghu_", "_", 20, 0 },
	{ "github_pat_", "_", 20, 0 },
	{ "glcbt-", "_-.", 16, 0 },
	{ "gldt-", "_-.", 16, 0 },
	{ "glpat-", "_-.", 16, 0 },
	{ "glrt-", "_-.", 16, 0 },
	{ "hf_", "", 20, 0 },
	{ "hvs.", "_-.", 20, 0 },
	{ "lin_api_", "", 20, 0 },
	{ "npm_", "", 30, 0 },
	{ "nvapi-", "_-", 20, 0 },
	{ "pk_live_", "", 16, 0 },
	{ "pypi-", "_-", 40, 0 },
	{ "r8_", "", 30, 0 },
	{ "rk_live_", "", 16, 0 },
	{ "sk-", "_-", 20, 0 },
	{ "sk_live_", "", 16, 0 },
	{ "sk_test_", "", 16, 0 },
	{ "tskey-", "-", 16, 0 },
	{ "wandb_v1_", "_-", 20, 0 },
	{ "xapp-", "-", 10, 0 },
	{ "xoxa-", "-", 10, 0 },
	{ "xoxb-", "-", 10, 0 },
	{ "xoxp-", "-", 10, 0 },
	{ "xoxr-", "-", 10, 0 },
	{ "xoxs-", "-", 10, 0 },
	{ "ya29.", "_-", 20, 0 },
};

static size_t span_of(gv_str s, size_t i, const char *also)
{
	size_t n = 0;

	while (i + n < s.n && (gv_rd_is(s.p[i + n], GV_C_ALNUM) || gv_rd_one_of(s.p[i + n], also)))
		n++;
	return n;
}

static bool has_digit(gv_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (gv_rd_is(s.p[i], GV_C_DIGIT))
			return true;
	return false;
}

static bool base64_char(char c)
{
	return gv_rd_is(c, GV_C_ALNUM) || gv_rd_one_of(c, "+/=_-.~");
}

/* "Bearer x", "Basic x" without their header's name */
static size_t scheme(struct gv_rd_scan *sc, size_t i)
{
	gv_str rest = gv_sub(sc->s, i, 8);
	size_t from, to;

	if (!gv_starts_nocase(rest, "bearer ") && !gv_starts_nocase(rest, "basic "))
		return 0;
	from = to = i + (gv_rd_lower(rest.p[1]) == 'e' ? 7 : 6);
	while (to < sc->s.n && base64_char(sc->s.p[to]))
		to++;
	/* "Basic concepts of ..." is no header: what follows must look random */
	if (to - from < 8 || gv_rd_pseudonym(GV_SECRET_TOKEN, gv_sub(sc->s, from, to - from)) ||
	    !(has_digit(gv_sub(sc->s, from, to - from)) || to - from >= 20 || sc->s.p[to - 1] == '='))
		return 0;
	gv_rd_replace(sc, from, to, GV_SECRET_TOKEN);
	return to - i;
}

size_t gv_rd_token(struct gv_rd_scan *sc, size_t i)
{
	gv_str rest = gv_from(sc->s, i);

	if (rest.p[0] == 'B' || rest.p[0] == 'b') {
		size_t n = scheme(sc, i);

		if (n)
			return n;
	}
	for (size_t k = sc->r->token[(unsigned char)rest.p[0]]; k && k <= sizeof(tokens) / sizeof(tokens[0]); k++) {
		const struct token *t = &tokens[k - 1];
		size_t head, n;

		if (t->prefix[0] != rest.p[0])
			break;
		if (rest.n < 20 || t->prefix[1] != rest.p[1] || !gv_starts(rest, t->prefix))
			continue;
		head = gv_str_of(t->prefix).n;
		n = span_of(sc->s, i + head, t->also);
		if (n < t->least || (t->most && n > t->most))
			continue;
		if (t->prefix[0] == 's' && !has_digit(gv_sub(sc->s, i + head, n)))
			continue;
		if (gv_is(gv_str_of(t->prefix), "eyJ") && gv_find_c(gv_sub(sc->s, i, head + n), '.') < 0 && n < 60)
			continue;
		gv_rd_replace(sc, i, i + head + n, GV_SECRET_TOKEN);
		if (gv_starts(rest, "AAAA")) /* a public key; whose it is follows */
			sc->prog = P_KEY;
		return head + n;
	}
	return 0;
}

/* user@host without a domain, where a program or a key says that it is one */
size_t gv_rd_login(struct gv_rd_scan *sc, size_t i)
{
	size_t at = span_of(sc->s, i, "-_.") + i, to;

	if ((sc->prog != P_SSH && sc->prog != P_KEY) || gv_rd_at(sc->s, at) != '@')
		return 0;
	to = at + 1 + span_of(sc->s, at + 1, "-_.");
	if (to == at + 1 || !gv_rd_host_ok(sc->r, gv_sub(sc->s, at + 1, to - at - 1)))
		return 0;
	if (gv_rd_user_ok(sc->r, gv_sub(sc->s, i, at - i)))
		gv_rd_replace(sc, i, at, GV_SECRET_USER);
	gv_rd_replace(sc, at + 1, to, GV_SECRET_HOST);
	return to - i;
}

static bool url_end(char c)
{
	return gv_rd_is(c, GV_C_BLANK) || gv_rd_one_of(c, "\"'<>`)]}|\\");
}

/* user:password of a URL, [from, at) */
static void userinfo(struct gv_rd_scan *sc, size_t from, size_t at)
{
	gv_str s = gv_sub(sc->s, from, at - from), user = gv_before(s, ":");
	size_t colon = user.n;

	if (colon == s.n) { /* some write the colon as %3A */
		ptrdiff_t enc = gv_find(s, "%3A");

		user = enc >= 0 ? gv_sub(s, 0, (size_t)enc) : user;
	}
	if (user.n >= 16 && has_digit(user) && !gv_rd_pseudonym(GV_SECRET_USER, user)) /* a token in the user's place */
		gv_rd_replace(sc, from, from + user.n, GV_SECRET_TOKEN);
	else if (user.n && !gv_rd_account(sc->r, user) && !gv_rd_pseudonym(GV_SECRET_TOKEN, user))
		gv_rd_replace(sc, from, from + user.n, GV_SECRET_USER);
	if (user.n < s.n) {
		size_t pass = from + user.n + (colon < s.n ? 1 : 3);

		if (pass < at && !gv_rd_placeholder(sc->r, gv_sub(sc->s, pass, at - pass)))
			gv_rd_replace(sc, pass, at, GV_SECRET_TOKEN);
	}
}

static bool no_host_behind(const struct gv_redactor *r, gv_str scheme_name)
{
	return gv_rd_in(r, scheme_name, GV_L_NO_HOST_SCHEME);
}

/* Behind "//" at i: [user[:password]@]host */
static bool authority(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, host;
	size_t end = i, at = SIZE_MAX, limit = s.n - i > 2048 ? i + 2048 : s.n, slash = SIZE_MAX, to;

	for (; end < limit && !url_end(s.p[end]); end++) {
		if (s.p[end] == '@') {
			/* behind a slash: a password may hold one */
			if (slash == SIZE_MAX || at != SIZE_MAX || gv_find_c(gv_sub(s, i, slash - i), ':') > 0)
				at = end;
		} else if (gv_rd_one_of(s.p[end], "/?#")) {
			if (at != SIZE_MAX)
				break;
			slash = slash == SIZE_MAX ? end : slash;
		}
		if (slash != SIZE_MAX && at == SIZE_MAX && end - i > 128)
			break;
	}
	/* "https://gpu07:8080/x@y": what stands before the slash is a host and its port */
	if (at != SIZE_MAX && slash < at) {
		gv_str port = gv_after(gv_sub(s, i, slash - i), ":");
		uint64_t n;

		if (gv_to_u64(port, &n))
			at = SIZE_MAX;
	}
	if (at != SIZE_MAX) {
		userinfo(sc, i, at);
		i = at + 1;
	}
	for (to = i; to < s.n && (gv_rd_is(s.p[to], GV_C_ALNUM) || gv_rd_one_of(s.p[to], "-._")); to++)
		;
	host = gv_sub(s, i, to - i);
	while (host.n && host.p[host.n - 1] == '.')
		host.n--;
	sc->i = i;
	if (gv_rd_host_ok(sc->r, host) && !gv_rd_public(sc->r, host))
		gv_rd_replace(sc, i, i + host.n, GV_SECRET_HOST);
	return true;
}

/* At the ':' of "://", or at the first of two slashes ("//user:password@server/share"). */
bool gv_rd_url(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, name;
	size_t from = i;

	if (s.p[i] == ':') {
		if (gv_rd_at(s, i + 1) != '/' || gv_rd_at(s, i + 2) != '/')
			return false;
		while (from && i - from < 24 &&
		       (gv_rd_is(s.p[from - 1], GV_C_ALNUM) || gv_rd_one_of(s.p[from - 1], "+-.")))
			from--;
		name = gv_sub(s, from, i - from);
		if (!name.n || no_host_behind(sc->r, name) || i + 3 < sc->kept)
			return false;
		return authority(sc, i + 3);
	}
	if (gv_rd_at(s, i + 1) != '/' || !gv_rd_is(gv_rd_at(s, i + 2), GV_C_ALNUM))
		return false;
	if (i && !gv_rd_is(s.p[i - 1], GV_C_BLANK) && !gv_rd_one_of(s.p[i - 1], "\"'=`("))
		return false;
	while (from + 2 < s.n && from - i < 200 && !url_end(s.p[from + 2]) && !gv_rd_one_of(s.p[from + 2], "/@"))
		from++;
	from += 2;
	if (gv_rd_at(s, from) != '/' && gv_rd_at(s, from) != '@')
		return false;
	if (s.p[from] == '/' && i && !gv_has(s, "cifs") && !gv_has(s, "smb"))
		return false;
	return authority(sc, i + 2);
}

/* "%40" or "@" at i: its length */
static size_t at_sign(gv_str s, size_t i)
{
	if (gv_rd_at(s, i) == '@')
		return 1;
	return gv_rd_at(s, i) == '%' && gv_rd_at(s, i + 1) == '4' && gv_rd_at(s, i + 2) == '0' ? 3 : 0;
}

/* Names of systemd units look like addresses: "getty@tty1.service". */
static bool unit_type(const struct gv_redactor *r, gv_str last)
{
	return gv_rd_in(r, last, GV_L_UNIT);
}

/* Who gets mail need be no user here: the name is replaced, but not looked for elsewhere. */
static void replace_quietly(struct gv_rd_scan *sc, size_t from, size_t to)
{
	if (sc->out)
		gv_rd_replace(sc, from, to, GV_SECRET_USER);
	else
		sc->kept = sc->i = to;
}

/* local@name.tld, at the start of its local part */
size_t gv_rd_email(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, domain;
	size_t at = i, from, to, sign;
	ptrdiff_t dot;

	while (at < s.n && at - i < 64 && (gv_rd_is(s.p[at], GV_C_ALNUM) || gv_rd_one_of(s.p[at], "._+-")))
		at++;
	sign = at_sign(s, at);
	if (!sign || at == i)
		return 0;
	from = to = at + sign;
	while (to < s.n && to - from < GV_RD_NAME && (gv_rd_is(s.p[to], GV_C_ALNUM) || gv_rd_one_of(s.p[to], ".-")))
		to++;
	while (to > from && gv_rd_one_of(s.p[to - 1], ".-"))
		to--;
	domain = gv_sub(s, from, to - from);
	dot = gv_rfind(domain, ".");
	if (dot < 1 || domain.n - (size_t)dot < 3 || unit_type(sc->r, gv_from(domain, (size_t)dot + 1)))
		return 0;
	for (size_t k = (size_t)dot + 1; k < domain.n; k++)
		if (!gv_rd_is(domain.p[k], GV_C_ALPHA))
			return 0;
	if (!gv_rd_account(sc->r, gv_sub(s, i, at - i)) && !gv_rd_pseudonym(GV_SECRET_USER, gv_sub(s, i, at - i)))
		replace_quietly(sc, i, at);
	/* user@machine.domain of a prompt or an ssh target: the whole is a host where it is known as one */
	if (!gv_rd_public(sc->r, domain)) {
		enum gv_secret what = GV_SECRET_DOMAIN;

		if (gv_rd_known(sc, from, &what) != domain.n)
			what =
			    gv_rd_pseudonym(GV_SECRET_HOST, gv_before(domain, ".")) ? GV_SECRET_HOST : GV_SECRET_DOMAIN;
		gv_rd_replace(sc, from, to, what);
	}
	return to - i;
}

/* Programs whose short options hold a name or a password. */
static const struct {
	const char *name;
	uint8_t prog;
} programs[] = {
	{ "clush", P_MPI },	   { "curl", P_CURL },	     { "deepspeed", P_MPI },   { "docker", P_LOGIN },
	{ "helm", P_LOGIN },	   { "horovodrun", P_MPI },  { "ipmitool", P_IPMI },   { "ldapsearch", P_LDAP },
	{ "mariadb", P_MYSQL },	   { "mpiexec", P_MPI },     { "mpirun", P_MPI },      { "mysql", P_MYSQL },
	{ "mysqladmin", P_MYSQL }, { "mysqldump", P_MYSQL }, { "nerdctl", P_LOGIN },   { "orterun", P_MPI },
	{ "pdsh", P_MPI },	   { "podman", P_LOGIN },    { "redis-cli", P_REDIS }, { "rsync", P_SSH },
	{ "salloc", P_MPI },	   { "sbatch", P_MPI },	     { "scp", P_SSH },	       { "sftp", P_SSH },
	{ "skopeo", P_LOGIN },	   { "smbclient", P_SMB },   { "srun", P_MPI },	       { "ssh", P_SSH },
	{ "ssh-copy-id", P_SSH },  { "sshpass", P_SSHPASS }, { "wandb", P_WANDB },     { "wget", P_CURL },
};

/* "wandb login KEY" */
static void login_key(struct gv_rd_scan *sc, size_t i)
{
	gv_str rest = gv_from(sc->s, i);
	size_t n;

	if (!gv_starts(rest, " login "))
		return;
	n = span_of(sc->s, i + 7, "_-");
	if (n >= 30)
		gv_rd_replace(sc, i + 7, i + 7 + n, GV_SECRET_TOKEN);
}

bool gv_rd_program(struct gv_rd_scan *sc, size_t i, size_t n)
{
	gv_str w;

	if (!sc->r->program[(unsigned char)sc->s.p[i]])
		return false;
	while (n < 16 && gv_rd_at(sc->s, i + n) == '-')
		n += 1 + span_of(sc->s, i + n + 1, "");
	w = gv_sub(sc->s, i, n);

	for (size_t k = sc->r->program[(unsigned char)w.p[0]];
	     k && k <= sizeof(programs) / sizeof(programs[0]) && programs[k - 1].name[0] == w.p[0]; k++)
		if (programs[k - 1].name[1] == gv_rd_at(w, 1) && gv_is(w, programs[k - 1].name) &&
		    gv_rd_is(gv_rd_at(sc->s, i + n), GV_C_BLANK) && (!i || !gv_rd_one_of(sc->s.p[i - 1], "-.@_"))) {
			sc->prog = programs[k - 1].prog;
			if (sc->prog == P_LOGIN && !gv_has(gv_sub(sc->s, i, 60), "login"))
				sc->prog = P_NONE;
			if (sc->prog == P_WANDB)
				login_key(sc, i + n);
			return true;
		}
	return false;
}

/* What a short option of a program means: 'p' password, 'u' user, 'b' user:password, 'h' hosts; 0 nothing */
static char meaning(uint8_t prog, char opt, bool attached)
{
	switch (prog) {
	case P_MYSQL:
		return opt == 'p' && attached ? 'p' : opt == 'u' ? 'u' : '\0';
	case P_SSHPASS:
		return opt == 'p' ? 'p' : '\0';
	case P_LOGIN:
		return opt == 'p' ? 'p' : opt == 'u' ? 'u' : '\0';
	case P_CURL:
		return opt == 'u' || opt == 'U' ? 'b' : '\0';
	case P_REDIS:
		return opt == 'a' ? 'p' : '\0';
	case P_LDAP:
		return opt == 'w' ? 'p' : '\0';
	case P_IPMI:
		return opt == 'P' ? 'p' : opt == 'U' ? 'u' : '\0';
	case P_SMB:
		return opt == 'U' ? 'b' : '\0';
	case P_MPI:
		return opt == 'H' || opt == 'w' ? 'h' : '\0';
	case P_SSH:
		return opt == 'l' ? 'u' : '\0';
	default:
		return '\0';
	}
}

/* "gpu07:8,gpu08:8" */
static void host_list(struct gv_rd_scan *sc, size_t from, size_t to)
{
	while (from < to) {
		size_t n = span_of(sc->s, from, "-_.");
		gv_str host;

		if (gv_rd_at(sc->s, from + n) == '[') {
			while (from + n < to && sc->s.p[from + n] != ']')
				n++;
			n += from + n < to;
		}
		host = gv_sub(sc->s, from, n);
		if (gv_rd_host_ok(sc->r, host))
			gv_rd_replace(sc, from, from + n, GV_SECRET_HOST);
		for (from += n; from < to && sc->s.p[from] != ','; from++)
			;
		from++;
	}
}

/* At a dash that begins a word, behind such a program. */
bool gv_rd_short_option(struct gv_rd_scan *sc, size_t i)
{
	gv_str s = sc->s, v, user;
	char opt = gv_rd_at(s, i + 1), what, quote = '\0';
	size_t from = i + 2, to;
	bool attached = from < s.n && !gv_rd_is(s.p[from], GV_C_BLANK);

	if (!gv_rd_is(opt, GV_C_ALPHA))
		return false;
	what = meaning(sc->prog, opt, attached);
	if (!what || (attached && sc->prog == P_LOGIN))
		return false;
	while (from < s.n && gv_rd_is(s.p[from], GV_C_BLANK))
		from++;
	if (gv_rd_one_of(gv_rd_at(s, from), "'\""))
		quote = s.p[from++];
	for (to = from; to < s.n && (quote ? s.p[to] != quote : !gv_rd_is(s.p[to], GV_C_BLANK)); to++)
		;
	v = gv_sub(s, from, to - from);
	if (!v.n || v.p[0] == '-' || gv_rd_placeholder(sc->r, v))
		return false;
	if (what == 'h') {
		host_list(sc, from, to);
		sc->i = to;
		return true;
	}
	user = what == 'b' ? gv_before(sc->prog == P_SMB ? gv_before(v, "%") : v, ":") : v;
	if (what != 'p' && gv_rd_user_ok(sc->r, user))
		gv_rd_replace(sc, from, from + user.n, GV_SECRET_USER);
	if (what == 'b' && user.n < v.n && !gv_rd_placeholder(sc->r, gv_from(v, user.n + 1)))
		gv_rd_replace(sc, from + user.n + 1, to, GV_SECRET_TOKEN);
	if (what == 'p')
		gv_rd_replace(sc, from, to, GV_SECRET_TOKEN);
	sc->i = to;
	return true;
}

void gv_rd_tokens_init(struct gv_redactor *r)
{
	for (size_t k = sizeof(tokens) / sizeof(tokens[0]); k; k--)
		r->token[(unsigned char)tokens[k - 1].prefix[0]] = (uint8_t)k;
	for (size_t k = sizeof(programs) / sizeof(programs[0]); k; k--)
		r->program[(unsigned char)programs[k - 1].name[0]] = (uint8_t)k;
}
