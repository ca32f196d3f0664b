/* SPDX-License-Identifier: Apache-2.0 */
/* Thirty-two places at a time: at which of them do the first two bytes of some pattern stand? GPU code is mostly
 * packed, so that each byte is as frequent as the other, and a search for one rare byte after the other would stop too
 * often. */
#include "inspect/seek.h"

#include <string.h>

#define PATTERN(file) extern const struct gv_pattern gv_pattern_##file;
#define DOCUMENT(file)
#include "inspect.def"
#undef PATTERN
#undef DOCUMENT

static const struct gv_pattern *const patterns[] = {
#define PATTERN(file) &gv_pattern_##file,
#define DOCUMENT(file)
#include "inspect.def"
#undef PATTERN
#undef DOCUMENT
};
#define COUNT (sizeof(patterns) / sizeof(patterns[0]))

typedef uint8_t lanes __attribute__((vector_size(16)));
#define LANES sizeof(lanes)
#define STEP (2 * LANES)

static lanes load(const char *p)
{
	lanes v;

	memcpy(&v, p, LANES);
	return v;
}

static bool any(lanes v)
{
	uint64_t half[2];

	memcpy(half, &v, sizeof(half));
	return half[0] | half[1];
}

static const struct gv_pattern *at(gv_str bytes, size_t i)
{
	for (size_t k = 0; k < COUNT; k++) {
		gv_str want = patterns[k]->bytes;

		if (want.n <= bytes.n - i && memcmp(bytes.p + i, want.p, want.n) == 0)
			return patterns[k];
	}
	return NULL;
}

/* The pairs of bytes that patterns begin with, each once. */
struct pairs {
	lanes first[COUNT], second[COUNT];
	size_t n;
};

static void fill(struct pairs *p)
{
	size_t n = 0;

	for (size_t k = 0; k < COUNT; k++) {
		const char *b = patterns[k]->bytes.p;
		bool known = false;

		for (size_t i = 0; i < n; i++)
			known |= p->first[i][0] == (uint8_t)b[0] && p->second[i][0] == (uint8_t)b[1];
		if (known)
			continue;
		p->first[n] = (lanes){ 0 } + (uint8_t)b[0];
		p->second[n++] = (lanes){ 0 } + (uint8_t)b[1];
	}
	p->n = n;
}

size_t gv_seek(gv_str bytes, size_t from, size_t to, const struct gv_pattern **ret)
{
	struct pairs p;
	size_t i = from;

	fill(&p);
	while (i < to) {
		size_t end = i + STEP;

		if (bytes.n - i > STEP) {
			lanes a = load(bytes.p + i), b = load(bytes.p + i + 1), hit = { 0 };
			lanes c = load(bytes.p + i + LANES), d = load(bytes.p + i + LANES + 1);

#pragma GCC unroll 16
			for (size_t k = 0; k < COUNT; k++)
				if (k < p.n)
					hit |= (lanes)((a == p.first[k]) & (b == p.second[k])) |
					       (lanes)((c == p.first[k]) & (d == p.second[k]));
			if (!any(hit)) {
				i = end;
				continue;
			}
		}
		for (; i < end && i < to; i++) {
			*ret = at(bytes, i);
			if (*ret)
				return i;
		}
	}
	return SIZE_MAX;
}
