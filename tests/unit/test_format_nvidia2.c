/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi -q, dmon, pmon, topo -m and nvlink: the spots where a reading goes wrong without a word. */
#include "pipeline.h"

#include "base/buf.h"

static struct gv_entity *by_index(const struct gv_run *run, enum gv_entity_kind k, const char *index)
{
	struct gv_entity *e = gv_by_key(run, k, NULL, GV_KEY_INDEX, gv_str_of(index));

	assert_non_null(e);
	return e;
}

static struct gv_entity *by_bus(const struct gv_run *run, const char *bus)
{
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, gv_str_of(bus));

	assert_non_null(e);
	return e;
}

static struct gv_entity *only_gpu(const struct gv_run *run)
{
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	return gv_each(run, GV_GPU, NULL, NULL);
}

static void assert_none(const struct gv_entity *e, enum gv_fact f)
{
	if (gv_num(e, f, NULL))
		fail_msg("%s is known", gv_fact_info[f].name);
}

/* The text as it stands, and with its indentation lost. */
static void both(const char *text, void (*check)(const struct gv_run *run))
{
	struct gv_buf b = { 0 };
	struct gv_run *run = gv_test_run("q.txt", text, NULL);
	gv_str rest = gv_str_of(text), line, word;

	check(run);
	gv_test_end(run);
	while (gv_next(&rest, '\n', &line)) {
		while (gv_word(&line, &word)) {
			gv_put(&b, word);
			gv_putc(&b, ' ');
		}
		gv_putc(&b, '\n');
	}
	gv_putc(&b, '\0');
	run = gv_test_run("q.txt", b.p, NULL);
	check(run);
	gv_test_end(run);
	gv_buf_free(&b);
}

static void check_mig(const struct gv_run *run)
{
	struct gv_entity *g = by_bus(run, "0000:4e:00.0");

	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_is_num(g, GV_F_GPU_MEM_TOTAL, 40960);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 100);
	gv_test_is_num(g, GV_F_GPU_ECC_UNC, 3);
	gv_test_is_num(g, GV_F_GPU_ECC_AGG_UNC, 9);
	gv_test_is_num(g, GV_F_GPU_MIG_DEVICES, 2);
	gv_test_is_text(g, GV_F_GPU_MIG, "Enabled");
	gv_test_is_text(g, GV_F_GPU_MIG_PENDING, "Disabled");
}

static void test_mig_devices_keep_theirs(void **state)
{
	both("GPU 00000000:4E:00.0\n"
	     "    Product Name                          : NVIDIA A100-SXM4-40GB\n"
	     "    MIG Mode\n"
	     "        Current                           : Enabled\n"
	     "        Pending                           : Disabled\n"
	     "    MIG Device\n"
	     "        Index                             : 0\n"
	     "        GPU Instance ID                   : 1\n"
	     "        Device Attributes\n"
	     "            Shared\n"
	     "                Multiprocessor count      : 42\n"
	     "        ECC Errors\n"
	     "            Volatile\n"
	     "                SRAM Uncorrectable        : 70\n"
	     "        FB Memory Usage\n"
	     "            Total                         : 20096 MiB\n"
	     "            Used                          : 7 MiB\n"
	     "    MIG Device\n"
	     "        Index                             : 1\n"
	     "        ECC Errors\n"
	     "            Volatile\n"
	     "                SRAM Uncorrectable        : 71\n"
	     "        FB Memory Usage\n"
	     "            Total                         : 20096 MiB\n"
	     "            Used                          : 8 MiB\n"
	     "    FB Memory Usage\n"
	     "        Total                             : 40960 MiB\n"
	     "        Used                              : 100 MiB\n"
	     "    ECC Errors\n"
	     "        Volatile\n"
	     "            SRAM Uncorrectable Parity     : 1\n"
	     "            SRAM Uncorrectable SEC-DED    : 0\n"
	     "            DRAM Uncorrectable            : 2\n"
	     "        Aggregate\n"
	     "            SRAM Correctable              : 500\n"
	     "            DRAM Uncorrectable            : 9\n"
	     "        Aggregate Uncorrectable SRAM Sources\n"
	     "            SRAM L2                       : 0\n",
	     check_mig);
}

