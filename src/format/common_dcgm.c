/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_dcgm.h"

#define MESSAGE_MAX 4096

/* "GPU 3", "GPU3", "GPU: 3": the number behind the first of them. */
static bool gpu_in(gv_str text, uint64_t *ret)
{
	while ((text = gv_after(text, "GPU")).p) {
		gv_str t = text;
		size_t n = 0;

		while (t.n && (t.p[0] == ' ' || t.p[0] == ':'))
			t = gv_from(t, 1);
		while (n < t.n && t.p[n] >= '0' && t.p[n] <= '9')
			n++;
		if (n && n < 5 && gv_to_u64(gv_sub(t, 0, n), ret))
			return true;
	}
	return false;
}

void gv_put_dcgm_says(struct gv_read *r, bool health, gv_str message, gv_str about, const struct gv_line *l)
{
	uint64_t index;

	message = gv_trim(gv_cut(message, MESSAGE_MAX));
	if (!message.n)
		return;
	if (gpu_in(message, &index) || gpu_in(about, &index) || (gv_trim(about).n < 5 && gv_to_u64(gv_trim(about), &index)))
		gv_put_str(r, gv_see_nvidia(r, index, l), health ? GV_F_GPU_HEALTH_SAYS : GV_F_GPU_DIAG_SAYS, message,
			   l);
	else
		gv_put_str(r, gv_see_node(r), health ? GV_F_HEALTH_SAYS : GV_F_DIAG_SAYS, message, l);
}

void gv_put_dcgm_result(struct gv_read *r, gv_str test, const char *tool, gv_str result, const struct gv_line *l)
{
	struct gv_entity *e;

	if (!test.n || !result.n)
		return;
	e = gv_see(r, GV_TEST, test);
	gv_put_str(r, e, GV_F_TEST_TOOL, gv_str_of(tool), l);
	gv_put_str(r, e, GV_F_TEST_RESULT, result, l);
}

int gv_dcgm_rank(gv_str result)
{
	static const char *const words[] = { "Not Run", "Skip", "Pass", "Warn", "Fail" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (gv_starts_nocase(result, words[i]))
			return (int)i + 1;
	return 0;
}

gv_str gv_join_dcgm(struct gv_arena *a, gv_str text, gv_str piece)
{
	if (!text.n)
		return piece;
	return text.n > MESSAGE_MAX ? text : gv_fmt(a, "%.*s %.*s", GV_ARG(text), GV_ARG(piece));
}
