/* SPDX-License-Identifier: Apache-2.0 */
/* XML as it is pasted, and nvidia-smi -q -x. A build without expat has neither (tests/cli/test_parts.py). */
#include "pipeline.h"

#include <errno.h>

#include "base/buf.h"
#include "format/common_xml.h"

/* Keeps what the items of the last text point to. */
static struct gv_arena *arena;
static struct gv_xml xml;

static void parse(const char *text)
{
	struct gv_doc *doc;

	if (arena)
		gv_arena_free(arena);
	arena = gv_arena_new();
	doc = GV_NEW(arena, struct gv_doc);
	doc->text = gv_str_of(text);
	gv_doc_split(arena, doc, 1 << 20);
	assert_int_equal(gv_xml_parse(arena, doc->lines, doc->nlines, &xml), 0);
}

static void is(size_t i, enum gv_xml_kind kind, uint32_t depth, uint32_t line, const char *name, const char *text)
{
	const struct gv_xml_item *it = &xml.v[i];

	assert_true(i < xml.n);
	if (it->kind != kind || it->depth != depth || it->line->no != line || !gv_is(it->name, name) ||
	    !gv_is(it->text, text))
		fail_msg("item %zu: kind %d, depth %u, line %u, <%.*s> \"%.*s\"", i, it->kind, it->depth, it->line->no,
			 GV_ARG(it->name), GV_ARG(it->text));
}

static void test_elements(void **state)
{
	parse("<?xml version=\"1.0\" ?>\n"
	      "<!DOCTYPE a SYSTEM \"file:///etc/hostname\">\n"
	      "<a>\n"
	      "  <!-- <not> --><b id=\"x\" n='1 &lt; 2'>\n"
	      "    <c>  one &amp; two </c>\n"
	      "    <d/>\n"
	      "  </b>\n"
	      "  <e>\n None\n  </e>\n"
	      "</a>\n");
	assert_int_equal(xml.n, 5);
	is(0, GV_XML_OPEN, 0, 3, "a", "");
	is(1, GV_XML_OPEN, 1, 4, "b", "");
	is(2, GV_XML_LEAF, 2, 5, "c", "one & two");
	is(3, GV_XML_LEAF, 2, 6, "d", "");
	is(4, GV_XML_LEAF, 1, 8, "e", "None");
	assert_true(gv_is(gv_xml_attr(&xml.v[1], "id"), "x"));
	assert_true(gv_is(gv_xml_attr(&xml.v[1], "n"), "1 < 2"));
	assert_int_equal(gv_xml_attr(&xml.v[1], "none").n, 0);
	assert_false(xml.cut);
	assert_null(xml.broken);
}

static void test_pieces(void **state)
{
	parse("<a>\n<b>1</b>\n<c>2");
	assert_int_equal(xml.n, 2); /* the text of c may go on */
	is(1, GV_XML_LEAF, 1, 2, "b", "1");
	assert_true(xml.cut);
	parse("<b>1</b>\n</a>\n<c>\n<d>2</d>\n</c>\n");
	assert_int_equal(xml.n, 4);
	is(0, GV_XML_LEAF, 0, 1, "b", "1");
	is(1, GV_XML_LOST, 0, 2, "a", "");
	is(3, GV_XML_LEAF, 1, 4, "d", "2");
	assert_false(xml.v[0].unsure);
	assert_false(xml.cut);
	/* The end of b and the beginning of c are not there: d and e may be of either. */
	parse("<a>\n<z>0</z>\n<b>\n<d>1</d>\n[...]\n<e>2</e>\n</c>\n</a>\n<f>3</f>\n");
	assert_int_equal(xml.n, 7);
	is(5, GV_XML_LOST, 2, 7, "c", "");
	is(6, GV_XML_LEAF, 0, 9, "f", "3");
	assert_false(xml.v[1].unsure);
	assert_true(xml.v[3].unsure && xml.v[4].unsure);
	assert_false(xml.v[6].unsure);
}

