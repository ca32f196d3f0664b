/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of an inventory. */
#pragma once

#include "inspect/inventory.h"
#include "report/common.h"

void gv_inventory_json(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
void gv_inventory_text(struct gv_buf *out, const struct gv_inventory *inv, const struct gv_report_opts *opts);
