/* SPDX-License-Identifier: Apache-2.0 */
#include "format/common.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* Takes n bytes of what facts may take; true where they are all taken. */
static bool full(struct gv_read *r, size_t n)
{
	struct gv_run *run = r->run;

	if (run->seen_bytes > GV_SEEN_BYTES)
		return true;
	run->seen_bytes += n;
	if (run->seen_bytes > GV_SEEN_BYTES)
		gv_unread(run, r->doc->name, gv_fmt(run->arena, "its facts, and those of what follows, are more than %zu MiB: the "
								"rest was left out", GV_SEEN_BYTES >> 20));
	return run->seen_bytes > GV_SEEN_BYTES;
}

/* A sighting that is in no table, for readers to write to. */
static struct gv_entity *surplus(struct gv_read *r, enum gv_entity_kind k)
{
	struct gv_entity **e = &r->run->surplus[k];

	if (!*e)
		*e = gv_entity_new(r->arena, k, GV_NONE);
	memset((*e)->key, 0, sizeof((*e)->key));
	(*e)->block = r->block;
	(*e)->index = SIZE_MAX;
	return *e;
}

struct gv_entity *gv_see(struct gv_read *r, enum gv_entity_kind k, gv_str id)
{
	struct gv_entity *e;

	if (full(r, sizeof(*e) + gv_fact_count(k) * sizeof(struct gv_slot)))
		return surplus(r, k);
	e = gv_entity_new(r->arena, k, gv_trim(id));
	e->block = r->block;
	e->index = r->run->sights.n;
	*gv_push(r->run->arena, &r->run->sights) = e;
	return e;
}

struct gv_entity *gv_see_node(struct gv_read *r)
{
	if (!r->block->sight)
		r->block->sight = gv_see(r, GV_NODE, GV_NONE);
	return r->block->sight;
}

void gv_key(struct gv_read *r, struct gv_entity *e, enum gv_key key, gv_str value)
{
	value = gv_trim(value);
	if (!value.n)
		return;
	if (key == GV_KEY_BUS && !gv_bus_id(r->arena, value, &value))
		return;
	e->key[key] = value;
}

static struct gv_obs *observe(struct gv_read *r, struct gv_entity *e, enum gv_fact f, const struct gv_line *l)
{
	struct gv_obs *o;

	if (full(r, sizeof(*o))) {
		e = surplus(r, gv_fact_info[f].over);
		gv_slot(e, f)->n = 0;
	}
	o = gv_observe(r->arena, e, f, gv_at(r->doc, l));
	o->block = r->block;
	return o;
}

#define NO_SUCH_NUMBER "the number is out of range"

/* Little of what is counted or measured can be below zero, and nothing reaches 2^63: tools print -1, or all bits set,
 * where there is no value. */
static bool possible(enum gv_fact f, double v)
{
	gv_str unit = gv_str_of(gv_fact_info[f].unit);

	if (!isfinite(v) || fabs(v) >= 0x1p63)
		return false;
	return v >= 0 || f == GV_F_GPU_NUMA || f == GV_F_PCI_NUMA || f == GV_F_POD_EXIT_CODE || gv_is(unit, "C") ||
	       gv_is(unit, "s") || gv_is(unit, "ms") || gv_is(unit, "us");
}

void gv_put_nth(struct gv_read *r, struct gv_entity *e, enum gv_fact f, double v, uint32_t sample, uint32_t ms,
		const struct gv_line *l)
{
	struct gv_obs *o = observe(r, e, f, l);

	o->sample = sample;
	o->ms = ms;
	if (possible(f, v)) {
		o->state = GV_KNOWN;
		o->num = v == 0 ? 0 : v; /* no "-0" */
	} else {
		o->reason = NO_SUCH_NUMBER;
	}
}

void gv_put_num(struct gv_read *r, struct gv_entity *e, enum gv_fact f, double v, const struct gv_line *l)
{
	gv_put_nth(r, e, f, v, 0, 0, l);
}

void gv_put_str(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str v, const struct gv_line *l)
{
	struct gv_obs *o;

	v = gv_trim(v);
	if (!v.n) {
		gv_put_none(r, e, f, GV_UNKNOWN, "the output leaves it empty", l);
		return;
	}
	o = observe(r, e, f, l);
	o->state = GV_KNOWN;
	o->str = v;
}