static void check_counters(const struct gv_run *run)
{
	struct gv_entity *g = only_gpu(run);

	gv_test_is_num(g, GV_F_GPU_CAP_HW_THERMAL, 0);
	gv_test_is_num(g, GV_F_GPU_CAP_SW_THERMAL, 0);
	gv_test_is_num(g, GV_F_GPU_CAP_BRAKE, 1);
	gv_test_is_num(g, GV_F_GPU_CAP_HW, 1);
	assert_int_equal(gv_slot(g, GV_F_GPU_CAP_HW_THERMAL)->n, 1);
}

static void test_counters_are_no_reasons(void **state)
{
	both("GPU 00000000:4E:00.0\n"
	     "    Clocks Event Reasons\n"
	     "        HW Slowdown                       : Active\n"
	     "            HW Thermal Slowdown           : Not Active\n"
	     "            HW Power Brake Slowdown       : Active\n"
	     "        SW Thermal Slowdown               : Not Active\n"
	     "    Clocks Event Reasons Counters\n"
	     "        SW Thermal Slowdown               : 812 us\n"
	     "        HW Thermal Slowdown               : 15814235622 us\n"
	     "        HW Power Braking                  : 7 us\n",
	     check_counters);
}

static void check_power(const struct gv_run *run)
{
	struct gv_entity *g = only_gpu(run);

	gv_test_is_num(g, GV_F_GPU_POWER, 625.24);
	gv_test_is_num(g, GV_F_GPU_POWER_LIMIT, 650);
	gv_test_is_num(g, GV_F_GPU_POWER_DEFAULT, 700);
	gv_test_is_num(g, GV_F_GPU_POWER_MAX, 750);
	gv_test_is_num(g, GV_F_GPU_TEMP_MARGIN, 35);
	assert_none(g, GV_F_GPU_TEMP_SLOWDOWN);
}

static void test_power_of_the_gpu_not_the_module(void **state)
{
	both("==============NVSMI LOG==============\n"
	     "\n"
	     "Driver Version                                         : 610.57.04 [Deprecated. Use KMD Version]\n"
	     "\n"
	     "Attached GPUs                                          : 1\n"
	     "GPU 00000000:83:00.0\n"
	     "    Some New Section\n"
	     "        Power Draw                                     : 1.00 W\n"
	     "        Current                                        : Disabled\n"
	     "    Temperature\n"
	     "        GPU Current T.Limit Temp                       : 35 C\n"
	     "        GPU Slowdown T.Limit Temp                      : -2 C\n"
	     "    GPU Power Readings\n"
	     "        Average Power Draw                             : N/A\n"
	     "        Instantaneous Power Draw                       : 625.24 W\n"
	     "        GPU Ceiling Power Limit\n"
	     "            Current Power Limit                        : 650.00 W\n"
	     "            Default Power Limit                        : 700.00 W\n"
	     "        GPU Base Power\n"
	     "            Current Power Limit                        : 300.00 W\n"
	     "        Max Power Limit                                : 750.00 W\n"
	     "    GPU Memory Power Readings \n"
	     "        Average Power Draw                             : 97.69 W\n"
	     "    Module Power Readings\n"
	     "        Average Power Draw                             : 900.00 W\n"
	     "        Current Power Limit                            : 1000.00 W\n",
	     check_power);
}

static void check_old_ecc(const struct gv_run *run)
{
	struct gv_entity *g = only_gpu(run);

	gv_test_is_num(g, GV_F_GPU_ECC_UNC, 2);
	gv_test_is_num(g, GV_F_GPU_ECC_AGG_UNC, 3);
	gv_test_is_num(g, GV_F_GPU_RETIRED_DBE, 4);
	gv_test_is_num(g, GV_F_GPU_RETIRED_PENDING, 1);
	assert_none(g, GV_F_GPU_REMAP_PENDING);
}

