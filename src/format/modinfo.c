/* SPDX-License-Identifier: Apache-2.0 */
/* modinfo: version, licence and signer of a module as it lies on the disk, which is the one that is loaded next.
 *
 * Source: kmod, tools/modinfo.c. "version:" comes before or behind "vermagic:"; a module without a signature has no
 * "signer:". NVIDIA's open modules are licensed "Dual MIT/GPL", the others "NVIDIA". */
#include "format/common.h"

static bool entry(gv_str text, gv_str *ret_key, gv_str *ret_value)
{
	static const char *const keys[] = { "filename",	  "version",	  "license",   "description", "author",
					    "srcversion", "alias",	  "depends",   "name",	      "vermagic",
					    "parm",	  "firmware",	  "retpoline", "intree",      "signer",
					    "sig_key",	  "sig_hashalgo", "sig_id",    "signature",   "rhelversion",
					    "supported",  "softdep",	  "import_ns", "builtin",     "staging",
					    "srcversion" };

	if (!gv_key_value(text, ret_key, ret_value))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gv_is(*ret_key, keys[i]))
			return true;
	return false;
}

/* "modinfo: ERROR: Module nvidia not found." */
static bool absent(gv_str text, gv_str *ret_module)
{
	gv_str m = gv_between(text, "modinfo: ERROR: Module ", " not found");

	if (!m.n || gv_find_c(m, ' ') >= 0)
		return false;
	*ret_module = m;
	return true;
}

/* "modinfo -F version nvidia" and "modinfo nvidia | grep ^version" */
static bool asks_version(const struct gv_seg *seg, gv_str *ret_module)
{
	gv_str rest = seg ? gv_after(seg->cmd, "modinfo ") : GV_NONE, w;
	bool field = false, version = gv_has(gv_after(rest, "|"), "version");

	*ret_module = GV_NONE;
	rest = gv_before(rest, "|");
	while (gv_word(&rest, &w)) {
		if (gv_is(w, "-F") || gv_is(w, "--field")) {
			field = true;
			version = gv_word(&rest, &w) && gv_is(w, "version");
		} else if (gv_is(w, "-Fversion") || gv_is(w, "--field=version")) {
			field = version = true;
		} else if (w.p[0] != '-' && w.p[0] != '2' && w.p[0] != '>') {
			*ret_module = w;
		}
	}
	return field && version && ret_module->n > 0;
}

static bool version_word(gv_str s)
{
	double v;
	gv_str rest;

	return s.n && s.n < 32 && s.p[0] >= '0' && s.p[0] <= '9' && gv_find_c(s, ' ') < 0 &&
	       gv_lead_num(s, &v, &rest) && gv_find_c(s, '.') > 0;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str key, value, module;
	size_t end = 1;

	if (absent(l[0].text, &module))
		return 1;
	if (version_word(gv_trim(l[0].text)) && asks_version(seg, &module))
		return 1;
	if (!entry(l[0].text, &key, &value))
		return 0;
	/* one line alone may be of anything with a version, unless it names a module's file or its command is there */
	if (!gv_is(key, "filename") && !gv_is(key, "vermagic") && !(seg && gv_has(seg->cmd, "modinfo ")))
		return 0;
	for (size_t i = 1; i < n && i < 4096; i++) {
		if (entry(l[i].text, &key, &value) && !(gv_is(key, "filename") && i > 0))
			end = i + 1;
		else if (gv_is(key, "filename") || gv_blank_line(&l[i]) ||
			 (gv_indent(l[i].text) == 0 && !gv_has(l[i].text, ":")))
			break;
	}
	return end;
}

/* "/lib/modules/6.8.0-52-generic/updates/dkms/nvidia.ko.zst" -> "nvidia" */
static gv_str name_of(gv_str file)
{
	ptrdiff_t slash = gv_rfind(file, "/");

	return gv_before(slash >= 0 ? gv_from(file, (size_t)slash + 1) : file, ".ko");
}

