/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), of bytes that are all there. */
#pragma once

#include "base/str.h"

#define GV_SHA256_BYTES 32
void gv_sha256(gv_str s, uint8_t ret[GV_SHA256_BYTES]);
/* The same as 64 hexadecimal digits and a NUL. */
void gv_sha256_hex(gv_str s, char ret[2 * GV_SHA256_BYTES + 1]);
