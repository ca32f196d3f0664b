/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sys/archive.h"

/* Every tar since 1979 has the sum of the header's bytes in octal at 148; a text does not. */
bool gv_ar_is_tar(gv_str s)
{
	unsigned long want = 0, sum = 0;
	size_t i = 148;

	if (s.n < GV_TAR_BLOCK || !*s.p)
		return false;
	while (i < 156 && s.p[i] == ' ')
		i++;
	if (i == 156 || s.p[i] < '0' || s.p[i] > '7')
		return false;
	for (; i < 156 && s.p[i] >= '0' && s.p[i] <= '7'; i++)
		want = want * 8 + (unsigned long)(s.p[i] - '0');
	for (i = 0; i < GV_TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)s.p[i];
	return sum == want;
}

enum gv_ar_kind gv_ar_kind(gv_str s)
{
	if (s.n >= 22 && (gv_starts(s, "PK\3\4") || gv_starts(s, "PK\5\6")))
		return GV_AR_ZIP;
	if (s.n >= 18 && gv_starts(s, "\x1f\x8b\x08") && !(s.p[3] & 0xe0))
		return GV_AR_GZIP;
	if (s.n >= 14 && gv_starts(s, "BZh") && s.p[3] >= '1' && s.p[3] <= '9' &&
	    (gv_starts(gv_from(s, 4), "1AY&SY") || gv_starts(gv_from(s, 4), "\x17\x72\x45\x38\x50\x90")))
		return GV_AR_BZIP2;
	if (s.n >= 12 && memcmp(s.p,
				"\xfd"
				"7zXZ\0",
				6) == 0)
		return GV_AR_XZ;
	if (s.n >= 9 && gv_starts(s, "\x28\xb5\x2f\xfd"))
		return GV_AR_ZSTD;
	if (s.n >= 7 && gv_starts(s, "\x04\x22\x4d\x18"))
		return GV_AR_LZ4;
	if (gv_starts(s, "!<arch>\ndebian-binary"))
		return GV_AR_DEB;
	return gv_ar_is_tar(s) ? GV_AR_TAR : GV_AR_NONE;
}
