/* SPDX-License-Identifier: Apache-2.0 */
/* Redaction over a corpus of documents that hold secrets, tests/data/secrets: nothing of them may be left, all that a
 * diagnosis needs must be, and pseudonyms must be one per value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/map.h"
#include "core/evidence.h"
#include "core/redact.h"

#define FOLDER GV_SOURCE_ROOT "/tests/data/secrets/"

static const char *const categories[GV_SECRETS] = { "host", "domain", "user", "path",  "address",
						    "mac",  "serial", "uuid", "secret" };

struct document {
	gv_str name, text, redacted;
};

struct corpus {
	struct gv_arena *a;
	struct gv_redactor *r;
	GV_VEC(struct document) docs;
	GV_VEC(gv_str) secret_rows;
	GV_VEC(gv_str) survivor_rows;
};

static gv_str read_file(struct gv_arena *a, const char *name)
{
	struct gv_buf b = { 0 };
	char chunk[65536];
	gv_str s;
	size_t n;
	FILE *f = fopen(gv_dupz(a, gv_fmt(a, FOLDER "%s", name)), "rb");

	assert_non_null(f);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		gv_put(&b, (gv_str){ chunk, n });
	fclose(f);
	s = gv_dup(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return s;
}

/* "\\" and "\t" of the tables */
static gv_str unescaped(struct gv_arena *a, gv_str s)
{
	char *out = gv_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n)
			out[n++] = s.p[++i] == 't' ? '\t' : s.p[i];
		else
			out[n++] = s.p[i];
	}
	return (gv_str){ out, n };
}

static gv_str redact(struct gv_arena *a, struct gv_redactor *r, gv_str name, gv_str text)
{
	struct gv_buf out = { 0 };
	gv_str s;

	gv_redact(r, name, text, &out);
	s = gv_dup(a, gv_buf_str(&out));
	gv_buf_free(&out);
	return s;
}

static struct gv_redactor *new_redactor(struct gv_arena *a)
{
	struct gv_redactor *r = gv_redactor_new(a);

	/* what a caller would know of the machine that the documents are from */
	gv_redact_know(r, GV_SECRET_HOST, GV_STR("tarn-gpu07.dc2.kestrelworks.net"));
	gv_redact_know(r, GV_SECRET_USER, GV_STR("zephyr42"));
	return r;
}

static int load(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct corpus *c = GV_NEW(a, struct corpus);
	DIR *d = opendir(FOLDER);
	gv_str table, row;

	assert_non_null(d);
	c->a = a;
	c->r = new_redactor(a);
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.' || gv_ends(gv_str_of(e->d_name), ".tsv"))
			continue;
		*gv_push(a, &c->docs) =
		    (struct document){ gv_dup(a, gv_str_of(e->d_name)), read_file(a, e->d_name), GV_NONE };
	}
	closedir(d);
	assert_true(c->docs.n >= 25);
	for (table = read_file(a, "secrets.tsv"); gv_next(&table, '\n', &row);)
		if (row.n && row.p[0] != '#')
			*gv_push(a, &c->secret_rows) = row;
	for (table = read_file(a, "survivors.tsv"); gv_next(&table, '\n', &row);)
		if (row.n && row.p[0] != '#')
			*gv_push(a, &c->survivor_rows) = row;
	for (size_t i = 0; i < c->docs.n; i++)
		gv_redact_learn(c->r, c->docs.v[i].name, c->docs.v[i].text);
	for (size_t i = 0; i < c->docs.n; i++)
		c->docs.v[i].redacted = redact(a, c->r, c->docs.v[i].name, c->docs.v[i].text);
	*state = c;
	return 0;
}

static int unload(void **state)
{
	gv_arena_free(((struct corpus *)*state)->a);
	return 0;
}

