/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "inspect/scan.h"

/* There a member of an archive of objects begins that looks like an ELF file. */
void gv_elf_member(struct gv_scan *s, uint64_t at);