static void test_what_is_not_quite_xml(void **state)
{
	parse("<a>\n<b>x & y</b>\n<c><defunct></c>\n<d>1 < 2</d>\n<e>&nothing;</e>\n<f>4</f>\n</a>\n");
	is(1, GV_XML_LEAF, 1, 2, "b", "x & y");
	is(2, GV_XML_OPEN, 1, 3, "c", "");
	is(xml.n - 1, GV_XML_LEAF, 1, 6, "f", "4");
	for (size_t i = 0; i < xml.n; i++)
		assert_false(gv_is(xml.v[i].name, "d") && xml.v[i].kind == GV_XML_LEAF);
	/* What declares entities is passed over, and they mean nothing. */
	parse("<!DOCTYPE a [\n<!ENTITY x \"y\">\n<!ENTITY z \"&x;&x;&x;\">\n]>\n<a>\n<b>&z;</b>\n<c>1</c>\n</a>\n");
	is(0, GV_XML_OPEN, 0, 5, "a", "");
	is(xml.n - 1, GV_XML_LEAF, 1, 7, "c", "1");
	for (size_t i = 0; i < xml.n; i++)
		assert_false(gv_has(xml.v[i].text, "y"));
	parse("");
	assert_int_equal(xml.n, 0);
	parse("no XML & no <\n");
	assert_int_equal(xml.n, 0);
}

static void test_limits(void **state)
{
	struct gv_buf b = { 0 };

	for (int i = 0; i < 200; i++)
		gv_puts(&b, "<a>");
	gv_putc(&b, '\0');
	parse(b.p);
	assert_int_equal(xml.n, GV_XML_DEPTH);
	assert_non_null(xml.broken);
	b.n = 0;
	for (int i = 0; i < 3000; i++)
		gv_puts(&b, "</a>\n");
	gv_puts(&b, "<b>1</b>");
	gv_putc(&b, '\0');
	parse(b.p);
	assert_int_equal(xml.n, GV_XML_MENDS);
	assert_non_null(xml.broken);
	b.n = 0;
	for (int i = 0; i < GV_XML_ITEMS + 10; i++)
		gv_puts(&b, "<a/>\n");
	gv_putc(&b, '\0');
	parse(b.p);
	assert_int_equal(xml.n, GV_XML_ITEMS);
	assert_non_null(xml.broken);
	gv_buf_free(&b);
}

/* ---- nvidia-smi -q -x ---- */

#define HEAD                                                                                                           \
	"<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n"                        \
	"<nvidia_smi_log>\n"                                                                                           \
	"\t<timestamp>Tue Mar  3 10:00:00 2026</timestamp>\n"                                                          \
	"\t<driver_version>570.86.15</driver_version>\n"                                                               \
	"\t<cuda_version>12.8</cuda_version>\n"

