/* SPDX-License-Identifier: Apache-2.0 */
/* Runs inputs through their targets, without a fuzzer: what once broke something shall not do so again.
 *
 * usage: test_fuzz [FOLDER | FILE]...
 *
 * Each file is called <target>-<anything>, or stands in a folder called <target>. Without arguments: tests/data/fuzz.
 * Every target also gets the empty input. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

struct target {
	const char *name;
	void (*one)(const uint8_t *data, size_t n);
};

static const struct target targets[] = {
#define TARGET(name, max) { #name, gv_fuzz_##name },
#include "target.def"
#undef TARGET
};
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

/* By the file's name, else by the folder's. */
static const struct target *target_of(gv_str path)
{
	ptrdiff_t slash = gv_rfind(path, "/");
	gv_str file = gv_from(path, (size_t)(slash + 1)), folder = gv_sub(path, 0, slash < 0 ? 0 : (size_t)slash);

	folder = gv_from(folder, (size_t)(gv_rfind(folder, "/") + 1));
	for (size_t i = 0; i < TARGETS; i++)
		if (gv_starts(file, targets[i].name) && gv_starts(gv_from(file, strlen(targets[i].name)), "-"))
			return &targets[i];
	for (size_t i = 0; i < TARGETS; i++)
		if (gv_is(folder, targets[i].name))
			return &targets[i];
	return NULL;
}

static void replay(const char *path)
{
	const struct target *t = target_of(gv_str_of(path));
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;

	if (!t || !f || fstat(fileno(f), &st) < 0)
		gv_fuzz_bad("%s: %s", path, t ? "cannot be read" : "is called after no target");
	data = malloc((size_t)st.st_size + 1);
	if (!data || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		gv_fuzz_bad("%s: cannot be read", path);
	fclose(f);
	printf("%s\n", path);
	fflush(stdout); /* the last line names what broke it */
	t->one(data, (size_t)st.st_size);
	free(data);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_input(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static size_t replay_folder(const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_input, by_name);

	if (n < 0)
		gv_fuzz_bad("%s: cannot be read", path);
	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		replay(file);
		free(names[i]);
	}
	free(names);
	return (size_t)n;
}

int main(int argc, char **argv)
{
	char folder[] = GV_SOURCE_ROOT "/tests/data/fuzz", *own[] = { argv[0], folder };
	size_t n = 0;

	for (size_t i = 0; i < TARGETS; i++)
		targets[i].one((const uint8_t *)"", 0);
	if (argc < 2) {
		argc = 2;
		argv = own;
	}
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			n += replay_folder(argv[i]);
		} else {
			replay(argv[i]);
			n++;
		}
	}
	printf("%zu inputs\n", n);
	return n ? 0 : 1;
}
