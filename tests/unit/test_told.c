/* SPDX-License-Identifier: Apache-2.0 */
/* Text that quotes errors against text that shows them. */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#define XID "NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus."

static bool told(const char *line)
{
	gv_str l = gv_str_of(line);
	ptrdiff_t at = gv_find(l, "NVRM:");

	assert_true(at >= 0);
	return gv_told(l, gv_from(l, (size_t)at));
}

static void sentences(void **state)
{
	(void)state;
	assert_true(told("When the log says `" XID "` the GPU is gone."));
	assert_true(told("`" XID "`, `GPU reset begin!`"));
	assert_true(told("- programs end with \"" XID "\" then"));
	assert_true(told("// " XID));
	assert_true(told("a\tb\tc\td\te\t" XID "\tf"));
}

static void pastes(void **state)
{
	(void)state;
	assert_false(told(XID));
	assert_false(told("- `" XID "`"));
	assert_false(told("From dmesg: `" XID "`"));
	assert_false(told("After the update we got `" XID "` and the job ended."));
	assert_false(told("I get the error \"" XID "\" each morning."));
	assert_true(told("You may have got `" XID "` there."));
	assert_true(told("If we get `" XID "` the GPU is gone."));
	assert_false(told("Jan 13 10:44:02 server kernel: " XID));
	assert_false(told("level=error msg=\"" XID "\""));
	assert_false(told("{\"msg\": \"" XID "\"}"));
	assert_false(told("version `GLIBC_2.34' not found " XID));
	assert_false(told("an open quotation \"" XID));
	assert_false(told("```Error: " XID " of `node1` again```"));
	assert_true(told("the note ``of `node1`: " XID "`` is old"));
	assert_false(told("Running `dmesg` returns `" XID "`"));
	assert_true(told("If it returns `" XID "` the GPU is gone."));
}

/* A quotation is worth a note; the same line in a log is a failure. */
static void weight(void **state)
{
	struct gv_run *run = gv_test_run("t.md", "The note speaks of `" XID "` on old firmware.\n", NULL);
	const struct gv_finding *f;

	(void)state;
	gv_test_verdict(run, GV_KINDS);
	f = gv_test_finding(run, GV_K_GPU_FELL_OFF_BUS);
	assert_non_null(f);
	assert_int_equal(f->severity, GV_NOTE);
	assert_int_equal(f->confidence, GV_LOW);
	gv_test_end(run);
	run = gv_test_run("t.md", "The note speaks of `" XID "` on old firmware.\n", "dmesg.txt", "[  12.5] " XID "\n", NULL);
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
	gv_test_end(run);
}

static void pages_and_sources(void **state)
{
	static const char *const texts[] = {
		"---\ntitle: x\ntags: y\n---\n# X\n\n```\n" XID "\n```\n",
		"<!DOCTYPE html>\n<html><body><pre>\n" XID "\n</pre></body></html>\n",
		".TH GPU 8\n.SH NAME\n" XID "\n",
		"#!/bin/sh\nset -e\n# " XID "\ngrep -q '" XID "' /var/log/kern.log\n",
		"import re\nimport sys\nfrom os import path\n\nLINE = '" XID "'\n\n\ndef main():\n    for l in sys.stdin:\n        print(l)\n\n\nmain()\n",
		"#include <stdio.h>\n\n/* " XID " */\nint main(void)\n{\n\tputs(\"" XID "\");\n\treturn 0;\n}\nint f(void);\nint g(void);\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gv_run *run = gv_test_run("page", texts[i], NULL);

		assert_null(gv_test_finding(run, GV_K_GPU_FELL_OFF_BUS));
		gv_test_end(run);
	}
}

/* What only begins like a page or a program. */
static void no_pages(void **state)
{
	static const char *const texts[] = {
		"---\n" XID "\n---\n",
		"Traceback (most recent call last):\nimport a\nimport b\nimport c\n" XID "\nx\ny\nz\n",
		"{\n \"a\": 1,\n \"b\": 2,\n \"c\": 3,\n \"d\": 4,\n \"e\": 5,\n \"f\": 6\n}\n" XID "\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gv_run *run = gv_test_run("log", texts[i], NULL);

		gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
		gv_test_end(run);
	}
}

/* What a person writes counts where it is said that it happened. */
static void written(void **state)
{
	static const struct {
		const char *text;
		enum gv_kind kind;
	} texts[] = {
		{ "My GPU fell off the bus twice.", GV_K_GPU_FELL_OFF_BUS },
		{ "We have a node on which the GPU has fallen off the bus since Monday.", GV_K_GPU_FELL_OFF_BUS },
		{ "My nvidia-smi hangs after a day of training.", GV_K_DRIVER_HUNG },
		{ "What I found in dmesg:\n- Xid 79 at noon\n", GV_K_GPU_FELL_OFF_BUS },
		{ "# GPU crash with Xid 79 under load\n", GV_K_GPU_FELL_OFF_BUS },
		{ "It gets stuck in P8 in my laptop.", GV_K_CLOCKS_CAPPED },
		{ "The GPU fell off the bus.", GV_KINDS }, /* nobody writes of his own */
		{ "In my manual: a card with option -i 0 (one that fell off the bus) is left out.", GV_KINDS },
		{ "My GPU never fell off the bus.", GV_KINDS },
		{ "If my GPU fell off the bus, what then?", GV_KINDS },
		{ "When my Xid 79 occurred the script should have run.", GV_KINDS },
		{ "I want a metric for it: the GPU fell off the bus? Show it.", GV_KINDS },
		{ "My list of codes:\n- Xid 79 at noon\n", GV_KINDS },
		{ "I read this:\n{\"message\": \"the GPU fell off the bus\"}\n", GV_KINDS },
		{ "# feat: restart the pod after Xid 79 crash\n", GV_KINDS },
		{ "While idle my card stays in P8.", GV_KINDS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gv_run *run = gv_test_run("ticket.md", texts[i].text, NULL);

		if ((run->verdict ? run->verdict->kind : GV_KINDS) != texts[i].kind)
			print_message("of \"%s\"\n", texts[i].text);
		gv_test_verdict(run, texts[i].kind);
		gv_test_end(run);
	}
}

/* Outputs outrank what is written beside them; of a long text not every sentence is asked. */
static void written_beside(void **state)
{
	struct gv_run *run = gv_test_run("ticket.md", "My nvidia-smi hangs.\n", "dmesg.txt", "[  12.5] " XID "\n", NULL);
	char text[60000] = "My notes.\n";
	const struct gv_event *ev;

	(void)state;
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS);
	assert_int_equal(gv_test_finding(run, GV_K_DRIVER_HUNG)->severity, GV_NOTE);
	gv_test_end(run);
	for (size_t i = 0, n = strlen(text); i < 1500; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "My GPU fell off the bus again.\n");
	run = gv_test_run("ticket.md", text, NULL);
	ev = run->events.v[0];
	assert_int_equal(run->events.n, 1);
	assert_int_equal(ev->count, 1000);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sentences), cmocka_unit_test(pastes),   cmocka_unit_test(weight),
		cmocka_unit_test(pages_and_sources), cmocka_unit_test(no_pages), cmocka_unit_test(written),
		cmocka_unit_test(written_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