static enum gv_secret category(gv_str name)
{
	for (size_t i = 0; i < GV_SECRETS; i++)
		if (gv_is(name, categories[i]))
			return (enum gv_secret)i;
	fail_msg("no such category: %.*s", GV_ARG(name));
	return GV_SECRETS;
}

static const struct document *doc_of(const struct corpus *c, gv_str name)
{
	for (size_t i = 0; i < c->docs.n; i++)
		if (gv_eq(c->docs.v[i].name, name))
			return &c->docs.v[i];
	fail_msg("no such document: %.*s", GV_ARG(name));
	return NULL;
}

static void cells(struct corpus *c, gv_str row, gv_str *ret_doc, gv_str *ret_category, gv_str *ret_value)
{
	assert_true(gv_next(&row, '\t', ret_doc));
	if (ret_category)
		assert_true(gv_next(&row, '\t', ret_category));
	*ret_value = unescaped(c->a, row);
}

/* Also where it is written in capitals, and pieces of what is long. */
static size_t left(struct corpus *c, gv_str value, gv_str row)
{
	const char *z = gv_dupz(c->a, value);
	size_t n = 0;

	for (size_t i = 0; i < c->docs.n; i++)
		if (gv_has_nocase(c->docs.v[i].redacted, z)) {
			print_error("'%s' is left in %.*s (%.*s)\n", z, GV_ARG(c->docs.v[i].name), GV_ARG(row));
			n++;
		}
	return n;
}

static void test_no_secret_left(void **state)
{
	struct corpus *c = *state;
	size_t bad = 0;

	for (size_t i = 0; i < c->secret_rows.n; i++) {
		gv_str doc, kind, value, row = c->secret_rows.v[i];

		cells(c, row, &doc, &kind, &value);
		/* the table is right: the value stands in the document */
		if (!gv_has(doc_of(c, doc)->text, gv_dupz(c->a, value)))
			fail_msg("%.*s: not in the document", GV_ARG(row));
		bad += left(c, value, row);
		if (category(kind) == GV_SECRET_TOKEN && value.n >= 12) {
			bad += left(c, gv_from(value, value.n - 8), row);
			bad += left(c, gv_sub(value, 0, 12), row);
			bad += left(c, gv_sub(value, value.n / 2 - 4, 8), row);
		}
	}
	assert_int_equal(bad, 0);
}