static void test_double_bit_errors_before_ampere(void **state)
{
	both("    ECC Errors\n"
	     "        Volatile\n"
	     "            Single Bit            \n"
	     "                Device Memory     : 50\n"
	     "                Total             : 50\n"
	     "            Double Bit            \n"
	     "                Device Memory     : 2\n"
	     "                Register File     : 0\n"
	     "                Total             : 2\n"
	     "        Aggregate\n"
	     "            Single Bit            \n"
	     "                Total             : 60\n"
	     "            Double Bit            \n"
	     "                Device Memory     : 3\n"
	     "                Total             : 3\n"
	     "    Retired Pages\n"
	     "        Single Bit ECC            : 1\n"
	     "        Double Bit ECC            : 4\n"
	     "        Pending                   : Yes\n"
	     "    Remapped Rows                 : N/A\n",
	     check_old_ecc);
}

static void check_processes(const struct gv_run *run)
{
	struct gv_entity *p = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, GV_STR("3141"));

	assert_non_null(p);
	assert_ptr_equal(p->parent, by_index(run, GV_GPU, "0"));
	gv_test_is_text(p, GV_F_PROC_NAME, "/opt/train : x");
	gv_test_is_num(p, GV_F_PROC_GPU_MEM, 512);
	gv_test_is_num(by_index(run, GV_GPU, "0"), GV_F_GPU_PROCESS_LIST, 1);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_PROCESS_LIST, 0);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 1);
}

static void test_processes(void **state)
{
	both("Attached GPUs                                          : 2\n"
	     "GPU 00000000:01:00.0\n"
	     "    Processes\n"
	     "        GPU instance ID                   : N/A\n"
	     "        Process ID                        : 3141\n"
	     "            Type                          : C\n"
	     "            Name                          : /opt/train : x\n"
	     "            Used GPU Memory               : 512 MiB\n"
	     "\n"
	     "GPU 00000000:02:00.0\n"
	     "    Processes                             : None\n",
	     check_processes);
}

static void check_sick(const struct gv_run *run)
{
	struct gv_entity *fan = by_bus(run, "0000:01:00.0"), *reset = by_bus(run, "0000:02:00.0");

	gv_test_is_text(fan, GV_F_GPU_BROKEN, "");
	assert_none(fan, GV_F_GPU_FAN);
	gv_test_is_text(fan, GV_F_GPU_RECOVERY, "None");
	gv_test_is_num(fan, GV_F_GPU_RESET_REQUIRED, 0);
	gv_test_is_text(reset, GV_F_GPU_BROKEN, "[GPU requires reset]");
	gv_test_is_text(reset, GV_F_GPU_RECOVERY, "Reset");
	gv_test_is_num(reset, GV_F_GPU_RESET_REQUIRED, 1);
}

static void test_a_fan_is_not_a_gpu(void **state)
{
	both("GPU 00000000:01:00.0\n"
	     "    GPU Reset Status\n"
	     "        Reset Required                    : No\n"
	     "        Drain and Reset Recommended       : No\n"
	     "    GPU Recovery Action                   : None\n"
	     "    Fan Speed                             : ERR!\n"
	     "    Performance State                     : P0\n"
	     "GPU 00000000:02:00.0\n"
	     "    GPU Reset Status\n"
	     "        Reset Required                    : No\n"
	     "        Drain and Reset Recommended       : Yes\n"
	     "    GPU Recovery Action                   : Reset\n"
	     "    Performance State                     : [GPU requires reset]\n",
	     check_sick);
}

