/* SPDX-License-Identifier: Apache-2.0 */
/* What a site said and what came of it, and the span of time that was judged: the same words in every report. */
#pragma once

#include "report/common.h"

/* "accepted until 2026-05-01: reason", or that this has expired; nothing, and false, where the site says nothing of it. */
bool gv_put_accepted(struct gv_buf *out, const struct gv_finding *f);
/* "Site file X: 2 thresholds changed, 1 finding accepted"; false where there is neither file nor need. */
bool gv_put_site(struct gv_buf *out, const struct gv_run *run);
/* "Span: since 2026-01-13T10:10:11: 4 log lines left out"; false where all was judged. */
bool gv_put_window(struct gv_buf *out, const struct gv_run *run);

/* "accepted" and "accepted_expired" of a finding. */
void gv_json_accepted(struct gv_json *j, const struct gv_finding *f);
/* "site" and "window" of the document. */
void gv_json_site(struct gv_json *j, const struct gv_run *run);
