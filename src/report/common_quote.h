/* SPDX-License-Identifier: Apache-2.0 */
/* Quoted lines in text reports: rows of tables keep their columns and stand below the names of these. */
#pragma once

#include "report/common.h"

struct gv_quotes {
	struct gv_buf *out;
	const struct gv_run *run;
	const struct gv_form *form;
	size_t indent;
	bool color;
	bool whole; /* prose goes on in further lines where it is long; rows never do */
};

void gv_put_quotes(const struct gv_quotes *how, const struct gv_place *q, size_t n);