static void test_pasted_into_prose(void **state)
{
	struct gv_run *run = gv_test_run("notes.txt",
					 "ops@node:~$ nvidia-smi -i 1 -q | sed -n '/MIG Mode/,/GPU Instance/p'\n"
					 "MIG Mode\n"
					 "Current : Enabled\n"
					 "Pending : EnabledWhat this means: MIG is on : instances are domains\n"
					 "Decision: Make sure of it.\n",
					 NULL);
	struct gv_entity *g = by_index(run, GV_GPU, "1");

	gv_test_is_text(g, GV_F_GPU_MIG, "Enabled");
	gv_test_is_text(g, GV_F_GPU_MIG_PENDING, "Enabled");
	gv_test_end(run);
}

static void test_grep_leaves_no_headings(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "$ nvidia-smi -q | grep 'HW Slowdown'\n"
					 "        HW Slowdown                       : Not Active\n"
					 "        HW Slowdown                       : Active\n"
					 "        HW Slowdown                       : Not Active\n",
					 NULL);

	gv_test_is_num(by_index(run, GV_GPU, "0"), GV_F_GPU_CAP_HW, 0);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_CAP_HW, 1);
	gv_test_is_num(by_index(run, GV_GPU, "2"), GV_F_GPU_CAP_HW, 0);
	gv_test_end(run);
	/* Which GPUs these are, the lines do not tell. */
	run = gv_test_run("b.txt",
			  "$ nvidia-smi -q | grep 'HW Slowdown.*: Active'\n"
			  "        HW Slowdown                       : Active\n"
			  "        HW Slowdown                       : Active\n",
			  NULL);
	assert_null(gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, GV_STR("0")));
	assert_true(gv_flag(gv_each(run, GV_GPU, NULL, NULL), GV_F_GPU_CAP_HW));
	gv_test_end(run);
}

static void test_power_without_headings(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "$ nvidia-smi -q | grep 'Power Draw'\n"
					 "        Power Draw                        : 59.77 W\n"
					 "        Power Draw                        : N/A\n"
					 "        Power Draw                        : 165.00 W\n",
					 NULL);
	size_t known = 0;

	/* Two GPUs, or a GPU and its module: neither gets a number. */
	for (struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, NULL, g));) {
		assert_int_equal(g->key[GV_KEY_INDEX].n, 0);
		known += gv_num(g, GV_F_GPU_POWER, NULL);
	}
	assert_int_equal(known, 2);
	gv_test_end(run);
}

/* An average beside an unknown momentary value is that of memory: its heading is what was cut off. */
static void test_power_of_memory_without_heading(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "        Average Power Draw                             : 97.69 W\n"
					 "        Instantaneous Power Draw                       : N/A\n", NULL);

	for (struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, NULL, g));)
		assert_none(g, GV_F_GPU_POWER);
	gv_test_end(run);
}

/* The end of one GPU and the beginning of the next: two GPUs, though only one has a name. */
static void test_end_of_another_gpu(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "    Temperature\n"
					 "        GPU Current Temp                  : 88 C\n"
					 "\n"
					 "GPU 00000000:C2:00.0\n"
					 "    Product Name                          : NVIDIA A100-SXM4-80GB\n"
					 "    Fan Speed                             : N/A\n",
					 "b.txt", "$ nvidia-smi -q -d TEMPERATURE -i 00000000:C2:00.0\n"
					 "    Temperature\n"
					 "        GPU Current Temp                  : 40 C\n",
					 NULL);

	gv_test_is_num(by_bus(run, "0000:c2:00.0"), GV_F_GPU_TEMP, 40);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_end(run);
}

static void test_other_texts_are_left_alone(void **state)
{
	struct gv_run *run = gv_test_run("dmi.txt",
					 "Product Name : PowerEdge R750\n"
					 "Idle : 5 s\n"
					 "Temperature\n"
					 "State : Running\n"
					 "Fabric\n"
					 "is a good thing : really\n",
					 "lists.txt",
					 "GPU 0: NVIDIA A100 (UUID: GPU-1)\n"
					 "GPU 1: NVIDIA A100 (UUID: GPU-2)\n",
					 NULL);

	for (size_t i = 0; i < run->blocks.n; i++)
		assert_false(gv_is(run->blocks.v[i]->doc->name, "dmi.txt"));
	assert_int_equal(gv_count(run, GV_LINK, NULL), 0);
	gv_test_end(run);
}

