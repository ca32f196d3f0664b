/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of an inventory. */
#pragma once

#include "inspect/inventory.h"
#include "report/common.h"

struct gv_diff;
struct gv_exception;
struct gv_policy_result;

void gv_inventory_json(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
/* The members of an artefact in an object that is open. */
void gv_artefact_json(struct gv_json *j, const struct gv_file *f, const struct gv_artefact *a);
void gv_inventory_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
void gv_inventory_junit(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
void gv_inventory_markdown(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
void gv_inventory_diff_json(struct gv_buf *out, const struct gv_diff *d, const struct gv_report_opts *opts);
void gv_inventory_diff_text(struct gv_buf *out, const struct gv_diff *d, const struct gv_report_opts *opts);

/* Its parts, each in a file of its own. */
void gv_inventory_policy_json(struct gv_json *j, const struct gv_policy_result *r);
void gv_inventory_policy_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
const char *gv_inventory_policy_kept(const struct gv_inventory *inv); /* what follows the name of one that is */
/* "comes by app → fastops 1.2; to change: app" of a file; false where there is no more to say than its own name. */
bool gv_inventory_comes_by(struct gv_buf *b, const struct gv_file *f);
/* The same of the part that a finding is about, where its summary does not say it. */
bool gv_inventory_change(struct gv_buf *b, const struct gv_inventory *inv, const struct gv_judgement *f);
/* What an exception lets pass until when, with its reason, or that nothing needs it; false where there is neither. */
bool gv_inventory_exception(struct gv_buf *b, const struct gv_policy_result *r, const struct gv_exception *e);
void gv_inventory_images_json(struct gv_json *j, const struct gv_inventory *inv);
void gv_inventory_images_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
void gv_inventory_place_json(struct gv_json *j, const struct gv_file *f); /* in which layer, and whether it is seen */
/* What fits which target, with the findings: nothing where no target was named. The members "targets" and "findings" in
 * JSON. */
void gv_inventory_targets_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
extern const char *const gv_inventory_verdict[]; /* by enum gv_fit, in a word for tables */
void gv_inventory_targets_json(struct gv_json *j, const struct gv_inventory *inv);
void gv_inventory_hidden_json(struct gv_json *j, const struct gv_inventory *inv);
