/* SPDX-License-Identifier: Apache-2.0 */
/* Who needs whom in an inventory. */
#pragma once

#include "inspect/inventory.h"

/* On the whole inventory, once: makes one package of what several files say of it; finds the package of each file and
 * the library behind each name; adds what is needed through others in the tree, and the runtimes that are linked in;
 * and says by which path each comes, and which top-level requirement to change. */
void gv_inventory_resolve(struct gv_inventory *inv);

#define GV_ARROW " \xe2\x86\x92 "
