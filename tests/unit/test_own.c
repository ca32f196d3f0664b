/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of a text are a report by gpuvet. */
#include <string.h>

#include "base/buf.h"
#include "pipeline.h"

#define XID "[  12.5] NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.\n"
#define TOP "FAIL  gpu-fell-off-bus on gpu 0000:41:00.0\n      gone\nSeen: 1 document, 0 outputs\nLimit: unknown\n\n"
#define ROWS "visible    FAIL  f1 gpu-fell-off-bus\nstack      ?     not seen\n\n"
#define BODY "f1  FAIL  gpu-fell-off-bus on gpu 0000:41:00.0\n      dmesg.txt:1  " XID "    Do     look\n"

/* 'o' for each line that belongs to a report, '.' for others. */
static void is(const char *text, const char *want)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_doc doc = { .name = GV_STR("t"), .text = gv_str_of(text) };
	char got[64] = "";

	gv_doc_split(a, &doc, 1 << 20);
	assert_true(doc.nlines < sizeof(got));
	for (size_t i = 0; i < doc.nlines; i++) {
		got[i] = doc.lines[i].flags & GV_LINE_OWN ? 'o' : '.';
		if (got[i] == 'o')
			assert_int_equal(doc.lines[i].text.n, 0);
	}
	assert_string_equal(got, want);
	assert_int_equal(doc.own.n > 0, strchr(want, 'o') != NULL);
	gv_arena_free(a);
}

static void text(void **state)
{
	(void)state;
	is(TOP ROWS BODY, "ooooooooooo");
	is(XID TOP ROWS BODY XID, ".ooooooooooo.");
	is(TOP ROWS BODY "\n" XID, "ooooooooooo..");
	is("  FAIL  gpu-missing on node a\n  Seen: 1 document\n  f1  FAIL  x\n    y\n  else\n", "oooo.");
	is("Nothing could be judged: no\ndocument.\nSeen: 0 documents\nUseful, each into a file of its own:\n  "
	   "dmesg\nnow\n",
	   "ooooo.");
	is("OK    Nothing is wrong as far as seen.\nSeen: 1 document\nSite file a: x\nLimit: unknown\n" ROWS,
	   "oooooo.");
	/* the start alone is none */
	is("FAIL  gpu-missing on node a\n" XID, "..");
	is("FAIL  the test on gpu 3\nSeen: 1 document\n", "..");
	is("OK    Nothing\n", ".");
}

static void one_line(void **state)
{
	(void)state;
	is("FAIL gpu-missing on node a: 7 of 8\n" XID, "o.");
	is("WARN 2 of 5 hosts: a cpu-steal\n" XID, "o.");
	is("FAIL something on node a\nWARN 2 of 5\nFAIL\n", "...");
}

static void markdown(void **state)
{
	(void)state;
	is("x\n### gpuvet: FAIL, a\n\n- b\n```\n" XID "```\n*gpuvet 1: end of report*\n" XID, ".ooooooo.");
	/* its end within a fence is quoted */
	is("### gpuvet: OK\n````\n*gpuvet 1: end of report*\n```\n" XID "````\n*gpuvet 1: end of report*\n", "ooooooo");
	/* the end is missing: as far as the lines look like it */
	is("### gpuvet: OK\n- b\n\n**f1 FAIL x**\n\n```\n" XID "```\nThen:\n```\n" XID "```\n", "oooooooo....");
	is("### gpuvet: OK\n- b\n\n### gpuvet: OK\n*gpuvet 1: end of report*\n" XID, "oo.oo.");
	is("gpuvet: works well\n" XID, "..");
}

static void json(void **state)
{
	(void)state;
	is("{\n  \"schema\": \"gpuvet.diagnose.v1\",\n  \"x\": {\n  }\n}\n" XID, "ooooo.");
	is("  {\n    \"schema\": \"gpuvet.facts.v1\"\n" XID, "oo.");
	is("{\"schema\":\"gpuvet.diagnose.v1\"}\n" XID, "o.");
	is("{\n  \"schema\": \"other.v1\"\n}\n", "...");
	is("{\n", ".");
}

/* The command above a report was answered; the evidence behind it is not that command's. */
static void segments(void **state)
{
	struct gv_run *run =
	    gv_test_run("t", "$ lsmod | grep nvidia; gpuvet diagnose -q x\nWARN cpu-steal on node a: 30 %\n", NULL);

	(void)state;
	assert_int_equal(run->findings.n, 0);
	assert_int_equal(run->unread.n, 1);
	gv_test_end(run);
	run = gv_test_run("t", TOP ROWS BODY, "u", XID, NULL);
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
	assert_int_equal(run->verdict->nquotes, 1);
	assert_string_equal(run->verdict->quote[0].doc->name.p, "u");
	gv_test_end(run);
}

/* Starts without end, many times: time and memory grow with the text alone. */
static void many(void **state)
{
	struct gv_arena *a = gv_arena_new();
	struct gv_buf b = { 0 };
	struct gv_doc doc = { .name = GV_STR("t") };

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		gv_puts(&b, "### gpuvet: OK\n{\n{\n\"schema\": \"gpuvet.\n");
	doc.text = gv_buf_str(&b);
	gv_doc_split(a, &doc, 1 << 20);
	assert_true(doc.lines[0].flags & GV_LINE_OWN);
	gv_buf_free(&b);
	gv_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(one_line), cmocka_unit_test(markdown),
		cmocka_unit_test(json), cmocka_unit_test(segments), cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