static const char *const two_gpus =
	HEAD "\t<attached_gpus>2</attached_gpus>\n"
	"\t<gpu id=\"00000000:1B:00.0\">\n"
	"\t\t<product_name>NVIDIA H100 80GB HBM3</product_name>\n"
	"\t\t<mig_mode>\n\t\t\t<current_mig>Enabled</current_mig>\n\t\t\t<pending_mig>Disabled</pending_mig>\n\t\t</mig_mode>\n"
	"\t\t<mig_devices>\n\t\t\t<mig_device>\n\t\t\t\t<index>0</index>\n"
	"\t\t\t\t<ecc_error_count>\n\t\t\t\t\t<volatile_count>\n\t\t\t\t\t\t<sram_uncorrectable>70</sram_uncorrectable>\n"
	"\t\t\t\t\t</volatile_count>\n\t\t\t\t</ecc_error_count>\n"
	"\t\t\t\t<fb_memory_usage>\n\t\t\t\t\t<total>9984 MiB</total>\n\t\t\t\t\t<used>13 MiB</used>\n\t\t\t\t</fb_memory_usage>\n"
	"\t\t\t</mig_device>\n\t\t\t<mig_device>\n\t\t\t\t<index>1</index>\n\t\t\t</mig_device>\n\t\t</mig_devices>\n"
	"\t\t<uuid>GPU-1</uuid>\n\t\t<minor_number>1</minor_number>\n"
	"\t\t<gpu_reset_status>\n\t\t\t<reset_required>No</reset_required>\n"
	"\t\t\t<drain_and_reset_recommended>Yes</drain_and_reset_recommended>\n\t\t</gpu_reset_status>\n"
	"\t\t<gpu_recovery_action>Drain and Reset</gpu_recovery_action>\n"
	"\t\t<pci>\n\t\t\t<pci_bus_id>00000000:1B:00.0</pci_bus_id>\n\t\t\t<pci_gpu_link_info>\n"
	"\t\t\t\t<pcie_gen>\n\t\t\t\t\t<max_link_gen>5</max_link_gen>\n\t\t\t\t\t<current_link_gen>4</current_link_gen>\n"
	"\t\t\t\t\t<max_device_link_gen>6</max_device_link_gen>\n\t\t\t\t</pcie_gen>\n"
	"\t\t\t\t<link_widths>\n\t\t\t\t\t<max_link_width>16x</max_link_width>\n"
	"\t\t\t\t\t<current_link_width>8x</current_link_width>\n\t\t\t\t</link_widths>\n\t\t\t</pci_gpu_link_info>\n"
	"\t\t\t<replay_counter>7</replay_counter>\n\t\t</pci>\n"
	"\t\t<clocks_event_reasons>\n\t\t\t<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>\n"
	"\t\t\t<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>\n"
	"\t\t\t<clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>\n\t\t</clocks_event_reasons>\n"
	"\t\t<clocks_event_reasons_counters>\n"
	"\t\t\t<clocks_event_reasons_counters_sw_therm_slowdown>9 us</clocks_event_reasons_counters_sw_therm_slowdown>\n"
	"\t\t</clocks_event_reasons_counters>\n"
	"\t\t<fb_memory_usage>\n\t\t\t<total>81559 MiB</total>\n\t\t\t<used>500 MiB</used>\n\t\t</fb_memory_usage>\n"
	"\t\t<cc_protected_memory_usage>\n\t\t\t<total>1 MiB</total>\n\t\t</cc_protected_memory_usage>\n"
	"\t\t<ecc_errors>\n\t\t\t<volatile>\n\t\t\t\t<sram_uncorrectable_parity>1</sram_uncorrectable_parity>\n"
	"\t\t\t\t<sram_uncorrectable_secded>2</sram_uncorrectable_secded>\n\t\t\t\t<dram_uncorrectable>4</dram_uncorrectable>\n"
	"\t\t\t</volatile>\n\t\t\t<aggregate>\n\t\t\t\t<dram_uncorrectable>9</dram_uncorrectable>\n"
	"\t\t\t\t<sram_threshold_exceeded>Yes</sram_threshold_exceeded>\n\t\t\t</aggregate>\n\t\t</ecc_errors>\n"
	"\t\t<retired_pages>\n\t\t\t<double_bit_retirement>\n\t\t\t\t<retired_count>N/A</retired_count>\n"
	"\t\t\t</double_bit_retirement>\n\t\t</retired_pages>\n"
	"\t\t<remapped_rows>\n\t\t\t<remapped_row_unc>3</remapped_row_unc>\n\t\t\t<remapped_row_pending>No</remapped_row_pending>\n"
	"\t\t\t<remapped_row_failure>Yes</remapped_row_failure>\n\t\t\t<row_remapper_histogram>\n"
	"\t\t\t\t<row_remapper_histogram_none>2 bank(s)</row_remapper_histogram_none>\n\t\t\t</row_remapper_histogram>\n"
	"\t\t</remapped_rows>\n"
	"\t\t<temperature>\n\t\t\t<gpu_temp>61 C</gpu_temp>\n\t\t\t<gpu_temp_tlimit>26 C</gpu_temp_tlimit>\n"
	"\t\t\t<gpu_temp_max_tlimit_threshold>-8 C</gpu_temp_max_tlimit_threshold>\n\t\t</temperature>\n"
	"\t\t<gpu_power_readings>\n\t\t\t<average_power_draw>310.50 W</average_power_draw>\n"
	"\t\t\t<instant_power_draw>400.00 W</instant_power_draw>\n"
	"\t\t\t<gpu_ceiling_power_limit>\n\t\t\t\t<current_power_limit>650.00 W</current_power_limit>\n"
	"\t\t\t\t<default_power_limit>700.00 W</default_power_limit>\n\t\t\t</gpu_ceiling_power_limit>\n"
	"\t\t</gpu_power_readings>\n"
	"\t\t<gpu_memory_power_readings>\n\t\t\t<average_power_draw>90.00 W</average_power_draw>\n\t\t</gpu_memory_power_readings>\n"
	"\t\t<module_power_readings>\n\t\t\t<current_power_limit>2500.00 W</current_power_limit>\n\t\t</module_power_readings>\n"
	"\t\t<fabric>\n\t\t\t<state>In Progress</state>\n\t\t\t<status>N/A</status>\n\t\t\t<health>\n"
	"\t\t\t\t<summary>Unhealthy</summary>\n\t\t\t</health>\n\t\t</fabric>\n"
	"\t\t<processes>\n\t\t\t<process_info>\n\t\t\t\t<pid>4321</pid>\n\t\t\t\t<type>C</type>\n"
	"\t\t\t\t<process_name>python3 a &amp; b</process_name>\n\t\t\t\t<used_memory>490 MiB</used_memory>\n"
	"\t\t\t</process_info>\n\t\t\t<process_info>\n\t\t\t\t<pid>4322</pid>\n\t\t\t</process_info>\n\t\t</processes>\n"
	"\t</gpu>\n"
	"\t<gpu id=\"00000000:9C:00.0\">\n"
	"\t\t<mig_devices>\n\t\t\tNone\n\t\t</mig_devices>\n"
	"\t\t<remapped_rows>N/A</remapped_rows>\n"
	"\t\t<temperature>\n\t\t\t<gpu_temp>GPU requires reset</gpu_temp>\n\t\t</temperature>\n"
	"\t\t<processes>\n\t\t</processes>\n"
	"\t</gpu>\n</nvidia_smi_log>\n";

