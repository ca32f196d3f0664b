/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of Xids: what is read from a line, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "check/common_xid.h"

static const struct {
	int code;
	const char *said, *words;
} lines[] = {
	{ 74, "NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)",
	  "link 14; a common link error" },
	{ 74, "NVLink: fatal error detected on link 3(0x200000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
	  "link 3; marginal signal on the channel; suspect: the connection (seating, connector, cable)" },
	{ 74, "NVLink: fatal error detected on link 3(0x10, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
	  "link 3; ECC/parity in the link block; suspect: this GPU" },
	{ 74, "NVLink: fatal error detected on link 3(0x2, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
	  "link 3; secondary: follows another fault; suspect: the other end of the link" },
	{ 74, "Channel 0x1", "" },
	{ 149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 08 (0x025001c6 0x00000000 0x00000000)",
	  "link 8; NETIR_LINK_EVT; suspect: the other end of the link" },
	{ 149, "NETIR_BER_EVENT Nonfatal XC0 i0 Link 04 (0x00000226 0x00000001 0x0)",
	  "link 4; NETIR_BER_EVENT; suspect: the connection (seating, connector, cable)" },
	{ 144, "SAW_MVB Fatal XC1 i0 Link 02 (0x00000021 0x00000002 0x0)", "link 2; SAW_MVB; suspect: this GPU" },
	{ 150, "MSE_WATCHDOG Fatal XC0 i0 Link -1 (0x00000000 0x00000000)", "MSE_WATCHDOG; suspect: this GPU" },
	{ 146, "TLW_RX Fatal XC0 i0 Link 02 (0xffffffff 0x00000002 0x0)", "link 2; TLW_RX" },
	{ 94, "Contained: CE User Channel (0x9). RST: No, D-RST: No", "in CE User Channel (0x9)" },
	{ 95, "Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No",
	  "not contained; in LTC TAG (0x2, 0x1); the driver wants a reset" },
	{ 119,
	  "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC) (0x2081 "
	  "0x4).",
	  "no answer for 6 s; function GSP_RM_ALLOC" },
	{ 119, "Timeout waiting for RPC from GSP! Expected function 76.", "function 76" },
	{ 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", "" },
	{ 13, "Graphics SM Warp Exception on (GPC 2, TPC 2, SM 0): Out Of Range Address", "" },
};

static void test_words(void **state)
{
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct gv_xid_said x;
		gv_str w;

		gv_xid_said(lines[i].code, gv_str_of(lines[i].said), &x);
		w = gv_xid_words(a, &x);
		if (!gv_is(w, lines[i].words))
			fail_msg("Xid %d, %s: \"%.*s\"", lines[i].code, lines[i].said, GV_ARG(w));
	}
	gv_arena_free(a);
}

static void test_fields(void **state)
{
	struct gv_xid_said x;

	(void)state;
	gv_xid_said(154, GV_STR("GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"), &x);
	assert_int_equal(x.wants, 0);
	gv_xid_said(154, GV_STR("GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"), &x);
	assert_int_equal(x.wants, 4);
	assert_true(gv_is(x.wants_text, "Drain and Reset"));
	gv_xid_said(45, GV_STR("Ch 00000001 caused by previous Xid 149"), &x);
	assert_int_equal(x.previous, 149);
	gv_xid_said(43, GV_STR("channel 0x00000008"), &x);
	assert_int_equal(x.previous, -1);
	gv_xid_said(94, GV_STR("Contained: SM (0x1). RST: No, D-RST: Yes"), &x);
	assert_true(x.contained && x.reset_told && !x.reset && x.drain);
	gv_xid_said(145, GV_STR("RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0409a0c2 0x00000008)"), &x);
	assert_true(x.decoded && x.nonfatal && !x.fatal);
	assert_int_equal(x.severity, GV_NOTE);
	gv_xid_said(145, GV_STR("RLW_RXPIPE Fatal XC0 i0 Link 13 (0x000004c2 0x00000001)"), &x);
	assert_true(x.decoded && x.fatal);
	assert_int_equal(x.severity, GV_FAIL);
	gv_xid_said(74, GV_STR("NVLink: fatal error detected on link 3(0x1, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"), &x);
	assert_true(x.decoded);
	assert_int_equal(x.severity, GV_NOTE);
}

/* Lines cut short at every place. */
static void test_cut_short(void **state)
{
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (size_t n = 0; n <= strlen(lines[i].said); n++) {
			struct gv_xid_said x;

			gv_xid_said(lines[i].code, gv_dup(a, (gv_str){ lines[i].said, n }), &x);
			assert_true(gv_xid_words(a, &x).n < 200);
		}
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