static void test_dmon_series(void **state)
{
	struct gv_run *run =
	    gv_test_run("dmon.txt",
			"#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem     fb   bar1  rxpci\n"
			"#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %     MB     MB   MB/s\n"
			" 20260113    12:00:01       0    215     62      -     18     12  30000      1    120\n"
			" 20260113    12:00:01       1    300     70     80     99     60  31000      1     10\n"
			"#Date        Time         gpu    pwr  gtemp  mtemp     sm    mem     fb   bar1  rxpci\n"
			"#YYYYMMDD    HH:MM:SS     Idx      W      C      C      %      %     MB     MB   MB/s\n"
			" 20260113    12:00:02       0    217     62      -     20     12  30000      1    120\n"
			" 20260113    12:00:03       0    219     62      -     40     12  30000      1    120\n",
			NULL);
	struct gv_entity *g = by_index(run, GV_GPU, "0");

	assert_int_equal(gv_series(g, GV_F_GPU_SM_UTIL, NULL, 0), 3);
	gv_test_is_num(g, GV_F_GPU_SM_UTIL, 20);
	gv_test_is_num(g, GV_F_GPU_POWER, 217);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 30000);
	assert_none(g, GV_F_GPU_TEMP_MEM);
	assert_int_equal(gv_slot(g, GV_F_GPU_TEMP_MEM)->v[0].state, GV_NOT_APPLICABLE);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_TEMP_MEM, 80);
	gv_test_end(run);
}

static void test_dmon_squeezed_with_shares(void **state)
{
	struct gv_run *run = gv_test_run("dmon.txt",
					 "$ nvidia-smi dmon -s pucvmet -d 1 -c 5\n"
					 "# gpu pwr gtemp mtemp sm mem enc dec mclk pclk rxpci txpci fb bar1\n"
					 "# Idx W C C % % % % MHz MHz MB/s MB/s % %\n"
					 "0 215 62 - 18 12 0 0 1215 1410 120 30 40 1\n"
					 "0 220 63 - 20 13 0 0 1215 1410 110 28 41 1What this means: starved\n"
					 "Decision: wait.\n",
					 NULL);
	struct gv_entity *g = by_index(run, GV_GPU, "0");

	assert_int_equal(gv_series(g, GV_F_GPU_SM_UTIL, NULL, 0), 2);
	gv_test_is_num(g, GV_F_GPU_CLK_SM, 1410);
	/* 40 % of the memory are not 40 MiB. */
	assert_none(g, GV_F_GPU_MEM_USED);
	gv_test_end(run);
}

static void test_pmon(void **state)
{
	struct gv_run *run = gv_test_run("pmon.txt",
					 "# gpu         pid   type     sm    mem    enc    dec    command\n"
					 "# Idx           #    C/G      %      %      %      %    name\n"
					 "    0       1200     C     49     22      -      -    python train.py\n"
					 "    0       1300     G      -      -      -      -    Xorg\n"
					 "    1          -     -      -      -      -      -    -\n"
					 "    0       1200     C     51     22      -      -    python train.py\n",
					 NULL);
	struct gv_entity *p = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, GV_STR("1200"));

	assert_non_null(p);
	assert_ptr_equal(p->parent, by_index(run, GV_GPU, "0"));
	gv_test_is_text(p, GV_F_PROC_NAME, "python train.py");
	assert_int_equal(gv_series(p, GV_F_PROC_SM_UTIL, NULL, 0), 2);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 2);
	gv_test_is_num(by_index(run, GV_GPU, "0"), GV_F_GPU_PROCESS_LIST, 1);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_PROCESS_LIST, 0);
	gv_test_end(run);
}

