/* SPDX-License-Identifier: Apache-2.0 */
/* What lines that are no signature's, but tell of a boot or of the clock, hold. They are searched for with the literals
 * of the signatures, behind them in number, so that a log need not be read line by line for its boots. */
#pragma once

#define GV_MARKS "Linux version ", "-- Boot ", "-- Reboot --", "[    0.000000]", "setting system clock to "
