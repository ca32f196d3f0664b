/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of package managers: /var/log/apt/history.log, /var/log/dpkg.log, /var/log/dnf.rpm.log. What is read is the last
 * upgrade of a driver's libraries or module: it tells since when they may not fit what is loaded. */
#include "format/common_package.h"

#define UPGRADE_LINE 65536 /* of an Upgrade: line only so much is looked at */

/* "2026-01-13 06:12:31 upgrade libnvidia-compute-550:amd64 550.54.14-0ubuntu1 550.54.15-0ubuntu1" */
static bool dpkg_line(gv_str text, gv_str *w)
{
	return gv_words(text, w, 6) == 6 && w[0].n == 10 && w[1].n == 8 && gv_is(w[2], "upgrade") &&
	       gv_find_c(w[3], ':') > 0;
}

/* "2026-01-13T06:12:31+0000 SUBDEBUG Upgrade: nvidia-driver-3:550.54.15-1.el9.x86_64" */
static bool dnf_line(gv_str text, gv_str *ret_time, gv_str *ret_package)
{
	gv_str w[5];

	if (gv_words(text, w, 5) != 4 || w[0].n < 19 || w[0].p[10] != 'T' || !gv_is(w[1], "SUBDEBUG") ||
	    !gv_is(w[2], "Upgrade:"))
		return false;
	*ret_time = w[0];
	*ret_package = w[3];
	return true;
}

static bool apt_key(gv_str text)
{
	static const char *const keys[] = { "Start-Date: ", "Commandline: ", "Requested-By: ", "Install: ",
					    "Upgrade: ",    "Remove: ",	     "Purge: ",	       "Reinstall: ",
					    "Downgrade: ",  "End-Date: ",    "Error: " };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (gv_starts(text, keys[i]))
			return true;
	return false;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool apt = gv_starts(l[0].text, "Start-Date: ") || gv_starts(l[0].text, "Upgrade: ");
	size_t end = 0;

	(void)seg;
	for (size_t i = 0; i < n; i++) {
		gv_str w[6], a, b;

		if (apt ? apt_key(l[i].text) : dpkg_line(l[i].text, w) || dnf_line(l[i].text, &a, &b))
			end = i + 1;
		else if (apt ? !gv_blank_line(&l[i]) : !(l[i].text.n > 10 && l[i].text.p[0] == '2'))
			break;
	}
	return end;
}

/* Packages that hold the module or the libraries that must fit it; others (settings, firmware) do no harm. */
static bool of_driver(gv_str name)
{
	return gv_starts(name, "libnvidia-") || gv_starts(name, "nvidia-driver") || gv_starts(name, "nvidia-kernel") ||
	       gv_starts(name, "nvidia-dkms") || gv_starts(name, "nvidia-utils") || gv_starts(name, "nvidia-compute") ||
	       gv_starts(name, "kmod-nvidia") || gv_starts(name, "libcuda1") ||
	       gv_starts(name, "xorg-x11-drv-nvidia") || gv_starts(name, "linux-modules-nvidia-");
}

/* "libnvidia-compute-550:amd64 (550.54.14-0ubuntu1, 550.54.15-0ubuntu1), ..." */
static void read_upgrade(struct gv_read *r, gv_str list, gv_str when, const struct gv_line *l)
{
	for (list = gv_sub(list, 0, UPGRADE_LINE); list.n;) {
		gv_str name = gv_before(gv_before(list, " ("), ":"), versions = gv_between(list, "(", ")");
		gv_str from = gv_trim(gv_before(versions, ",")), to = gv_trim(gv_after(versions, ","));

		list = gv_after(list, "), ");
		if (!of_driver(name) || !from.n || !to.n || name.n > 64 || from.n > 64 || to.n > 64)
			continue;
		gv_put_str(r, gv_see_node(r), GV_F_DRIVER_UPGRADED,
			   gv_fmt(r->arena, "%.*s from %.*s to %.*s%s%.*s", GV_ARG(name), GV_ARG(from), GV_ARG(to),
				  when.n ? " on " : "", GV_ARG(when)),
			   l);
		return;
	}
}

static void read_log(struct gv_read *r, const struct gv_line *l, size_t n)
{
	gv_str when = GV_NONE;

	for (size_t i = 0; i < n; i++) {
		gv_str w[6], t, package;

		if (gv_starts(l[i].text, "Start-Date: ")) {
			gv_str date = gv_from(l[i].text, 12), day, time;

			when = gv_word(&date, &day) && gv_word(&date, &time)
				   ? gv_fmt(r->arena, "%.*s %.*s", GV_ARG(day), GV_ARG(time))
				   : GV_NONE;
		} else if (gv_starts(l[i].text, "Upgrade: ")) {
			read_upgrade(r, gv_from(l[i].text, 9), when, &l[i]);
		} else if (dpkg_line(l[i].text, w) && of_driver(w[3])) {
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_UPGRADED,
				   gv_fmt(r->arena, "%.*s from %.*s to %.*s on %.*s %.*s", GV_ARG(gv_before(w[3], ":")),
					  GV_ARG(w[4]), GV_ARG(w[5]), GV_ARG(w[0]), GV_ARG(w[1])),
				   &l[i]);
		} else if (dnf_line(l[i].text, &t, &package) && of_driver(package)) {
			gv_put_str(r, gv_see_node(r), GV_F_DRIVER_UPGRADED,
				   gv_fmt(r->arena, "%.*s on %.*s", GV_ARG(gv_cut(package, 128)), GV_ARG(t)), &l[i]);
		}
	}
}

const struct gv_format gv_format_package_log = {
	.name = "package log",
	.heads = { "Start-Date: ", "Upgrade: ", " upgrade lib", " upgrade nvidia", " upgrade linux",
		   "SUBDEBUG Upgrade: " },
	.claim = claim,
	.read = read_log,
};
