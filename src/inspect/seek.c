/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen places at a time: at which of them do the first two bytes of some pattern stand? GPU code is mostly packed, so that
 * each byte is as frequent as the other, and a search for one rare byte after the other would stop too often. */
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

size_t gv_seek(gv_str bytes, size_t from, size_t to, const struct gv_pattern **ret)
{
	lanes first[COUNT], second[COUNT];
	size_t i = from;

	for (size_t k = 0; k < COUNT; k++) {
		first[k] = (lanes){ 0 } + (uint8_t)patterns[k]->bytes.p[0];
		second[k] = (lanes){ 0 } + (uint8_t)patterns[k]->bytes.p[1];
	}
	while (i < to) {
		size_t end = i + LANES;

		if (bytes.n - i > LANES) {
			lanes a = load(bytes.p + i), b = load(bytes.p + i + 1), hit = { 0 };

			for (size_t k = 0; k < COUNT; k++)
				hit |= (lanes)((a == first[k]) & (b == second[k]));
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