void gv_put_flag(struct gv_read *r, struct gv_entity *e, enum gv_fact f, bool v, const struct gv_line *l)
{
	struct gv_obs *o = observe(r, e, f, l);

	o->state = GV_KNOWN;
	o->num = v;
}

void gv_put_none(struct gv_read *r, struct gv_entity *e, enum gv_fact f, enum gv_state s, const char *reason,
		 const struct gv_line *l)
{
	struct gv_obs *o = observe(r, e, f, l);

	o->state = s;
	o->reason = reason;
}

/* Spellings of "no value", without brackets. Those that stand alone must be the whole cell; the others begin it, since
 * tools hang more words on them ("N/A W", "Requested functionality has been deprecated"). */
static const struct {
	const char *text;
	bool alone;
	enum gv_state state;
	const char *reason;
} no_value[] = {
	{ "-", true, GV_NOT_APPLICABLE, "the tool printed a dash" },
	{ "--", true, GV_NOT_APPLICABLE, "the tool printed a dash" },
	{ "NA", true, GV_NOT_APPLICABLE, "the tool says N/A" },
	{ "None", true, GV_NOT_APPLICABLE, "the tool says none" },
	{ "nan", true, GV_UNKNOWN, "the tool printed no number" },
	{ "?", true, GV_UNKNOWN, "the tool does not know" },
	{ "??", true, GV_UNKNOWN, "the tool does not know" },
	{ "Error", true, GV_UNKNOWN, "the tool printed an error" },
	{ "Unknown", true, GV_UNKNOWN, "the tool does not know" },
	{ "Not Found", true, GV_UNKNOWN, "the tool did not find it" },
	{ "N/A", false, GV_NOT_APPLICABLE, "the tool says N/A" },
	{ "Not Supported", false, GV_NOT_APPLICABLE, "not supported on this device" },
	{ "Unsupported", false, GV_NOT_APPLICABLE, "not supported on this device" },
	{ "Not Applicable", false, GV_NOT_APPLICABLE, "the tool says not applicable" },
	{ "Not Available", false, GV_UNKNOWN, "not available" },
	{ "Requested functionality has been deprecated", false, GV_NOT_APPLICABLE,
	  "no longer reported by this driver" },
	{ "Insufficient Permissions", false, GV_UNKNOWN, "no permission to read it" },
	{ "Function Not Found", false, GV_UNKNOWN, "the driver lacks the call" },
	{ "Unknown Error", false, GV_UNKNOWN, "the tool printed an error" },
	{ "ERR!", false, GV_UNKNOWN, "the tool printed an error" },
	{ "GPU requires reset", false, GV_UNKNOWN, "the GPU requires a reset" },
	{ "GPU is lost", false, GV_UNKNOWN, "the GPU is lost" },
};