static void check_two(const struct gv_run *run)
{
	struct gv_entity *a = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:1b:00.0")),
			 *b = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:9c:00.0"));

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_true(a && b);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "570.86.15");
	gv_test_is_num(gv_test_node(run), GV_F_GPU_COUNT, 2);
	gv_test_is_num(a, GV_F_GPU_INDEX, 0);
	gv_test_is_num(b, GV_F_GPU_INDEX, 1);
	gv_test_is_text(a, GV_F_GPU_MIG, "Enabled");
	gv_test_is_text(a, GV_F_GPU_MIG_PENDING, "Disabled");
	gv_test_is_num(a, GV_F_GPU_MIG_DEVICES, 2);
	gv_test_is_num(a, GV_F_GPU_MEM_TOTAL, 81559);
	gv_test_is_num(a, GV_F_GPU_MEM_USED, 500);
	gv_test_is_num(a, GV_F_GPU_ECC_UNC, 7);
	gv_test_is_num(a, GV_F_GPU_ECC_AGG_UNC, 9);
	gv_test_is_num(a, GV_F_GPU_SRAM_THRESHOLD, 1);
	gv_test_is_num(a, GV_F_GPU_RESET_REQUIRED, 1);
	gv_test_is_text(a, GV_F_GPU_RECOVERY, "Drain and Reset");
	gv_test_is_num(a, GV_F_GPU_PCIE_GEN_MAX, 5);
	gv_test_is_num(a, GV_F_GPU_PCIE_GEN, 4);
	gv_test_is_num(a, GV_F_GPU_PCIE_WIDTH, 8);
	gv_test_is_num(a, GV_F_GPU_PCIE_REPLAYS, 7);
	gv_test_is_num(a, GV_F_GPU_CAP_POWER, 1);
	assert_false(gv_num(a, GV_F_GPU_CAP_SW_THERMAL, NULL)); /* a counter is no reason */
	assert_false(gv_num(a, GV_F_GPU_RETIRED_DBE, NULL));
	gv_test_is_num(a, GV_F_GPU_REMAP_UNC, 3);
	gv_test_is_num(a, GV_F_GPU_REMAP_FAILED, 1);
	gv_test_is_num(a, GV_F_GPU_REMAP_NONE, 2);
	gv_test_is_num(a, GV_F_GPU_TEMP_MARGIN, 26);
	gv_test_is_num(a, GV_F_GPU_POWER, 310.5);
	gv_test_is_num(a, GV_F_GPU_POWER_LIMIT, 650);
	gv_test_is_num(a, GV_F_GPU_POWER_DEFAULT, 700);
	gv_test_is_text(a, GV_F_GPU_FABRIC_STATE, "In Progress");
	assert_int_equal(gv_count(run, GV_PROC, NULL), 2);
	assert_true(gv_is(gv_text(gv_each(run, GV_PROC, NULL, NULL), GV_F_PROC_NAME), "python3 a & b"));
	assert_false(gv_num(b, GV_F_GPU_REMAP_FAILED, NULL));
	gv_test_is_text(b, GV_F_GPU_BROKEN, "GPU requires reset");
	gv_test_is_num(b, GV_F_GPU_PROCESS_LIST, 0);
}

