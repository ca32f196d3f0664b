/* SPDX-License-Identifier: Apache-2.0 */
/* taskset -p: "pid 4242's current affinity list: 0-15" or "... affinity mask: ffff". */
#include "base/buf.h"
#include "format/common.h"

#define DIGITS 4096 /* hex digits of a mask, four CPUs each */

static bool split(gv_str line, gv_str *ret_pid, gv_str *ret_value, bool *ret_mask)
{
	gv_str pid, value;
	uint64_t v;

	line = gv_trim(line);
	if (!gv_starts(line, "pid ") || !gv_has(line, " affinity "))
		return false;
	pid = gv_from(line, 4);
	for (size_t i = 0; i <= pid.n; i++)
		if (i == pid.n || pid.p[i] < '0' || pid.p[i] > '9') {
			pid = gv_sub(pid, 0, i);
			break;
		}
	if (!gv_to_u64(pid, &v))
		return false;
	value = gv_after(line, " affinity list:");
	*ret_mask = !value.p;
	if (!value.p)
		value = gv_after(line, " affinity mask:");
	if (!gv_word(&value, &line))
		return false;
	*ret_pid = pid;
	*ret_value = line;
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "ff00" to "8-15"; empty where it is no mask. */
static gv_str list_of_mask(struct gv_arena *a, gv_str mask)
{
	struct gv_buf b = { 0 };
	gv_str out;
	size_t cpu = 0, from = 0;
	bool in = false;

	if (gv_starts(mask, "0x"))
		mask = gv_from(mask, 2);
	if (mask.n > DIGITS)
		return GV_NONE;
	for (size_t i = mask.n + 1; i-- > 0;) {
		int d = i ? hex(mask.p[i - 1]) : 0; /* one digit more, which closes the last run */

		if (i && mask.p[i - 1] == ',')
			continue;
		if (d < 0) {
			gv_buf_free(&b);
			return GV_NONE;
		}
		for (unsigned bit = 0; bit < 4; bit++, cpu++) {
			bool on = d >> bit & 1;

			if (on && !in)
				from = cpu;
			else if (!on && in)
				gv_printf(&b, "%s%zu", b.n ? "," : "", from);
			if (!on && in && cpu - from > 1)
				gv_printf(&b, "-%zu", cpu - 1);
			in = on;
		}
	}
	out = gv_dup(a, gv_buf_str(&b));
	gv_buf_free(&b);
	return out;
}

static size_t claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str pid, value;
	size_t i = 0;
	bool mask;

	(void)seg;
	while (i < n && split(l[i].text, &pid, &value, &mask))
		i++;
	return i;
}

static void read_taskset(struct gv_read *r, const struct gv_line *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct gv_entity *e;
		gv_str pid, value;
		bool mask;

		if (!split(l[i].text, &pid, &value, &mask))
			continue;
		if (mask)
			value = list_of_mask(r->arena, value);
		e = gv_see(r, GV_PROC, pid);
		gv_key(r, e, GV_KEY_PID, pid);
		if (value.n && gv_cpulist_count(value) > 0)
			gv_put_str(r, e, GV_F_PROC_CPUS, value, &l[i]);
		else
			gv_put_none(r, e, GV_F_PROC_CPUS, GV_UNKNOWN, "no list of CPUs", &l[i]);
	}
}

const struct gv_format gv_format_taskset = {
	.name = "taskset",
	.heads = { " affinity list:", " affinity mask:" },
	.claim = claim,
	.read = read_taskset,
};