enum gv_state gv_no_value(gv_str s, const char **ret_reason)
{
	s = gv_trim(s);
	while (s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
		s = gv_trim(gv_sub(s, 1, s.n - 2));
	if (!s.n) {
		*ret_reason = "the output leaves it empty";
		return GV_UNKNOWN;
	}
	for (size_t i = 0; i < sizeof(no_value) / sizeof(no_value[0]); i++) {
		bool hit = no_value[i].alone ? gv_eq_nocase(s, gv_str_of(no_value[i].text))
					     : gv_starts_nocase(s, no_value[i].text);

		if (!hit)
			continue;
		*ret_reason = no_value[i].reason;
		return no_value[i].state;
	}
	return GV_KNOWN;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What follows the integer part decides about a comma: "1,234,567" groups digits, "12,50" is a decimal comma. */
static void read_comma(double *v, gv_str *rest)
{
	gv_str s = *rest;
	double whole = *v, digits = 0, scale = 1;
	size_t i = 1;

	if (s.n < 2 || s.p[0] != ',' || !digit(s.p[1]))
		return;
	while (i < s.n && digit(s.p[i]))
		i++;
	if (i == 4 && whole != 0 && fabs(whole) < 1000) {
		for (i = 0; i + 3 < s.n && s.p[i] == ',' && digit(s.p[i + 1]) && digit(s.p[i + 2]) && digit(s.p[i + 3]);
		     i += 4) {
			double group = (s.p[i + 1] - '0') * 100 + (s.p[i + 2] - '0') * 10 + (s.p[i + 3] - '0');

			*v = *v * 1000 + (whole < 0 ? -group : group);
		}
	} else {
		for (size_t j = 1; j < i && j < 16; j++) {
			digits = digits * 10 + (s.p[j] - '0');
			scale *= 10;
		}
		*v += whole < 0 ? -digits / scale : digits / scale;
	}
	*rest = gv_from(s, i);
}

/* Factor of the unit that a cell carries to the unit of the fact; 1 where the unit is the same or not known. */
static double factor(gv_str unit, const char *want)
{
	static const struct {
		const char *want, *have;
		double by;
	} table[] = {
		{ "W", "mW", 1e-3 },	{ "W", "uW", 1e-6 },	{ "W", "kW", 1e3 },   { "MHz", "GHz", 1e3 },
		{ "MHz", "kHz", 1e-3 }, { "MHz", "Hz", 1e-6 },	{ "ms", "us", 1e-3 }, { "ms", "usec", 1e-3 },
		{ "ms", "ns", 1e-6 },	{ "ms", "s", 1e3 },	{ "us", "ms", 1e3 },  { "us", "msec", 1e3 },
		{ "us", "ns", 1e-3 },	{ "us", "nsec", 1e-3 }, { "us", "s", 1e6 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(want, table[i].want) && gv_eq_nocase(unit, gv_str_of(table[i].have)))
			return table[i].by;
	return 1;
}

/* Converts v, which carries `unit`, to the unit of the fact. Sizes and rates have many spellings and go through
 * base/units; memory is always counted in powers of 1024, whatever the tool calls it. */
static double convert(double v, gv_str unit, const char *want)
{
	double one;
	gv_str rest;
	gv_str word = GV_NONE;
	char text[24] = "1 ";

	gv_word(&unit, &word);
	if (!word.n || !*want || word.n > sizeof(text) - 2)
		return v;
	memcpy(text + 2, word.p, word.n);
	rest = (gv_str){ text, word.n + 2 };
	if (!strcmp(want, "MiB") || !strcmp(want, "kB") || !strcmp(want, "B")) {
		if (gv_bytes_1024(rest, &one))
			return v * one / (want[0] == 'M' ? 1048576 : want[0] == 'k' ? 1024 : 1);
		return v;
	}
	if (gv_ends(gv_str_of(want), "/s") && gv_rate(rest, &one)) {
		switch (want[0]) {
		case 'M':
			return v * one * (gv_starts(gv_str_of(want), "Mbit") ? 8e-6 : 1e-6);
		case 'G':
			return !strcmp(want, "GB/s") ? v * one / 1e9 : v;
		case 'k':
			return v * one / (word.n > 1 && word.p[1] == 'i' ? 1024 : 1000);
		case 'B':
			return v * one;
		default:
			return v;
		}
	}
	return v * factor(word, want);
}

/* The number of a cell in the unit of fact f. */
static bool cell_num(enum gv_fact f, gv_str cell, double *ret)
{
	gv_str rest;
	double v;
	uint64_t u;

	cell = gv_trim(cell);
	if (gv_starts(cell, "0x") || gv_starts(cell, "0X")) {
		if (!gv_to_u64(cell, &u))
			return false;
		*ret = (double)u;
		return true;
	}
	if (cell.n > 1 && (cell.p[0] == 'x' || cell.p[0] == 'X') && digit(cell.p[1]))
		cell = gv_from(cell, 1);
	if (!gv_lead_num(cell, &v, &rest))
		return false;
	read_comma(&v, &rest);
	/* "12:30", "0-15" and "1.2.3" are no numbers. */
	if (!isfinite(v) || (rest.n && (rest.p[0] == ':' || rest.p[0] == '-' || rest.p[0] == '.')))
		return false;
	*ret = convert(v, rest, gv_fact_info[f].unit);
	return isfinite(*ret);
}

bool gv_put_sample(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, uint32_t sample,
		   const struct gv_line *l)
{
	const char *reason = NULL;
	enum gv_state state = gv_no_value(cell, &reason);
	double v = 0;
	struct gv_obs *o = observe(r, e, f, l);

	if (state == GV_KNOWN && !cell_num(f, cell, &v)) {
		state = GV_UNKNOWN;
		reason = "not a number";
	} else if (state == GV_KNOWN && !possible(f, v)) {
		state = GV_UNKNOWN;
		reason = NO_SUCH_NUMBER;
	}
	o->sample = sample;
	o->state = state;
	o->num = state == GV_KNOWN && v != 0 ? v : 0; /* no "-0" */
	o->reason = reason;
	return state == GV_KNOWN;
}

bool gv_put_cell(struct gv_read *r, struct gv_entity *e, enum gv_fact f, gv_str cell, const struct gv_line *l)
{
	return gv_put_sample(r, e, f, cell, 0, l);
}

void gv_columns(struct gv_columns *c, gv_str header_line)
{
	size_t n = gv_words(header_line, c->name, sizeof(c->name) / sizeof(c->name[0]));

	c->n = n < sizeof(c->name) / sizeof(c->name[0]) ? n : sizeof(c->name) / sizeof(c->name[0]);
}

size_t gv_column(const struct gv_columns *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (gv_is(c->name[i], name))
			return i;
	return SIZE_MAX;
}

gv_str gv_cell_of(const struct gv_columns *c, const gv_str *words, size_t nwords, const char *name)
{
	size_t i = gv_column(c, name);

	return i < nwords ? words[i] : GV_NONE;
}

bool gv_key_value(gv_str line, gv_str *ret_key, gv_str *ret_value)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != ':')
			continue;
		if (i + 1 < line.n && line.p[i + 1] != ' ' && line.p[i + 1] != '\t' && line.p[i + 1] != '\r')
			continue;
		*ret_key = gv_trim(gv_sub(line, 0, i));
		*ret_value = gv_trim(gv_from(line, i + 1));
		return true;
	}
	return false;
}