static void test_csv_of_the_monitors(void **state)
{
	struct gv_run *run = gv_test_run("m.txt",
					 "$ nvidia-smi pmon -c 1 --format csv\n"
					 "#gpu, pid, type, sm, mem, enc, dec, command\n"
					 "#Idx, #, C/G, %, %, %, %, name\n"
					 "0, 1200, C, 49, 22, -, -, python a, b\n"
					 "1, -, -, -, -, -, -, -\n"
					 "$ nvidia-smi dmon --format csv -s pt\n"
					 "#gpu, pwr, gtemp, mtemp, rxpci, txpci\n"
					 "#Idx, W, C, C, MB/s, MB/s\n"
					 "0, 90, 41, -, 12, 7\n"
					 "1, ERR, ERR, [N/A], 3, 4\n", NULL);
	struct gv_entity *p = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, GV_STR("1200"));

	assert_non_null(p);
	gv_test_is_text(p, GV_F_PROC_NAME, "python a, b");
	gv_test_is_num(p, GV_F_PROC_SM_UTIL, 49);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_PROCESS_LIST, 0);
	gv_test_is_num(by_index(run, GV_GPU, "0"), GV_F_GPU_PCIE_TX, 7);
	assert_none(by_index(run, GV_GPU, "1"), GV_F_GPU_POWER);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_PCIE_RX, 3);
	gv_test_end(run);
}

static void check_topo(const struct gv_run *run)
{
	struct gv_entity *pair = gv_by_id(run, GV_PAIR, NULL, GV_STR("GPU0 mlx5_0"));

	assert_non_null(pair);
	gv_test_is_text(pair, GV_F_PAIR_PATH, "PXB");
	pair = gv_by_id(run, GV_PAIR, NULL, GV_STR("GPU0 GPU1"));
	assert_non_null(pair);
	gv_test_is_text(pair, GV_F_PAIR_PATH, "NV12");
	assert_int_equal(gv_count(run, GV_PAIR, NULL), 3);
	gv_test_is_text(by_index(run, GV_GPU, "1"), GV_F_GPU_CPUS, "16-31,48-63");
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_NUMA, 1);
}

static void test_topo(void **state)
{
	both("\t\033[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"
	     "GPU0\t X \tNV12\tPXB\t0-15,32-47\t0\t\tN/A\n"
	     "GPU1\tNV12\t X \tSYS\t16-31,48-63\t1\t\tN/A\n"
	     "NIC0\tPXB\tSYS\t X \t\t\t\t\n"
	     "\n"
	     "Legend:\n"
	     "\n"
	     "  X    = Self\n"
	     "\n"
	     "NIC Legend:\n"
	     "\n"
	     "  NIC0: mlx5_0\n",
	     check_topo);
	both("        GPU0\n"
	     "GPU1    NIC0    CPU Affinity    NUMA Affinity\n"
	     "GPU0     X      NV12    PXB     0-15,32-47      0\n"
	     "GPU1    NV12     X      SYS     16-31,48-63     1\n"
	     "NIC Legend:\n"
	     "  NIC0: mlx5_0\n",
	     check_topo);
}

static void test_topo_empty_affinity(void **state)
{
	struct gv_run *run = gv_test_run("topo.txt",
					 "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
					 "GPU0\t X \tSYS\t\t1\n"
					 "GPU1\tPHB\t X \t0-7\tN/A\n",
					 "p2p.txt", "\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n", NULL);
	struct gv_entity *pair = gv_by_id(run, GV_PAIR, NULL, GV_STR("GPU0 GPU1"));

	gv_test_is_text(by_index(run, GV_GPU, "0"), GV_F_GPU_CPUS, "");
	gv_test_is_num(by_index(run, GV_GPU, "0"), GV_F_GPU_NUMA, 1);
	assert_none(by_index(run, GV_GPU, "1"), GV_F_GPU_NUMA);
	assert_non_null(pair);
	/* The halves disagree: both are kept. */
	assert_int_equal(gv_slot(pair, GV_F_PAIR_PATH)->n, 2);
	gv_test_end(run);
}

