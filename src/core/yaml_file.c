/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>

#include "base/opt.h"
#include "core/yaml.h"

int gv_yaml_wrong(const struct gv_yaml_file *f, const struct gv_yaml *y, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gv_printf(f->err, "%.*s:%u: ", GV_ARG(f->name), y->line);
	gv_put(f->err, gv_vfmt(f->arena, fmt, ap));
	va_end(ap);
	return -EINVAL;
}

int gv_yaml_unknown(const struct gv_yaml_file *f, const struct gv_yaml *y, gv_str word, const char *what,
		    const char *const *words, size_t n)
{
	const char *near = gv_nearest(word, words, n);

	return gv_yaml_wrong(f, y, "\"%.*s\" is no %s%s%s%s", GV_ARG(word), what, near ? "; did you mean " : "",
			     near ? near : "", near ? "?" : "");
}

#define KEYS_MAX 32

static int refuse(const struct gv_yaml_file *f, const struct gv_yaml *y, const char *what,
		  const struct gv_yaml_key *keys, size_t n)
{
	const char *names[KEYS_MAX];

	for (size_t i = 0; i < n && i < KEYS_MAX; i++)
		names[i] = keys[i].name;
	return gv_yaml_unknown(f, y, y->key, gv_dupz(f->arena, gv_fmt(f->arena, "key of %s", what)), names,
			       n < KEYS_MAX ? n : KEYS_MAX);
}

int gv_yaml_map(const struct gv_yaml_file *f, const struct gv_yaml *y, const char *what, const struct gv_yaml_key *keys,
		size_t n, void *to)
{
	int ret = 0;

	if (y->kind != GV_YAML_MAP) {
		struct gv_buf names = { 0 };

		for (size_t i = 0; i < n; i++)
			gv_printf(&names, "%s%s", i ? ", " : "", keys[i].name);
		ret = gv_yaml_wrong(f, y, "%s is a map: %.*s", what, GV_ARG(gv_buf_str(&names)));
		gv_buf_free(&names);
		return ret;
	}
	for (const struct gv_yaml *c = y->child; c && !ret; c = c->next) {
		size_t i = 0;

		while (i < n && !gv_is(c->key, keys[i].name))
			i++;
		if (i == n)
			ret = refuse(f, c, what, keys, n);
		else if (!gv_yaml_empty(c)) /* all that stood there was commented out */
			ret = keys[i].read(to, c);
	}
	return ret;
}
