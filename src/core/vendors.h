/* SPDX-License-Identifier: Apache-2.0 */
/* Vendors of GPUs, as bits. */
#pragma once

enum { GV_NVIDIA = 1, GV_AMD = 2, GV_INTEL = 4 };
