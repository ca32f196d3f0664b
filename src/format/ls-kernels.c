/* SPDX-License-Identifier: Apache-2.0 */
/* ls /boot and ls /lib/modules: the kernels that are installed. A folder below /lib/modules may be left from a kernel
 * that was removed; an image in /boot is what can be booted. */
#include "format/common_package.h"

/* Names of kernel images. */
static gv_str release_of(gv_str name)
{
	static const char *const starts[] = { "vmlinuz-", "vmlinux-", "Image-", "kernel-" };
	ptrdiff_t slash = gv_rfind(name, "/");

	name = slash >= 0 ? gv_from(name, (size_t)slash + 1) : name;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (gv_starts(name, starts[i]) && gv_kernel_release(gv_from(name, strlen(starts[i]))))
			return gv_from(name, strlen(starts[i]));
	return GV_NONE;
}

/* The command lists this folder itself, not one below it. */
static bool lists(const struct gv_seg *seg, const char *folder)
{
	gv_str after = seg && gv_starts(gv_trim(seg->cmd), "ls ") ? gv_after(seg->cmd, folder) : GV_NONE;

	if (!after.p || gv_has(seg->cmd, "$(") || gv_has(seg->cmd, "`"))
		return false;
	if (gv_starts(after, "/"))
		after = gv_from(after, 1);
	return !after.n || after.p[0] == ' ' || gv_starts(after, "vmlinuz") || after.p[0] == '*';
}

/* Words of one line that `ls`, `ls -l` or `ls -C` printed: the names of kernels among them. */
static size_t each_name(struct gv_read *r, gv_str text, bool boot, const struct gv_line *l)
{
	gv_str rest = text, w;
	size_t n = 0;

	for (size_t i = 0; i < 64 && gv_word(&rest, &w); i++) {
		gv_str release = boot ? release_of(w) : gv_kernel_release(w) ? w : GV_NONE;

		if (gv_is(w, "->")) /* where a link leads is listed itself */
			break;
		if (!release.n)
			continue;
		n++;
		if (r)
			gv_see_image(r, release, boot ? GV_F_IMAGE_THERE : GV_F_IMAGE_FILES, l);
	}
	return n;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool boot = !seg || !lists(seg, "/lib/modules");
	size_t end = 0;

	/* without its command a listing of /boot is known by two or more images */
	if (boot && !lists(seg, "/boot")) {
		size_t all = 0;

		if (seg && seg->cmd.n)
			return 0;
		for (size_t i = 0; i < n && i < 64 && !gv_blank_line(&l[i]); i++)
			all += each_name(NULL, l[i].text, true, NULL);
		if (all < 2)
			return 0;
	}
	if (!each_name(NULL, l[0].text, boot, NULL))
		return 0;
	for (size_t i = 0; i < n && i < 512 && !gv_blank_line(&l[i]); i++)
		end = i + 1;
	return end;
}

static void read_listing(struct gv_read *r, const struct gv_line *l, size_t n)
{
	bool boot = !r->block->seg || !lists(r->block->seg, "/lib/modules");

	for (size_t i = 0; i < n; i++)
		each_name(r, l[i].text, boot, &l[i]);
}

const struct gv_format gv_format_ls_kernels = {
	.name = "installed kernels",
	.heads = { "vmlinuz-", "vmlinux-" },
	.cmds = { "/lib/modules", "/boot" },
	.claim = claim,
	.read = read_listing,
};