static struct gv_entity *link_of(const struct gv_run *run, const char *gpu, const char *n)
{
	for (struct gv_entity *e = NULL; (e = gv_each(run, GV_LINK, NULL, e));)
		if (gv_is(e->id, n) && e->parent && gv_is(e->parent->key[GV_KEY_INDEX], gpu))
			return e;
	fail_msg("no link %s of GPU %s", n, gpu);
	return NULL;
}

static void test_nvlink(void **state)
{
	struct gv_run *run = gv_test_run("s.txt",
					 "$ nvidia-smi nvlink -s\n"
					 "GPU 0: NVLink Status\n"
					 "Link 0: 26.562 GB/s\n"
					 "Link 1: <inactive>\n"
					 "GPU 1: NVIDIA H200 (UUID: GPU-1)\n"
					 "NVML: Unable to retrieve Nvlink information as all links are inActive"
					 "GPU 2: NVIDIA H200 (UUID: GPU-2)\n"
					 "\t Link 0: 26.562 GB/s\n"
					 "$ nvidia-smi nvlink -e\n"
					 "GPU 0: NVIDIA H200\n"
					 "\t Link 0: Replay Errors: 4\n"
					 "\t Link 0: CRC Errors: 5\n"
					 "\n"
					 "\t Link 1: Malformed packet Errors: 1\n"
					 "\t Link 1: Rx Errors: 2\n"
					 "\t Link 1: FEC Errors - 0: 17941761\n"
					 "\t Link 1: Link recovery failed events: 1\n",
					 NULL);

	gv_test_is_num(link_of(run, "0", "0"), GV_F_LINK_RATE, 26.562);
	gv_test_is_num(link_of(run, "0", "0"), GV_F_LINK_ACTIVE, 1);
	gv_test_is_num(link_of(run, "0", "1"), GV_F_LINK_ACTIVE, 0);
	assert_none(link_of(run, "0", "1"), GV_F_LINK_RATE);
	gv_test_is_num(by_index(run, GV_GPU, "1"), GV_F_GPU_NVLINK_ALL_OFF, 1);
	assert_none(by_index(run, GV_GPU, "2"), GV_F_GPU_NVLINK_ALL_OFF);
	gv_test_is_num(link_of(run, "2", "0"), GV_F_LINK_ACTIVE, 1);
	gv_test_is_num(link_of(run, "0", "0"), GV_F_LINK_REPLAY, 4);
	gv_test_is_num(link_of(run, "0", "0"), GV_F_LINK_CRC, 5);
	gv_test_is_num(link_of(run, "0", "1"), GV_F_LINK_HARD, 3);
	gv_test_is_num(link_of(run, "0", "1"), GV_F_LINK_RECOVERY_FAILED, 1);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mig_devices_keep_theirs),
		cmocka_unit_test(test_counters_are_no_reasons),
		cmocka_unit_test(test_power_of_the_gpu_not_the_module),
		cmocka_unit_test(test_double_bit_errors_before_ampere),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_a_fan_is_not_a_gpu),
		cmocka_unit_test(test_pasted_into_prose),
		cmocka_unit_test(test_grep_leaves_no_headings),
		cmocka_unit_test(test_power_without_headings),
		cmocka_unit_test(test_power_of_memory_without_heading),
		cmocka_unit_test(test_end_of_another_gpu),
		cmocka_unit_test(test_other_texts_are_left_alone),
		cmocka_unit_test(test_dmon_series),
		cmocka_unit_test(test_dmon_squeezed_with_shares),
		cmocka_unit_test(test_pmon),
		cmocka_unit_test(test_csv_of_the_monitors),
		cmocka_unit_test(test_topo),
		cmocka_unit_test(test_topo_empty_affinity),
		cmocka_unit_test(test_nvlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
