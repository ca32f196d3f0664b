/* SPDX-License-Identifier: Apache-2.0 */
/* docker info: which runtimes the daemon has, and what it says of its machine. */
#include "format/common.h"

#define LINES_MAX 256
#define SURE_WITHIN 48 /* lines of the first one: so far down stands what only this output has */

static const struct {
	const char *key;
	enum gv_fact fact;
	bool number;
} keys[] = {
	{ "Server Version", GV_F_DOCKER_VERSION, false },  { "Runtimes", GV_F_DOCKER_RUNTIMES, false },
	{ "Default Runtime", GV_F_DOCKER_RUNTIME, false }, { "Cgroup Driver", GV_F_DOCKER_CGROUP, false },
	{ "Kernel Version", GV_F_KERNEL, false },	   { "CPUs", GV_F_CPUS, true },
};

static bool is_first(gv_str s)
{
	return gv_starts(s, "Containers: ") || gv_starts(s, "Server Version: ") || gv_starts(s, "Server:");
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool sure = seg && gv_has(seg->cmd, "docker info");
	size_t end = 0;

	if (!is_first(gv_trim(l[0].text)))
		return 0;
	for (size_t i = 0; i < n && i < (sure ? LINES_MAX : SURE_WITHIN); i++) {
		gv_str s = gv_trim(l[i].text), key, value;

		if (!gv_key_value(s, &key, &value) && s.n && i && gv_indent(l[i].text) == 0)
			break;
		sure |= i && (gv_starts(s, "Storage Driver: ") || gv_starts(s, "Cgroup Driver: "));
		end = s.n ? i + 1 : end;
	}
	return sure ? end : 0;
}

static void read_info(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		gv_str key, value;

		if (!gv_key_value(gv_trim(l[i].text), &key, &value) || !value.n || gv_indent(l[i].text) > 1)
			continue;
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			if (!gv_is(key, keys[k].key))
				continue;
			if (keys[k].number)
				gv_put_cell(r, gv_see_node(r), keys[k].fact, value, &l[i]);
			else
				gv_put_str(r, gv_see_node(r), keys[k].fact, value, &l[i]);
		}
	}
}

const struct gv_format gv_format_docker_info = {
	.name = "docker info",
	.heads = { "Containers: ", "Server Version: ", "Server:" },
	.claim = claim,
	.read = read_info,
};
