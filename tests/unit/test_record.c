/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that are printed as records of fields: which line is quoted, when it was, which signature it has. */
#include "core/evidence.h"
#include "pipeline.h"

#define XID "NVRM: Xid (PCI:0000:41:00): 79, pid=7, name=py, GPU has fallen off the bus."

static const struct {
	const char *name, *text;
	uint32_t line; /* that is quoted */
	double at;     /* of the event; 0: no time */
	const char *host;
} forms[] = {
	{ "json",
	  "{\"_TRANSPORT\":\"kernel\",\"MESSAGE\":\"usb 1-1: new\",\"__REALTIME_TIMESTAMP\":\"1768300000000000\"}\n"
	  "{\"__REALTIME_TIMESTAMP\":\"1768300001250000\",\"_HOSTNAME\":\"n1\",\"MESSAGE\":\"" XID
	  "\",\"_TRANSPORT\":\"kernel\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"99500000\"}\n",
	  2, 1768300001.25, "n1" },
	{ "json, the message as bytes",
	  "{\"__REALTIME_TIMESTAMP\":\"1768300001000000\",\"SYSLOG_IDENTIFIER\":\"kernel\",\"MESSAGE\":[27,78,86,82,77,"
	  "58,32,88,"
	  "105,100,32,40,80,67,73,58,48,48,48,48,58,52,49,58,48,48,41,58,32,55,57,44,32,71,80,85,32,104,97,115,32,102,"
	  "97,108,108,101,110,32,111,102,102,32,116,104,101,32,98,117,115,46]}\n",
	  1, 1768300001, "" },
	{ "json-seq",
	  "\x1e{\"MESSAGE\":\"" XID "\",\"_TRANSPORT\":\"kernel\",\"__REALTIME_TIMESTAMP\":\"1768300001000000\"}\n", 1,
	  1768300001, "" },
	{ "json-pretty",
	  "{\n\t\"_TRANSPORT\" : \"kernel\",\n\t\"MESSAGE\" : \"" XID
	  "\",\n\t\"_HOSTNAME\" : \"n1\",\n\t\"__REALTIME_TIMESTAMP\" : \"1768300001250000\"\n}\n",
	  3, 1768300001.25, "n1" },
	{ "verbose",
	  "Tue 2026-01-13 10:26:41.250000 UTC [s=0a;i=1;b=2;m=3;t=4;x=5]\n    _TRANSPORT=kernel\n    _HOSTNAME=n1\n    "
	  "MESSAGE=" XID "\n    PRIORITY=3\n",
	  4, 1768300001.25, "n1" },
	{ "export",
	  "__CURSOR=s=0a;i=1\n__REALTIME_TIMESTAMP=1768300001250000\n_TRANSPORT=kernel\nMESSAGE=" XID
	  "\n_HOSTNAME=n1\n\n__CURSOR=s=0a;i=2\n__REALTIME_TIMESTAMP=1768300002250000\n_TRANSPORT=kernel\nMESSAGE="
	  "usb\n\n",
	  4, 1768300001.25, "n1" },
	{ "dmesg --json",
	  "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"time\":     0.000000,\n         \"msg\": "
	  "\"Linux version 6.8.0\"\n"
	  "      },{\n         \"pri\": 4,\n         \"time\":  5014.500000,\n         \"msg\": \"" XID
	  "\"\n      }\n   ]\n}\n",
	  10, 5014.5, "" },
	{ "docker", "{\"log\":\"" XID "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-13T10:26:41.25Z\"}\n", 1,
	  1768300001.25, "" },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct gv_run *run = gv_test_run("log", forms[i].text, NULL);
		struct gv_event *ev = gv_each_event(run, "nv-xid", NULL, NULL);

		if (!ev)
			fail_msg("%s: no event", forms[i].name);
		if (ev->first.line != forms[i].line || ev->code != 79 || ev->count != 1)
			fail_msg("%s: line %u, code %d, %u times", forms[i].name, ev->first.line, ev->code,
				 (unsigned)ev->count);
		if (ev->t_first.t < forms[i].at - 1e-3 || ev->t_first.t > forms[i].at + 1e-3)
			fail_msg("%s: at %.6f", forms[i].name, ev->t_first.t);
		if (!gv_is(ev->host, forms[i].host))
			fail_msg("%s: host %.*s", forms[i].name, GV_ARG(ev->host));
		gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
		gv_test_end(run);
	}
}

/* dmesg -H tells the minute once, then how long after the line above each line came. */
static void test_deltas(void **state)
{
	struct gv_run *run =
	    gv_test_run("dmesg",
			"[  +0.500000] usb 1-1: new\n[Jan13 10:44] usb 1-2: new\n[  +1.250000] usb 1-3: new\n"
			"[  +2.500000] " XID "\n[Jan13 10:46] usb 1-4: new\n[  +0.250000] " XID "\n",
			NULL);
	struct gv_event *ev = gv_each_event(run, "nv-xid", NULL, NULL);

	(void)state;
	assert_true(ev && ev->count == 2 && ev->t_first.clock == GV_CLOCK_WALL);
	assert_true(ev->t_last.t - ev->t_first.t > 116.49 && ev->t_last.t - ev->t_first.t < 116.51);
	gv_test_end(run);
}

/* Objects that are no log entries, and records that are cut off, keep their lines. */
static void test_others(void **state)
{
	static const char *const texts[] = {
		"{\"MESSAGE\":\"x\",\"level\":1}\n",
		"{\"log\":\"x\",\"stream\":\"no\",\"time\":\"1\"}\n",
		"{\"msg\":\"x\",\"pri\":4}\n",
		"{\"MESSAGE\":[1,2\n",
		"{\n \"MESSAGE\": \"x\",\n \"_TRANSPORT\": \"kernel\"\n",
		"{\n \"a\": {\n \"MESSAGE\": \"x\"\n }\n}\n",
		"}\n{\n}\n",
		"__CURSOR=x\nPATH=/bin\n\nMESSAGE=y\n",
		"Tue 2026-01-13 10:26:41 UTC [s=0a]\ntext\n",
	};
	struct gv_arena *a = gv_arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gv_doc doc = { .text = gv_str_of(texts[i]) };

		gv_doc_split(a, &doc, 65536);
		for (size_t k = 0; k < doc.nlines; k++)
			if (!gv_eq(gv_trim(doc.lines[k].text), gv_trim(doc.lines[k].raw)))
				fail_msg("%zu: line %zu became \"%.*s\"", i, k + 1, GV_ARG(doc.lines[k].text));
	}
	gv_arena_free(a);
}

/* What a record writes as "\u001b" moves no terminal and ends no line. */
static void test_controls(void **state)
{
	struct gv_arena *a = gv_arena_new();
	gv_str text;

	(void)state;
	assert_true(gv_record_line(a,
				   GV_STR("{\"MESSAGE\":\"\\u001b[31mred\\u001b[0m\\nand\\u0007 more\\b\\r\","
					  "\"_TRANSPORT\":\"journal\",\"SYSLOG_IDENTIFIER\":\"a\\u001bb\","
					  "\"_PID\":\"0000000000000000000007\","
					  "\"__REALTIME_TIMESTAMP\":\"1768300001000000\"}"),
				   &text));
	assert_true(gv_is(text, "1768300001.000000 a: red and  mor"));
	assert_true(gv_record_line(a, GV_STR("{\"log\":\"x\",\"stream\":\"stdout\",\"time\":\"1\\n2\"}"), &text));
	assert_int_equal(gv_find_c(text, '\n'), -1);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
