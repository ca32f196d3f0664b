/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of installed packages: dpkg -l, apt list --installed, rpm -qa, dnf (yum) list installed; of these, the packages
 * of GPU drivers and the kernels.
 *
 * Where rpm names a kernel, its release is version, release and architecture: kernel-core-5.14.0-427.13.1.el9_4.x86_64.
 */
#include "format/common_package.h"

#define ROWS_MAX 32768

struct row {
	gv_str name, version;
	gv_str kernel; /* release, where it is a kernel's package of rpm */
	bool there;    /* installed; false: removed, only its configuration is left */
};

static bool arch_word(gv_str s)
{
	static const char *const words[] = { "amd64",	"arm64",  "all",     "i386",	"x86_64",
					     "aarch64", "noarch", "ppc64el", "ppc64le", "i686" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_is(s, words[i]))
			return true;
	return false;
}

/* "ii  nvidia-driver-550  550.54.15-0ubuntu1  amd64  NVIDIA driver metapackage" */
static bool dpkg_row(gv_str text, struct row *ret)
{
	gv_str w[4];

	if (gv_words(text, w, 4) < 4 || w[0].n < 2 || w[0].n > 3 || !strchr("uirph", w[0].p[0]) ||
	    !strchr("ncHUFWti", w[0].p[1]) || !arch_word(w[3]) || w[2].p[0] < '0' || w[2].p[0] > '9')
		return false;
	*ret = (struct row){ w[1], w[2], GV_NONE, w[0].p[1] == 'i' };
	return true;
}

/* "nvidia-driver-550/jammy-updates,now 550.54.15-0ubuntu1 amd64 [installed]" */
static bool apt_row(gv_str text, struct row *ret)
{
	gv_str w[4];

	if (gv_words(text, w, 4) < 4 || gv_find_c(w[0], '/') <= 0 || !arch_word(w[2]) || w[3].p[0] != '[')
		return false;
	*ret = (struct row){ gv_before(w[0], "/"), w[1], GV_NONE,
			     gv_starts(w[3], "[installed") || gv_starts(w[3], "[upgradable from") };
	return true;
}

static bool kernel_name(gv_str name)
{
	return gv_is(name, "kernel") || gv_is(name, "kernel-core") || gv_is(name, "kernel-default") ||
	       gv_is(name, "kernel-uek-core");
}

/* "nvidia-driver-550.54.15-1.el9.x86_64": name, version and release with an architecture behind them */
static bool rpm_row(struct gv_arena *a, gv_str text, struct row *ret)
{
	gv_str s = gv_trim(text), nvr, arch, name;
	ptrdiff_t dot = gv_rfind(s, "."), dash, cut;

	if (dot < 5 || s.n > 200 || gv_find_c(s, ' ') >= 0 || gv_find_c(s, '/') >= 0)
		return false;
	arch = gv_from(s, (size_t)dot + 1);
	nvr = gv_sub(s, 0, (size_t)dot);
	dash = gv_rfind(nvr, "-");
	if (!arch_word(arch) || dash < 3)
		return false;
	cut = gv_rfind(gv_sub(nvr, 0, (size_t)dash), "-");
	if (cut < 1 || nvr.p[cut + 1] < '0' || nvr.p[cut + 1] > '9')
		return false;
	name = gv_sub(nvr, 0, (size_t)cut);
	*ret = (struct row){ name, gv_from(nvr, (size_t)cut + 1), GV_NONE, true };
	if (a && kernel_name(name))
		ret->kernel = gv_is(name, "kernel-default") ? gv_fmt(a, "%.*s-default", GV_ARG(ret->version))
							    : gv_from(s, (size_t)cut + 1);
	return true;
}

/* "nvidia-driver.x86_64   3:550.54.15-1.el9   @cuda-rhel9-x86_64" */
static bool dnf_row(struct gv_arena *a, gv_str text, struct row *ret)
{
	gv_str w[4], v;
	ptrdiff_t dot;

	if (gv_words(text, w, 4) != 3 || w[2].p[0] != '@')
		return false;
	dot = gv_rfind(w[0], ".");
	if (dot < 1 || !arch_word(gv_from(w[0], (size_t)dot + 1)))
		return false;
	*ret = (struct row){ gv_sub(w[0], 0, (size_t)dot), w[1], GV_NONE, true };
	v = gv_after(w[1], ":");
	if (a && kernel_name(ret->name) && !gv_is(ret->name, "kernel-default"))
		ret->kernel = gv_fmt(a, "%.*s%.*s", GV_ARG(v.p ? v : w[1]), GV_ARG(gv_from(w[0], (size_t)dot)));
	return true;
}

static bool row_of(struct gv_arena *a, gv_str text, struct row *ret)
{
	return dpkg_row(text, ret) || apt_row(text, ret) || rpm_row(a, text, ret) || dnf_row(a, text, ret);
}

static bool head(gv_str text)
{
	return gv_starts(text, "Desired=Unknown/") || gv_starts(text, "| Status=Not/") || gv_starts(text, "|/ Err?=") ||
	       gv_starts(text, "||/ Name") || gv_starts(text, "+++-=") || gv_starts(text, "Listing...") ||
	       gv_starts(text, "Installed Packages");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	size_t end = 0;
	struct row row;

	(void)seg;
	for (size_t i = 0; i < n && i < ROWS_MAX; i++) {
		bool is_head = head(gv_trim(l[i].text));

		if (!is_head && !row_of(NULL, l[i].text, &row)) {
			if (i == 0 || !gv_blank_line(&l[i]) || gv_blank_line(&l[i - 1]))
				break;
			continue;
		}
		/* a word with an architecture at its end may be anything, where it stands alone */
		end = i + 1;
	}
	return end;
}

static void read_packages(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct row row;

	for (size_t i = 0; i < n; i++) {
		if (!row_of(r->arena, l[i].text, &row) || !row.there)
			continue;
		gv_see_package(r, row.name, row.version, &l[i]);
		if (row.kernel.n && gv_kernel_release(row.kernel))
			gv_see_image(r, row.kernel, GV_F_IMAGE_THERE, &l[i]);
	}
}

const struct gv_format gv_format_packages = {
	.name = "packages",
	.heads = { "||/ Name", "ii  ", "rc  ", "iU  ", "iF  ", "hi  ", "[installed", "Installed Packages", "nvidia-",
		   "kernel-", "kernel.", "cuda-drivers", "Desired=" },
	.claim = claim,
	.read = read_packages,
};
