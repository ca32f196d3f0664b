/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/common_apk.h"

gv_str gv_apk_name(gv_str text, gv_str *ret_spec)
{
	size_t n = 0;

	while (n < text.n && !strchr("=<>~@", text.p[n]))
		n++;
	*ret_spec = gv_from(text, n);
	return gv_sub(text, 0, n);
}

void gv_apk_require(struct gv_inspect *x, struct gv_package *p, gv_str text, uint32_t line)
{
	gv_str spec, name = gv_apk_name(text, &spec);
	struct gv_dep *d;
	unsigned vendor;
	bool driver;

	if (!name.n || name.p[0] == '!' || name.p[0] == '/' || gv_starts(name, "cmd:") || gv_starts(name, "pc:"))
		return;
	if (!gv_starts(name, "so:")) {
		gv_add_require(x, p, name, spec, false, line);
		return;
	}
	name = gv_from(name, 3);
	vendor = gv_library_vendor(name, &driver);
	if (!vendor)
		return;
	d = gv_add_dep(x, GV_DECLARED, name, vendor);
	d->of = p;
	d->driver = driver;
	d->line = line;
	d->quote = gv_dup(x->arena, text);
}