static bool of_nvidia(gv_str name)
{
	return gv_is(name, "nvidia") || gv_is(name, "nvidia-current") || gv_is(name, "nvidia-open") ||
	       gv_is(name, "nvidia_current");
}

struct module {
	gv_str name, file, version, license, signer, kernel;
	const struct gv_line *at_name, *at_file, *at_version, *at_license, *at_signer, *at_kernel;
	bool whole; /* from filename to vermagic: what is not there is not there */
};

static void see_module(struct gv_read *r, const struct module *m)
{
	struct gv_entity *e;

	if (!m->name.n)
		return;
	e = gv_see(r, GV_MODULE,
		   gv_fmt(r->arena, "%.*s%s%.*s%s%.*s", GV_ARG(m->name), m->version.n ? "/" : "", GV_ARG(m->version),
			  m->kernel.n ? "/" : "", GV_ARG(m->kernel)));
	gv_put_str(r, e, GV_F_MODULE_NAME, m->name, m->at_name);
	if (m->version.n)
		gv_put_str(r, e, GV_F_MODULE_VERSION, m->version, m->at_version);
	if (m->file.n)
		gv_put_str(r, e, GV_F_MODULE_FILE, m->file, m->at_file);
	if (m->license.n)
		gv_put_str(r, e, GV_F_MODULE_LICENSE, m->license, m->at_license);
	if (m->kernel.n) {
		gv_put_str(r, e, GV_F_MODULE_KERNEL, m->kernel, m->at_kernel);
		gv_put_str(r, e, GV_F_MODULE_STATE, GV_STR("installed"), m->at_kernel);
	}
	if (m->signer.n)
		gv_put_str(r, e, GV_F_MODULE_SIGNER, m->signer, m->at_signer);
	else if (m->whole)
		gv_put_none(r, e, GV_F_MODULE_SIGNER, GV_NOT_APPLICABLE, "it is not signed", m->at_name);
	if (of_nvidia(m->name) && m->version.n)
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_DISK, m->version, m->at_version);
}

static void read_entry(struct module *m, gv_str key, gv_str value, const struct gv_line *l)
{
	gv_str w = value, first = GV_NONE;

	gv_word(&w, &first);
	if (gv_is(key, "filename")) {
		m->file = value;
		m->at_file = l;
		if (!m->name.n) {
			m->name = name_of(value);
			m->at_name = l;
		}
	} else if (gv_is(key, "name")) {
		m->name = value;
		m->at_name = l;
	} else if (gv_is(key, "version")) {
		m->version = first;
		m->at_version = l;
	} else if (gv_is(key, "license")) {
		m->license = value;
		m->at_license = l;
	} else if (gv_is(key, "vermagic")) {
		m->kernel = first;
		m->at_kernel = l;
		m->whole = m->file.n > 0;
	} else if (gv_is(key, "signer")) {
		m->signer = value;
		m->at_signer = l;
	}
}

static void read_modinfo(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct module m = { 0 };
	gv_str key, value, module;

	if (absent(l[0].text, &module)) {
		if (of_nvidia(module))
			gv_put_none(r, gv_see_node(r), GV_F_DRIVER_DISK, GV_UNKNOWN, "modinfo finds no such module", l);
		return;
	}
	if (version_word(gv_trim(l[0].text)) && asks_version(r->block->seg, &module)) {
		if (of_nvidia(module))
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_DISK, gv_trim(l[0].text), l);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (entry(l[i].text, &key, &value))
			read_entry(&m, key, value, &l[i]);
	if (!m.name.n && r->block->seg && !gv_has(r->block->seg->cmd, ";")) { /* what grep left: the command names it */
		asks_version(r->block->seg, &module);
		m.name = module;
		m.at_name = l;
	}
	see_module(r, &m);
}

const struct gv_format gv_format_modinfo = {
	.name = "modinfo",
	.heads = { "filename:", "vermagic:", "modinfo: ERROR" },
	.cmds = { "modinfo" },
	.claim = claim,
	.read = read_modinfo,
};
