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