bool gv_blank_line(const struct gv_line *l)
{
	return !gv_trim(l->text).n;
}

bool gv_cmd_option(const struct gv_seg *seg, const char *program, const char *brief, const char *full,
		   gv_str *ret_value)
{
	gv_str rest = seg ? seg->cmd : GV_NONE, word, value = GV_NONE;
	size_t n = strlen(full);
	bool known = false;

	while (gv_word(&rest, &word)) {
		if (gv_is(word, "|") || gv_is(word, ";") || gv_is(word, "&&"))
			break;
		known |= gv_ends(word, program);
		if (gv_is(word, brief) || gv_is(word, full)) {
			if (!gv_word(&rest, &value))
				break;
		} else if (gv_starts(word, full) && word.n > n && word.p[n] == '=') {
			value = gv_from(word, n + 1);
		}
	}
	*ret_value = value;
	return known;
}

bool gv_sysstat_banner(gv_str line, gv_str *ret_kernel, gv_str *ret_host, double *ret_cpus)
{
	gv_str open, kernel = gv_trim(gv_between(line, "Linux ", "("));

	if (!gv_starts(line, "Linux ") || !kernel.n || gv_find_c(kernel, ' ') >= 0)
		return false;
	open = gv_after(line, "(");
	*ret_kernel = kernel;
	*ret_host = gv_trim(gv_before(open, ")"));
	*ret_cpus = 0;
	open = gv_after(open, "(");
	if (open.n && gv_has(open, "CPU)"))
		gv_lead_num(open, ret_cpus, NULL);
	return true;
}

bool gv_hash_words(gv_str text, gv_str *ret_words, size_t max, size_t *ret_n)
{
	gv_str t = gv_trim(text);
	size_t n;

	if (!gv_starts(t, "#"))
		return false;
	n = gv_words(gv_from(t, 1), ret_words, max);
	if (n > max)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gv_ends(ret_words[i], ",") && ret_words[i].n > 1)
			ret_words[i].n--;
	*ret_n = n;
	return true;
}

gv_str gv_mount_name(struct gv_arena *a, gv_str word)
{
	char *p;
	size_t n = 0;

	if (gv_find_c(word, '\\') < 0)
		return word;
	p = gv_alloc(a, word.n + 1);
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\\' && i + 3 < word.n && word.p[i + 1] == '0' && word.p[i + 2] >= '0' && word.p[i + 2] <= '7' &&
		    word.p[i + 3] >= '0' && word.p[i + 3] <= '7') {
			p[n++] = (char)((word.p[i + 2] - '0') * 8 + (word.p[i + 3] - '0'));
			i += 3;
		} else {
			p[n++] = word.p[i];
		}
	}
	return (gv_str){ p, n };
}
