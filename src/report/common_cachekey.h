/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of keys of caches, and of what does not fit. */
#pragma once

#include "inspect/cachekey.h"
#include "report/common.h"

struct gv_cachekey_report {
	const struct gv_cache_key *key; /* NULL: none was asked for */
	const gv_cache_fits *fits;	/* NULL: no folder was looked at */
	const struct gv_inventory *inv; /* of that folder */
	const char *version;
	const struct gv_form *form;
	bool explain, all;
};

void gv_cachekey_json(struct gv_buf *out, const struct gv_cachekey_report *r);
void gv_cachekey_text(struct gv_buf *out, const struct gv_cachekey_report *r);
