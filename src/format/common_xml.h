/* SPDX-License-Identifier: Apache-2.0 */
/* XML, as a list of its elements in their order, each with the line on which it begins.
 *
 * What people paste is mended where it can be: a piece that begins or ends in the middle, a part that was cut out, a
 * bare
 * '&', a '<' that begins no tag. Declarations of the document type are passed over, so nothing is fetched, and an
 * entity is never more than the five that XML itself has. */
#pragma once

#include "core/evidence.h"

#define GV_XML_DEPTH 64
#define GV_XML_ITEMS (1 << 18) /* elements of one text that are kept */
#define GV_XML_MENDS 1024      /* so many places that are wrong; then it is no XML */

enum gv_xml_kind {
	GV_XML_OPEN, /* an element with others in it: those that follow with a greater depth */
	GV_XML_LEAF, /* one with text alone */
	GV_XML_LOST, /* the end of one whose beginning is not there */
};

struct gv_xml_attr {
	gv_str name, value;
};

struct gv_xml_item {
	enum gv_xml_kind kind;
	bool unsure;	/* the element around it may be another: the ends do not fit */
	uint32_t depth; /* from 0 */
	gv_str name;
	gv_str text; /* of a leaf, trimmed */
	const struct gv_xml_attr *attr;
	size_t nattrs;
	const struct gv_line *line;
};

struct gv_xml {
	const struct gv_xml_item *v;
	size_t n;
	bool cut;	    /* it ends within an element */
	const char *broken; /* why nothing was read from some line on; NULL where all was */
};

/* 0; -ENOTSUP where the build has no expat. */
int gv_xml_parse(struct gv_arena *a, const struct gv_line *l, size_t n, struct gv_xml *ret);
/* The value of an attribute; empty where there is none. */
gv_str gv_xml_attr(const struct gv_xml_item *item, const char *name);