static void test_query_in_full(void **state)
{
	struct gv_run *run = gv_test_run("q.xml", two_gpus, NULL);
	struct gv_buf b = { 0 };

	check_two(run);
	assert_int_equal(gv_obs(gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:1b:00.0")), GV_F_GPU_NAME)->at.line, 9);
	gv_test_end(run);
	for (const char *p = two_gpus; *p; p++) /* saved anew by some tool: on one line */
		gv_putc(&b, *p == '\n' || *p == '\t' ? ' ' : *p);
	gv_putc(&b, '\0');
	run = gv_test_run("q.xml", b.p, NULL);
	check_two(run);
	gv_test_end(run);
	gv_buf_free(&b);
}

static void test_query_in_pieces(void **state)
{
	static const char piece[] = "            <fb_memory_usage>\n                <used>13 MiB</used>\n            </fb_memory_usage>\n"
				    "        </mig_device>\n    </mig_devices>\n"
				    "    <temperature>\n        <gpu_temp>48 C</gpu_temp>\n    </temperature>\n"
				    "    <gpu_power_readings>\n        <average_power_draw>88.00 W</average_power_draw>\n";
	struct gv_run *run = gv_test_run("t.txt", piece, NULL);
	struct gv_entity *g = gv_each(run, GV_GPU, NULL, NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_is_num(g, GV_F_GPU_TEMP, 48);
	gv_test_is_num(g, GV_F_GPU_POWER, 88);
	assert_false(gv_num(g, GV_F_GPU_MEM_USED, NULL)); /* the MIG device's */
	gv_test_end(run);
	run = gv_test_run("t.txt",
			  "$ nvidia-smi -q -x | grep '<gpu_temp>'\n"
			  "\t\t\t<gpu_temp>41 C</gpu_temp>\n\t\t\t<gpu_temp>83 C</gpu_temp>\n", NULL);
	gv_test_is_num(gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, GV_STR("1")), GV_F_GPU_TEMP, 83);
	gv_test_end(run);
	/* Two looks behind prompts, the second without its end. */
	run = gv_test_run("t.txt",
			  "$ nvidia-smi -q -x\n<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n<gpu id=\"00000000:02:00.0\">\n"
			  "<temperature>\n<gpu_temp>50 C</gpu_temp>\n</temperature>\n</gpu>\n</nvidia_smi_log>\n"
			  "$ nvidia-smi -q -x\n<nvidia_smi_log>\n<attached_gpus>1</attached_gpus>\n<gpu id=\"00000000:02:00.0\">\n"
			  "<temperature>\n<gpu_temp>70 C</gpu_temp>\n", NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_is_num(gv_each(run, GV_GPU, NULL, NULL), GV_F_GPU_TEMP, 70);
	gv_test_end(run);
}

static void test_other_xml_is_left_alone(void **state)
{
	struct gv_run *run = gv_test_run("pom.xml",
					 "<?xml version=\"1.0\"?>\n<project>\n  <clocks>\n    <sm_clock>7</sm_clock>\n"
					 "  </clocks>\n  <name>temperature</name>\n</project>\n",
					 "page.html", "<html><body>\n<temperature>\nhot\n</temperature></body></html>\n", NULL);

	for (const struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, NULL, g));)
		assert_false(gv_num(g, GV_F_GPU_TEMP, NULL));
	gv_test_end(run);
}

/* What is read in pieces is the same as in one: elements that lie over their ends, and ends that are wrong behind them. */
static void test_large(void **state)
{
	struct gv_buf b = { 0 };

	(void)state;
	gv_puts(&b, "<a>\n");
	for (size_t i = 0; i < 40000; i++)
		gv_printf(&b, "<n%zu>%zu</n%zu>%s\n", i % 10, i, i % 10, i % 10000 == 9999 ? "</x>" : "");
	gv_puts(&b, "</a>\n");
	gv_putc(&b, 0);
	parse(gv_buf_str(&b).p);
	assert_int_equal(xml.n, 40000 + 1 + 4);
	assert_null(xml.broken);
	assert_false(xml.cut);
	for (size_t i = 1, n = 0; i < xml.n; i++) {
		char text[24];

		if (xml.v[i].kind == GV_XML_LOST)
			continue;
		snprintf(text, sizeof(text), "%zu", n++);
		if (!gv_is(xml.v[i].text, text) || xml.v[i].line->no != n + 1 || xml.v[i].depth != 1)
			fail_msg("item %zu: %.*s", i, GV_ARG(xml.v[i].text));
	}
	gv_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_what_is_not_quite_xml),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_query_in_full),
		cmocka_unit_test(test_query_in_pieces),
		cmocka_unit_test(test_other_xml_is_left_alone),
	};
	struct gv_xml none;
	struct gv_line line = { .raw = GV_STR("<a/>"), .text = GV_STR("<a/>"), .no = 1 };
	int failed;

	arena = gv_arena_new();
	if (gv_xml_parse(arena, &line, 1, &none) == -ENOTSUP)
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	gv_arena_free(arena);
	return failed;
}
