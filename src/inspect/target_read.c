/* SPDX-License-Identifier: Apache-2.0 */
/* A target's file: strict, since what is misspelt and passed over would be a machine that nobody meant. */
#include <errno.h>

#include "core/cuda.h"
#include "core/yaml.h"
#include "inspect/target.h"

enum { T_NAME, T_DEVICE, T_BACKEND, T_DRIVER, T_TOOLKIT, T_LIBRARIES, T_KEYS };
static const char *const keys[T_KEYS] = { "name", "device", "backend", "driver", "toolkit", "libraries" };
static const char *const backends[] = { "cuda", "rocm", "xpu", "cpu" };

struct reader {
	struct gv_yaml_file file;
	struct gv_target *t;
	const struct gv_yaml *of[T_KEYS];
};

static int text_of(struct reader *r, const struct gv_yaml *y, gv_str *ret)
{
	if (y->kind != GV_YAML_TEXT || gv_yaml_empty(y) || !gv_trim(y->text).n)
		return gv_yaml_wrong(&r->file, y, "%.*s%shas to be a text", GV_ARG(y->key),
				     y->key.n ? ": " : "a library ");
	*ret = gv_trim(y->text);
	return 0;
}

static int backend(struct reader *r, const struct gv_yaml *y)
{
	gv_str word;
	int ret = text_of(r, y, &word);

	for (size_t i = 0; !ret && i < sizeof(backends) / sizeof(*backends); i++)
		if (gv_is(word, backends[i]))
			return gv_target_word(r->file.arena, word, r->t, r->file.err);
	return ret ? ret
		   : gv_yaml_unknown(&r->file, y, word, "backend", backends, sizeof(backends) / sizeof(*backends));
}

static int device(struct reader *r, const struct gv_yaml *y)
{
	struct gv_buf why = { 0 };
	gv_str text;
	int ret = text_of(r, y, &text);

	if (!ret && gv_target_device(r->file.arena, text, r->t, &why))
		ret = gv_yaml_wrong(&r->file, y, "device: %.*s", GV_ARG(gv_buf_str(&why)));
	gv_buf_free(&why);
	return ret;
}

static int driver(struct reader *r, const struct gv_yaml *y)
{
	gv_str text;
	int ret = text_of(r, y, &text);

	for (size_t i = 0; !ret && i < text.n; i++)
		if ((text.p[i] < '0' || text.p[i] > '9') && text.p[i] != '.')
			ret = gv_yaml_wrong(&r->file, y, "driver: has to be a version, as 550.54.15");
	if (!ret)
		gv_target_driver(r->t, text);
	return ret;
}

static int toolkit(struct reader *r, const struct gv_yaml *y)
{
	gv_str text;
	int ret = text_of(r, y, &text);

	if (ret)
		return ret;
	r->t->toolkit = gv_cuda_parse(text);
	r->t->host = true;
	return r->t->toolkit ? 0 : gv_yaml_wrong(&r->file, y, "toolkit: has to be a version, as 12.4");
}

static int libraries(struct reader *r, const struct gv_yaml *y)
{
	int ret = 0;

	if (y->kind != GV_YAML_LIST)
		return gv_yaml_wrong(&r->file, y,
				     "libraries: has to be a list of names, as [libcudnn.so.9, libnccl.so.2]");
	if (y->n > GV_TARGET_LIBRARIES)
		return gv_yaml_wrong(&r->file, y, "libraries: more than %d", GV_TARGET_LIBRARIES);
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next) {
		gv_str name = GV_NONE;

		ret = text_of(r, c, &name);
		if (!ret)
			*gv_push(r->file.arena, &r->t->libraries) = name;
	}
	r->t->host = true;
	return ret;
}

static int key(struct reader *r, const struct gv_yaml *y)
{
	size_t k = 0;

	while (k < T_KEYS && !gv_is(y->key, keys[k]))
		k++;
	if (k == T_KEYS)
		return gv_yaml_unknown(&r->file, y, y->key, "key of a target", keys, T_KEYS);
	r->of[k] = y;
	return 0;
}

int gv_target_read(struct gv_arena *a, gv_str name, gv_str bytes, struct gv_target *ret, struct gv_buf *err)
{
	static int (*const read[T_KEYS])(struct reader *, const struct gv_yaml *) = { NULL,   device,  backend,
										      driver, toolkit, libraries };
	static const int order[] = { T_BACKEND, T_DEVICE, T_DRIVER, T_TOOLKIT, T_LIBRARIES };
	struct gv_target t = { 0 };
	struct reader r = { .file = { a, name, err }, .t = &t };
	gv_str base = gv_from(name, (size_t)(gv_rfind(name, "/") + 1));
	struct gv_yaml *root = NULL;
	int status = gv_yaml_parse(a, name, bytes, &root, err);

	if (!status && (!root || root->kind != GV_YAML_MAP)) {
		struct gv_yaml whole = { .line = root ? root->line : 1 };

		status = gv_yaml_wrong(&r.file, &whole,
				       "a target is a map: name, device, backend, driver, toolkit, libraries");
	}
	for (const struct gv_yaml *y = status ? NULL : root->child; y && !status; y = y->next)
		status = key(&r, y);
	for (size_t i = 0; !status && i < sizeof(order) / sizeof(*order); i++)
		if (r.of[order[i]])
			status = read[order[i]](&r, r.of[order[i]]);
	t.name = GV_NONE; /* the backend's word */
	if (!status && r.of[T_NAME])
		status = text_of(&r, r.of[T_NAME], &t.name);
	if (!status && !t.vendor && !t.cpu)
		status = gv_yaml_wrong(&r.file, root, "a target needs \"device\" or \"backend\"");
	if (status)
		return status;
	if (!t.name.n)
		t.name = gv_dup(a, gv_sub(base, 0, gv_rfind(base, ".") > 0 ? (size_t)gv_rfind(base, ".") : base.n));
	*ret = t;
	return 0;
}
