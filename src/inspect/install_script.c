/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts that run when something is installed or an image is built: shell scripts (those of Debian's packages, too),
 * Dockerfiles, install scripts of npm packages, build scripts of Python packages. */
#include "inspect/common_fetch.h"
#include "inspect/common_setup_py.h"

#define SCRIPT_MAX ((uint64_t)1 << 20) /* larger ones carry an archive behind them */

static bool is_shell(gv_str head)
{
	gv_str first = gv_trim(gv_before(head, "\n")), program, word;

	if (!gv_starts(first, "#!"))
		return false;
	first = gv_from(first, 2);
	if (!gv_word(&first, &program))
		return false;
	if (gv_ends(program, "/env") && gv_word(&first, &word))
		program = word;
	program = gv_from(program, (size_t)(gv_rfind(program, "/") + 1));
	return gv_is(program, "sh") || gv_is(program, "bash") || gv_is(program, "dash");
}

static bool is_dockerfile(gv_str name)
{
	return gv_starts(name, "Dockerfile") || gv_starts(name, "Containerfile") || gv_ends(name, ".dockerfile") ||
	       gv_ends(name, ".Dockerfile");
}

/* What npm packages call the script that their package.json names. */
static bool is_npm_script(gv_str name)
{
	if (!gv_ends(name, ".js") && !gv_ends(name, ".cjs") && !gv_ends(name, ".mjs"))
		return false;
	return gv_starts(name, "install") || gv_starts(name, "postinstall") || gv_starts(name, "preinstall") ||
	       gv_starts(name, "download");
}

static bool is_build_script(gv_str name)
{
	static const char *const names[] = { "setup.py", "hatch_build.py", "pdm_build.py", "build_backend.py",
					     "_build_backend.py" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (gv_is(name, names[i]))
			return true;
	return false;
}

static bool claim(const struct gv_item *it)
{
	if (!it->head.n || memchr(it->head.p, 0, it->head.n) || (it->size > SCRIPT_MAX && it->size != UINT64_MAX))
		return false;
	if (gv_has(it->path, "/info/recipe/") || gv_has(it->path, "!info/recipe/"))
		return false; /* how a conda package was made: nobody runs it again */
	return is_build_script(it->name) || is_npm_script(it->name) || is_dockerfile(it->name) ||
	       gv_ends(it->name, ".sh") || is_shell(it->head);
}

static void read_script(struct gv_inspect *x, gv_str bytes)
{
	if (bytes.n <= SCRIPT_MAX)
		gv_fetch_script(x, bytes);
	if (bytes.n <= SCRIPT_MAX && gv_is(x->item->name, "setup.py"))
		gv_py_setup(x, bytes);
}

const struct gv_document gv_document_install_script = {
	.type = "script", .claim = claim, .read = read_script, .scan = true
};
