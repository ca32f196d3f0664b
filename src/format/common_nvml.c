/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common_nvml.h"

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Later versions of a call tell the same things. */
static gv_str base_name(gv_str name)
{
	size_t n = name.n;

	if (n > 3 && name.p[n - 3] == '_' && name.p[n - 2] == 'v')
		return gv_sub(name, 0, n - 3);
	if (gv_is(name, "nvmlDeviceGetCurrentClocksThrottleReasons"))
		return GV_STR("nvmlDeviceGetCurrentClocksEventReasons");
	if (gv_is(name, "nvmlDeviceGetGpuFabricInfoV") || gv_is(name, "nvmlDeviceGetTemperatureV"))
		return gv_sub(name, 0, n - 1);
	return name;
}

/* What follows "NAME(ARGS)". */
static void parse_tail(gv_str tail, struct gv_said *s)
{
	gv_str word = GV_NONE;
	double code;

	if (gv_starts(tail, ": no answer within ")) {
		s->what = GV_SAID_SILENT;
	} else if (gv_starts(tail, ": ended the process (")) {
		s->what = GV_SAID_DIED;
	} else if (gv_starts(tail, "[") && gv_has(tail, "]: pid=")) {
		s->what = GV_SAID_PROCESS;
		s->rest = gv_after(tail, "]: ");
	} else if (gv_starts(tail, ": ") && gv_ends(tail, " more are left out")) {
		s->what = GV_SAID_REMARK;
	} else if (gv_starts(tail, " = ")) {
		s->rest = gv_from(tail, 3);
		gv_word(&s->rest, &word);
		if (gv_is(s->name, "dlopen")) {
			s->what = gv_is(word, "loaded") ? GV_SAID_LOADED
				  : gv_is(word, "NULL") ? GV_SAID_NOT_LOADED
							: GV_SAID_NOTHING;
		} else if (gv_to_num(word, &code) && code > -1e6 && code < 1e6) {
			s->what = GV_SAID_ANSWER;
			s->code = (int64_t)code;
		}
	}
}

static void parse_args(gv_str args, struct gv_said *s)
{
	gv_str first = gv_before(args, ",");

	s->about = gv_starts(s->name, "nvmlDevice") && gv_to_u64(first, &s->gpu);
	s->args = s->about ? gv_trim(gv_from(args, first.n + 1)) : args;
}

bool gv_said_parse(gv_str text, struct gv_said *s)
{
	gv_str t = gv_trim(text), word;
	size_t n = 0;
	ptrdiff_t end;

	*s = (struct gv_said){ 0 };
	if (gv_starts(t, "@")) {
		gv_word(&t, &word);
		s->tick = gv_to_num(gv_from(word, 1), &s->t) && s->t >= 0 && s->t < 1e12;
		if (!s->tick)
			return false;
		t = gv_trim(t);
	}
	while (n < t.n && name_char(t.p[n]))
		n++;
	s->name = gv_sub(t, 0, n);
	s->call = base_name(s->name);
	t = gv_from(t, n);
	if (!gv_starts(s->name, "nvml") && !gv_is(s->name, "dlopen"))
		return false;
	if (gv_is(t, ": not in this library")) {
		s->what = GV_SAID_MISSING;
	} else if (gv_starts(t, ": more than ")) {
		s->what = GV_SAID_REMARK;
	} else if (gv_starts(t, "(") && (end = gv_find_c(t, ')')) > 0) {
		parse_args(gv_sub(t, 1, (size_t)end - 1), s);
		if (gv_is(s->name, "dlopen") && !gv_has(s->args, "libnvidia-ml"))
			return false;
		parse_tail(gv_from(t, (size_t)end + 1), s);
	}
	return s->what != GV_SAID_NOTHING;
}

gv_str gv_said_value(gv_str rest, gv_str key)
{
	gv_str word;

	while (gv_word(&rest, &word))
		if (word.n > key.n && word.p[key.n] == '=' && gv_eq(gv_sub(word, 0, key.n), key))
			return gv_from(word, key.n + 1);
	return GV_NONE;
}

gv_str gv_said_quoted(const struct gv_said *s)
{
	return gv_between(s->rest, "\"", "\"");
}