static void test_survivors(void **state)
{
	struct corpus *c = *state;
	size_t bad = 0;

	for (size_t i = 0; i < c->survivor_rows.n; i++) {
		gv_str name, value;
		const struct document *d;

		cells(c, c->survivor_rows.v[i], &name, NULL, &value);
		d = doc_of(c, name);
		assert_true(gv_has(d->text, gv_dupz(c->a, value)));
		if (!gv_has(d->redacted, gv_dupz(c->a, value))) {
			print_error("gone from %.*s: %.*s\n", GV_ARG(name), GV_ARG(value));
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

static size_t lines(gv_str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static void test_lines(void **state)
{
	struct corpus *c = *state;

	for (size_t i = 0; i < c->docs.n; i++)
		assert_int_equal(lines(c->docs.v[i].text), lines(c->docs.v[i].redacted));
}

static void same_text(gv_str name, gv_str a, gv_str b)
{
	gv_str la, lb;

	if (gv_eq(a, b))
		return;
	while (gv_next(&a, '\n', &la) && gv_next(&b, '\n', &lb))
		if (!gv_eq(la, lb))
			fail_msg("%.*s changes again:\n%.*s\n%.*s", GV_ARG(name), GV_ARG(la), GV_ARG(lb));
	fail_msg("%.*s changes again", GV_ARG(name));
}

/* Redacted once more, nothing changes: by the same redactor, and by one that knows nothing of the first. */
static void test_idempotent(void **state)
{
	struct corpus *c = *state;
	struct gv_redactor *other = gv_redactor_new(c->a);

	for (size_t i = 0; i < c->docs.n; i++)
		gv_redact_learn(other, c->docs.v[i].name, c->docs.v[i].redacted);
	for (size_t i = 0; i < c->docs.n; i++) {
		const struct document *d = &c->docs.v[i];

		same_text(d->name, d->redacted, redact(c->a, c->r, d->name, d->redacted));
	}
	for (size_t i = 0; i < c->docs.n; i++) {
		const struct document *d = &c->docs.v[i];

		if (gv_has(d->redacted, "host-") || gv_has(d->redacted, "user-") || gv_has(d->redacted, "secret-"))
			same_text(d->name, d->redacted, redact(c->a, other, d->name, d->redacted));
	}
}

/* What becomes of a value where there is no doubt what it is. */
static gv_str pseudonym(struct corpus *c, enum gv_secret what, gv_str value)
{
	static const char *const probe[GV_SECRETS] = {
		[GV_SECRET_HOST] = "HOSTNAME=",
		[GV_SECRET_DOMAIN] = "mail root@",
		[GV_SECRET_USER] = "USER=",
		[GV_SECRET_PATH] = "cat /home/root/",
		[GV_SECRET_ADDRESS] = "inet ",
		[GV_SECRET_MAC] = "guid ",
		[GV_SECRET_SERIAL] = "Serial Number: ",
		[GV_SECRET_UUID] = "Machine ID: ",
		[GV_SECRET_TOKEN] = "PASSWORD='",
	};
	gv_str out = redact(c->a, c->r, GV_NONE, gv_fmt(c->a, "%s%.*s\n", probe[what], GV_ARG(value)));

	return gv_trim(gv_from(out, gv_str_of(probe[what]).n));
}

static void test_one_pseudonym_each(void **state)
{
	struct corpus *c = *state;
	struct gv_map by_pseudonym = { .arena = c->a };
	size_t bad = 0, distinct = 0;

	for (size_t i = 0; i < c->secret_rows.n; i++) {
		gv_str doc, kind, value, shown, key, *first;
		enum gv_secret what;

		cells(c, c->secret_rows.v[i], &doc, &kind, &value);
		what = category(kind);
		value = gv_lower(c->a, value);
		/* these are written in several forms, or are only a part of what is replaced */
		if (what == GV_SECRET_TOKEN || what == GV_SECRET_PATH || gv_find_c(value, ':') >= 0 ||
		    gv_find_c(value, '-') == 2 || (what == GV_SECRET_UUID && value.n < 32) ||
		    (what == GV_SECRET_MAC && value.n != 16))
			continue;
		shown = pseudonym(c, what, value);
		if (gv_eq(shown, value)) {
			print_error("%.*s stays as it is\n", GV_ARG(value));
			bad++;
			continue;
		}
		if (!gv_has(doc_of(c, doc)->redacted, gv_dupz(c->a, shown))) {
			print_error("%.*s is %.*s, but not in %.*s\n", GV_ARG(value), GV_ARG(shown), GV_ARG(doc));
			bad++;
		}
		key = gv_fmt(c->a, "%d %.*s", (int)what, GV_ARG(shown));
		first = gv_map_get(&by_pseudonym, key);
		if (first && !gv_eq(*first, value)) {
			print_error("%.*s and %.*s are both %.*s\n", GV_ARG(*first), GV_ARG(value), GV_ARG(shown));
			bad++;
		} else if (!first) {
			first = GV_NEW(c->a, gv_str);
			*first = value;
			*gv_map_put(&by_pseudonym, key) = first;
			distinct++;
		}
	}
	assert_int_equal(bad, 0);
	assert_true(distinct > 80);
}

/* Different secrets are told apart, the same one is known again. */
static void test_tokens(void **state)
{
	struct corpus *c = *state;
	gv_str out =
	    redact(c->a, c->r, GV_NONE,
		   GV_STR("a_password=qwertz-1\nb_password=qwertz-2\ncurl -u root:qwertz-1 https://pypi.org\n"));
	gv_str one, two, three;

	gv_next(&out, '\n', &one);
	gv_next(&out, '\n', &two);
	gv_next(&out, '\n', &three);
	assert_true(gv_starts(gv_after(one, "="), "secret-") && gv_starts(gv_after(two, "="), "secret-"));
	assert_false(gv_eq(gv_after(one, "="), gv_after(two, "=")));
	assert_true(gv_has(three, gv_dupz(c->a, gv_after(one, "="))));
}

struct pair {
	const char *before, *after;
};

/* One redactor, one line each. */
static void test_forms(void **state)
{
	static const struct pair pairs[] = {
		/* classes and subnets of addresses stay */
		{ "inet 10.9.8.7/24", "inet 10.65.1.1/24" },
		{ "inet 10.9.8.9/24", "inet 10.65.1.2/24" },
		{ "inet 10.9.77.9/24", "inet 10.65.2.1/24" },
		{ "route 10.9.8.0/24 10.9.0.0/16 10.0.0.0/8", "route 10.65.1.0/24 10.65.0.0/16 10.0.0.0/8" },
		{ "brd 10.9.8.255", "brd 10.65.1.255" },
		{ "inet 192.168.3.4", "inet 192.168.128.1" },
		{ "inet 172.20.3.4", "inet 172.16.128.1" },
		{ "inet 172.17.0.2 172.17.255.255", "inet 172.17.0.2 172.17.255.255" },
		{ "inet 8.8.4.4:53", "inet 198.18.1.1:53" },
		{ "ip 169.254.169.254 127.0.0.53 0.0.0.0 255.255.252.0 224.0.0.251", NULL },
		{ "inet6 fe80::1 ::1 ff02::1 2001:db8::5", NULL },
		{ "inet6 2a02:1:2:3::7/64 2a02:1:2:3::8", "inet6 2001:db8:0:1::7/64 2001:db8:0:1::8" },
		{ "inet6 2a02:1:2:3:4:5:6:7", "inet6 2001:db8:0:1:200::1" },
		/* what only looks like an address */
		{ "Driver Version: 12.4.1.0 VBIOS 96.00.74.00.01 fw 28.39.1002 535.129.03", NULL },
		{ "nvidia-curand-cu12 10.3.5.147 cudnn==8.9.7.29 Chrome/120.0.0.0 libnvinfer.so.10.3.0.26", NULL },
		{ "TensorRT-10.3.0.26 5.10.0-153.12.0.92.oe2203sp2.x86_64 1.2.3", NULL },
		{ "0000:41:00.0 00000000:41:00.0 41:00.0 10:44:02 c10::Error std::vector at::cuda 10de:2330:10de:16c1",
		  NULL },
		{ "RIP: 0010:ffffffffc1234567 RBX: ffff8801e4736840 0x00007f1234560000 01:23:45", NULL },
		{ "link/ether ff:ff:ff:ff:ff:ff 00:00:00:00:00:00 01:00:5e:00:00:01 33:33:00:00:00:16", NULL },
		{ "link/ether AA:bb:cc:dd:ee:ff", "link/ether 02:00:00:00:00:02" },
		{ "GPU-5ba4538d, GPU-5ba4538d-1234-4321-8888-0123456789ab",
		  "GPU-00000001, GPU-00000001-0000-4000-8000-000000000000" },
		{ "MIG-GPU-5ba4538d-1234-4321-8888-0123456789ab/1/0",
		  "MIG-GPU-00000001-0000-4000-8000-000000000000/1/0" },
		/* homes */
		{ "/root/.cache/pip /root/thing.pt /home/ubuntu/x.py",
		  "/root/.cache/pip /root/path-1.pt /home/ubuntu/path-2.py" },
		{ "/home/someb/a.tar.gz:/home/someb/lib.so.12.4 /Users/someb/",
		  "/home/user-1/path-3.tar.gz:/home/user-1/lib.so.12.4 /Users/user-1/" },
		{ "/home/*/x /home/$USER/y /home /homes/a", NULL },
		{ "(\"/home/someb/with blank/f.py\", 3)", "(\"/home/user-1/path-4/path-5.py\", 3)" },
		/* services that everybody knows */
		{ "https://github.com/a https://pypi.org https://nvcr.io/v2/ git@github.com:a/b", NULL },
		{ "http://intra.corp.zone/x", "http://host-1.domain-1.example/x" },
		{ "see other.corp.zone and INTRA.corp.zone",
		  "see host-2.domain-1.example and host-1.domain-1.example" },
		{ "curl --user someb:pw-77 x", "curl --user user-1:secret-1 x" },
		{ "systemctl --user status pip install --user wheel Serial: 8250/16550 driver", NULL },
		/* no secrets */
		{ "tokens=512 token: 7 max_tokens: 128 TOKENIZERS_PARALLELISM=true key=value secretName: x", NULL },
		{ "E: password: authentication failed, PrivateTmp=yes Private_Clean: 0 kB", NULL },
		{ "PASSWORD=$DB_PASSWORD TOKEN=${T} API_KEY=<set to the key 'k' in secret 's'>", NULL },
		{ "password=**** token=None auth: false SSL_KEY_FILE=/etc/ssl/x.key", NULL },
	};
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		gv_str out = redact(a, r, GV_NONE, gv_str_of(pairs[i].before));
		const char *want = pairs[i].after ? pairs[i].after : pairs[i].before;

		if (!gv_is(out, want)) {
			print_error("%s\n  is:   %.*s\n  want: %s\n", pairs[i].before, GV_ARG(out), want);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	gv_arena_free(a);
}

/* Names that are words of the field are replaced only where the place says what they are. */
static void test_words_of_the_field(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);

	(void)state;
	gv_redact_know(r, GV_SECRET_USER, GV_STR("data"));
	gv_redact_know(r, GV_SECRET_USER, GV_STR("nvidia"));
	gv_redact_know(r, GV_SECRET_HOST, GV_STR("gpu0"));
	gv_redact_know(r, GV_SECRET_HOST, GV_STR("memory"));
	gv_redact_know(r, GV_SECRET_USER, GV_STR("jo"));
	assert_true(gv_is(redact(a, r, GV_NONE, GV_STR("GPU0 data: nvidia-smi out of memory jo gpu0")),
			  "GPU0 data: nvidia-smi out of memory jo gpu0"));
	assert_true(gv_is(redact(a, r, GV_NONE, GV_STR("ls /home/data/x; data@gpu0:~$ ls")),
			  "ls /home/user-1/path-1; data@gpu0:~$ ls"));
	assert_true(gv_is(redact(a, r, GV_NONE, GV_STR("data@gpu0:~$ ls")), "user-1@host-1:~$ ls"));
	gv_arena_free(a);
}

static void test_names_of_documents(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	struct gv_buf out = { 0 };

	(void)state;
	gv_redact_know(r, GV_SECRET_HOST, GV_STR("tarn-gpu07.dc2.kestrelworks.net"));
	gv_redact_know(r, GV_SECRET_USER, GV_STR("zephyr42"));
	gv_redact_know(r, GV_SECRET_PATH, GV_STR("/srv/people/zephyr42/"));
	gv_redact(r, GV_NONE, GV_STR("node1:1:1 [0] NCCL INFO x\n"), &out);
	assert_true(gv_is(gv_redact_name(r, GV_STR("tarn-gpu07/dmesg.txt")), "host-2/dmesg.txt"));
	assert_true(gv_is(gv_redact_name(r, GV_STR("log_zephyr42_10.1.2.3.log")), "log_user-1_10.65.1.1.log"));
	assert_true(gv_is(gv_redact_name(r, GV_STR("nccl-node1.log")), "nccl-host-1.log"));
	assert_true(gv_is(gv_redact_name(r, GV_STR("/srv/people/zephyr42/plan/a.txt")),
			  "/srv/people/user-1/path-1/path-2.txt"));
	assert_true(gv_is(gv_redact_name(r, GV_STR("proc/driver/nvidia/version")), "proc/driver/nvidia/version"));
	assert_true(gv_is(gv_redact_summary(r, a), "2 hosts, 1 user, 2 paths, 1 address"));
	gv_buf_free(&out);
	gv_arena_free(a);
}

/* A name that is given away later, or in another document, is replaced in all of them. */
static void test_learns_first(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	gv_str one = GV_STR("peer lynx-4 is slow; asked by fennec9\n"), two = GV_STR("fennec9@lynx-4:~$ ls\n");

	(void)state;
	gv_redact_learn(r, GV_NONE, one);
	gv_redact_learn(r, GV_NONE, two);
	assert_true(gv_is(redact(a, r, GV_NONE, one), "peer host-1 is slow; asked by user-1\n"));
	assert_true(gv_is(redact(a, r, GV_NONE, two), "user-1@host-1:~$ ls\n"));
	gv_arena_free(a);
}

/* Names of the form of pseudonyms are left, and given to nobody else. */
static void test_own_forms(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);

	(void)state;
	assert_true(gv_is(redact(a, r, GV_NONE, GV_STR("HOSTNAME=lynx-4\nx@host-1:~$ USER=user-1 USER=fennec9\n")),
			  "HOSTNAME=host-2\nuser-2@host-1:~$ USER=user-1 USER=user-3\n"));
	gv_arena_free(a);
}

static void test_utf16(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	const char *text = "PASSWORD=hunter2\n";
	struct gv_buf wide = { 0 };

	(void)state;
	gv_put(&wide, GV_STR("\xff\xfe"));
	for (const char *p = text; *p; p++) {
		gv_putc(&wide, *p);
		gv_putc(&wide, '\0');
	}
	assert_true(gv_is(redact(a, r, GV_NONE, gv_buf_str(&wide)), "PASSWORD=secret-1\n"));
	gv_buf_free(&wide);
	gv_arena_free(a);
}

/* Deterministic noise with pieces of all that is looked for: no crash, as many lines, and again the same. */
static void test_hostile(void **state)
{
	static const char *const pieces[] = {
		"\n",
		"\"",
		"'",
		"\\",
		"\\\"",
		"%40",
		"%2Fhome%2F",
		"/home/",
		"/root/",
		"~",
		"@",
		":",
		"=",
		"://",
		"//",
		"::",
		"-----BEGIN X-----",
		"-----END X-----",
		"password",
		"PASSWORD=",
		"token: ",
		"--password ",
		"-p",
		"sshpass",
		"10.1.2.3",
		"fe80::",
		"aa:bb:cc:dd:ee:ff",
		"GPU-",
		"5ba4538d-1234-4321-8888-0123456789ab",
		"eyJ",
		"hf_",
		"\x1b[31m",
		"\x1b",
		"\b",
		"\r",
		"\0",
		"\xff",
		"\xc3",
		" ",
		"\t",
		"[",
		"]",
		"(",
		")",
		"{",
		"}",
		"|",
		">",
		"name: ",
		"value: ",
		"data:",
		"kind: Secret",
		"machine ",
		"login ",
		"USER PID",
		"NAME STATUS ROLES",
		"Linux a 5.1",
		"host-1",
		"secret-1",
		"a",
		"b1",
		".",
		"-",
		"_",
		"\\u0026",
		"\\x1b[0m",
		"0x",
		"0123456789abcdef",
		"uid=1(",
		"ssh ",
	};
	struct gv_arena *a = gv_arena_new();
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct gv_redactor *r = round % 50 ? NULL : gv_redactor_new(a);
		static struct gv_redactor *kept;
		struct gv_buf in = { 0 }, out = { 0 };

		kept = r ? r : kept;
		for (unsigned k = 0; k < 40; k++) {
			size_t which;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			which = seed % (sizeof(pieces) / sizeof(pieces[0]));
			gv_put(&in, (gv_str){ pieces[which], pieces[which][0] ? strlen(pieces[which]) : 1 });
		}
		gv_redact(kept, GV_NONE, gv_buf_str(&in), &out);
		assert_int_equal(lines(gv_buf_str(&in)), lines(gv_buf_str(&out)));
		gv_buf_free(&in);
		gv_buf_free(&out);
	}
	gv_arena_free(a);
}

/* One line of a megabyte of one piece each: an hour's work if any step were quadratic. */
static void test_long_lines(void **state)
{
	static const char *const pieces[] = {
		"password=\"", "'password=", "a@",	"//a",	  "/home/a", "aa:",	    "10.",	     "::",
		"{",	       "\\\"",	     "x://a:b", "token=", "\"a",     "a-",	    "eyJ",	     "(uid=",
		"%2F",	       "--key ",     "host-1",	"a.b.",	  "node ",   "-----BEGIN ", "kind: Secret ", "[",
		"a:1",	       "=",	     "~a",	"\\x"
	};

	(void)state;
	for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
		struct gv_arena *a = gv_arena_new();
		struct gv_redactor *r = gv_redactor_new(a);
		struct gv_buf in = { 0 }, out = { 0 };

		gv_redact_know(r, GV_SECRET_HOST, GV_STR("a-a-a-a-a-a-a-a.b.c"));
		while (in.n < 1 << 20)
			gv_puts(&in, pieces[k]);
		gv_redact(r, GV_NONE, gv_buf_str(&in), &out);
		assert_true(out.n > 0);
		gv_buf_free(&in);
		gv_buf_free(&out);
		gv_arena_free(a);
	}
}

/* More values than are told apart: the rest share one pseudonym, and memory stays bounded. */
static void test_too_many(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	struct gv_buf in = { 0 }, out = { 0 };

	(void)state;
	for (unsigned i = 0; i < GV_SECRETS_MAX + 5000; i++)
		gv_printf(&in, "PASSWORD=pw%uzz\n", i);
	gv_printf(&in, "10.7.7.7 02:11:22:33:44:55 %s /home/fennec9/abc\n", "5ba4538d-1234-4321-8888-0123456789ab");
	gv_redact(r, GV_NONE, gv_buf_str(&in), &out);
	assert_true(gv_has(gv_buf_str(&out), "PASSWORD=secret-0\n"));
	assert_false(gv_has(gv_buf_str(&out), "zz"));
	assert_false(gv_has(gv_buf_str(&out), "10.7.7.7") || gv_has(gv_buf_str(&out), "5ba4538d") ||
		     gv_has(gv_buf_str(&out), "fennec9"));
	assert_true(gv_redact_count(r, GV_SECRET_TOKEN) <= GV_SECRETS_MAX);
	assert_true(gv_arena_bytes(a) < (size_t)64 << 20);
	gv_buf_free(&in);
	gv_buf_free(&out);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest corpus[] = {
		cmocka_unit_test(test_no_secret_left), cmocka_unit_test(test_survivors),
		cmocka_unit_test(test_lines),	       cmocka_unit_test(test_one_pseudonym_each),
		cmocka_unit_test(test_idempotent),     cmocka_unit_test(test_tokens),
	};
	const struct CMUnitTest rest[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_words_of_the_field),
		cmocka_unit_test(test_names_of_documents),
		cmocka_unit_test(test_learns_first),
		cmocka_unit_test(test_own_forms),
		cmocka_unit_test(test_utf16),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(corpus, load, unload) + cmocka_run_group_tests(rest, NULL, NULL);
}
