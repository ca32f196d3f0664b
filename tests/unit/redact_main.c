/* SPDX-License-Identifier: Apache-2.0 */
/* Redacts files for tests of the redactor: redact_tool OUT FILE... learns from all FILEs, then writes each one's
 * redacted text below OUT under its redacted name (a FILE is named by what follows "//" in it, else by its last part).
 * What environment variables GV_KNOW_HOST, GV_KNOW_USER, GV_KNOW_HOME and GV_KNOW_DOMAIN name is known beforehand
 * (parted by blanks). Prints what was redacted. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/redact.h"

static gv_str read_file(struct gv_arena *a, const char *path)
{
	struct gv_buf b = { 0 };
	char chunk[65536];
	gv_str s;
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		exit(1);
	}
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		gv_put(&b, (gv_str){ chunk, n });
	fclose(f);
	s = gv_dup(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return s;
}

static void write_file(struct gv_arena *a, const char *dir, gv_str name, gv_str text)
{
	gv_str path = gv_fmt(a, "%s/%.*s", dir, GV_ARG(name));
	FILE *f;

	for (size_t i = 1; i < path.n; i++) /* folders of the name */
		if (path.p[i] == '/')
			mkdir(gv_dupz(a, gv_sub(path, 0, i)), 0777);
	f = fopen(gv_dupz(a, path), "wb");
	if (!f || fwrite(text.p ? text.p : "", 1, text.n, f) != text.n || fclose(f)) {
		perror(gv_dupz(a, path));
		exit(1);
	}
}

static gv_str name_of(const char *path)
{
	gv_str s = gv_str_of(path), below = gv_after(s, "//");
	ptrdiff_t slash = gv_rfind(s, "/");

	return below.n ? below : slash >= 0 ? gv_from(s, (size_t)slash + 1) : s;
}

static void know(struct gv_redactor *r, const char *variable, enum gv_secret what)
{
	gv_str all = gv_str_of(getenv(variable)), w;

	while (gv_word(&all, &w))
		gv_redact_know(r, what, w);
}

int main(int argc, char **argv)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_redactor *r = gv_redactor_new(a);
	gv_str *text = GV_NEWN(a, gv_str, (size_t)argc + 1);

	if (argc < 3) {
		fputs("usage: redact_tool OUT FILE...\n", stderr);
		return 64;
	}
	know(r, "GV_KNOW_HOST", GV_SECRET_HOST);
	know(r, "GV_KNOW_DOMAIN", GV_SECRET_DOMAIN);
	know(r, "GV_KNOW_USER", GV_SECRET_USER);
	know(r, "GV_KNOW_HOME", GV_SECRET_PATH);
	for (int i = 2; i < argc; i++) {
		text[i] = read_file(a, argv[i]);
		gv_redact_learn(r, name_of(argv[i]), text[i]);
	}
	for (int i = 2; i < argc; i++) {
		struct gv_buf out = { 0 };

		gv_redact(r, name_of(argv[i]), text[i], &out);
		write_file(a, argv[1], gv_redact_name(r, name_of(argv[i])), gv_buf_str(&out));
		gv_buf_free(&out);
	}
	printf("%.*s\n", GV_ARG(gv_redact_summary(r, a)));
	gv_arena_free(a);
	return 0;
}
