/* SPDX-License-Identifier: Apache-2.0 */
/* nvidia-smi's table, list, errors, -pm and csv, and the cells that all readers share. */
#include "pipeline.h"

#include <math.h>

#include "format/common.h"

static struct gv_entity *gpu(const struct gv_run *run, const char *index)
{
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, gv_str_of(index));

	assert_non_null(e);
	return e;
}

static struct gv_entity *proc(const struct gv_run *run, const char *pid)
{
	struct gv_entity *e = gv_by_key(run, GV_PROC, NULL, GV_KEY_PID, gv_str_of(pid));

	assert_non_null(e);
	return e;
}

static void assert_none(const struct gv_entity *e, enum gv_fact f)
{
	if (gv_obs(e, f))
		fail_msg("%s is known", gv_fact_info[f].name);
}

static const char two_gpus[] =
    "Tue Jul 14 08:12:38 2026       \n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| NVIDIA-SMI 560.10.01              Driver Version: 560.10.01      CUDA Version: 12.6     |\n"
    "|-----------------------------------------+------------------------+----------------------+\n"
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
    "|                                         |                        |               MIG M. |\n"
    "|=========================================+========================+======================|\n"
    "|   0  NVIDIA Test Card 80GB          On  |   00000000:1A:00.0 Off |                    0 |\n"
    "| 41%   61C    P0            301W /  400W |   70000MiB /  81920MiB |     97%   E. Process |\n"
    "|                                         |                        |             Disabled |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "|   1  NVIDIA Test Card 80GB          Off |   00000000:3B:00.0  On |                    2 |\n"
    "| N/A   35C    P8             21W /  400W |       3MiB /  81920MiB |      0%      Default |\n"
    "|                                         |                        |            Disabled* |\n"
    "+-----------------------------------------+------------------------+----------------------+\n"
    "                                                                                         \n"
    "+-----------------------------------------------------------------------------------------+\n"
    "| Processes:                                                                              |\n"
    "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |\n"
    "|        ID   ID                                                               Usage      |\n"
    "|=========================================================================================|\n"
    "|    0   N/A  N/A      4711      C   train with spaces                           69990MiB |\n"
    "+-----------------------------------------------------------------------------------------+\n";

static void check_two_gpus(const struct gv_run *run)
{
	struct gv_entity *a = gpu(run, "0"), *b = gpu(run, "1"), *p = proc(run, "4711");

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_is_num(gv_test_node(run), GV_F_GPU_COUNT, 2);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "560.10.01");
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_CUDA_MAX, 12.6);
	assert_string_equal(a->id.p, "0000:1a:00.0");
	gv_test_is_text(a, GV_F_GPU_NAME, "NVIDIA Test Card 80GB");
	assert_true(gv_flag(a, GV_F_GPU_PERSISTENCE));
	gv_test_is_num(b, GV_F_GPU_PERSISTENCE, 0);
	gv_test_is_num(a, GV_F_GPU_DISPLAY, 0);
	gv_test_is_num(b, GV_F_GPU_DISPLAY, 1);
	gv_test_is_num(a, GV_F_GPU_FAN, 41);
	assert_none(b, GV_F_GPU_FAN);
	gv_test_is_num(a, GV_F_GPU_TEMP, 61);
	gv_test_is_text(b, GV_F_GPU_PSTATE, "P8");
	gv_test_is_num(a, GV_F_GPU_POWER, 301);
	gv_test_is_num(a, GV_F_GPU_POWER_LIMIT, 400);
	gv_test_is_num(a, GV_F_GPU_MEM_USED, 70000);
	gv_test_is_num(a, GV_F_GPU_MEM_TOTAL, 81920);
	gv_test_is_num(a, GV_F_GPU_UTIL, 97);
	gv_test_is_text(a, GV_F_GPU_COMPUTE_MODE, "Exclusive_Process");
	gv_test_is_num(b, GV_F_GPU_ECC_UNC, 2);
	gv_test_is_text(a, GV_F_GPU_MIG, "Disabled");
	assert_none(a, GV_F_GPU_MIG_PENDING);
	gv_test_is_text(b, GV_F_GPU_MIG, "Disabled");
	gv_test_is_text(b, GV_F_GPU_MIG_PENDING, "Enabled");
	gv_test_is_num(a, GV_F_GPU_PROCESS_LIST, 1);
	gv_test_is_num(b, GV_F_GPU_PROCESS_LIST, 0);
	assert_ptr_equal(p->parent, a);
	gv_test_is_text(p, GV_F_PROC_NAME, "train with spaces");
	gv_test_is_text(p, GV_F_PROC_TYPE, "C");
	gv_test_is_num(p, GV_F_PROC_GPU_MEM, 69990);
	assert_none(a, GV_F_GPU_BROKEN);
}

/* The same text with every run of blanks squeezed to one, as pastes lose them. */
static void table_whole_and_squeezed(void **state)
{
	char squeezed[sizeof(two_gpus)];
	size_t n = 0;
	struct gv_run *run = gv_test_run("smi.txt", two_gpus, NULL);

	check_two_gpus(run);
	assert_int_equal(run->blocks.n, 1);
	assert_int_equal(run->blocks.v[0]->when.clock, GV_CLOCK_WALL);
	assert_int_equal((long long)run->blocks.v[0]->when.t, 1784016758);
	gv_test_end(run);

	for (size_t i = 0; two_gpus[i]; i++)
		if (two_gpus[i] != ' ' || !n || squeezed[n - 1] != ' ')
			squeezed[n++] = two_gpus[i];
	squeezed[n] = '\0';
	run = gv_test_run("smi.txt", squeezed, NULL);
	check_two_gpus(run);
	gv_test_end(run);
}

/* Without its top the table still gives its GPUs, but not how many there are. */
static void table_cut_at_the_top(void **state)
{
	struct gv_run *run = gv_test_run("smi.txt", strstr(two_gpus, "|   1  NVIDIA"), NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2); /* the process names the other */
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_ECC_UNC, 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_MEM_USED, 3);
	if (gv_each(run, GV_NODE, NULL, NULL))
		assert_none(gv_test_node(run), GV_F_GPU_COUNT);
	gv_test_end(run);
}

/* A list of processes that stops in the middle does not say that a GPU has none. */
static void table_cut_at_the_end(void **state)
{
	char text[sizeof(two_gpus)];
	size_t n = (size_t)(strstr(two_gpus, "69990MiB") - two_gpus) + 12;
	struct gv_run *run;

	memcpy(text, two_gpus, n);
	text[n] = '\0';
	run = gv_test_run("smi.txt", text, NULL);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_PROCESS_LIST, 1);
	assert_none(gpu(run, "1"), GV_F_GPU_PROCESS_LIST);
	gv_test_end(run);
}

static void table_of_old_drivers(void **state)
{
	struct gv_run *run =
	    gv_test_run("smi.txt",
			"+-----------------------------------------------------------------------------+\n"
			"| NVIDIA-SMI 384.81                 Driver Version: 384.81                    |\n"
			"|-------------------------------+----------------------+----------------------+\n"
			"| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
			"| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
			"|===============================+======================+======================|\n"
			"|   0  Tesla Old           Off  | 0000:00:05.0     Off |                  Off |\n"
			"| N/A   33C    P8    N/A / N/A |     15MiB / 11439MiB |      0%      Default |\n"
			"+-------------------------------+----------------------+----------------------+\n"
			"\n"
			"+-----------------------------------------------------------------------------+\n"
			"| Processes:                                                       GPU Memory |\n"
			"|  GPU       PID  Type  Process name                               Usage      |\n"
			"|=============================================================================|\n"
			"|    0      1959    G   /usr/lib/xorg/Xorg                              15MiB |\n"
			"+-----------------------------------------------------------------------------+\n",
			NULL);
	struct gv_entity *e = gpu(run, "0");

	assert_string_equal(e->id.p, "0000:00:05.0");
	assert_none(gv_test_node(run), GV_F_DRIVER_CUDA_MAX);
	assert_none(e, GV_F_GPU_POWER);
	assert_none(e, GV_F_GPU_MIG);
	gv_test_is_text(e, GV_F_GPU_ECC_MODE, "Disabled");
	assert_none(e, GV_F_GPU_ECC_UNC);
	assert_ptr_equal(proc(run, "1959")->parent, e);
	gv_test_is_num(proc(run, "1959"), GV_F_PROC_GPU_MEM, 15);
	gv_test_end(run);
}

/* R610 words, MIG devices, GPUs that do not answer. */
static void table_of_sick_and_split_gpus(void **state)
{
	struct gv_run *run =
	    gv_test_run("smi.txt",
			"+-----------------------------------------------------------------------------------------+\n"
			"| NVIDIA-SMI 610.01.02              KMD Version: 610.01.03     CUDA UMD Version: 13.3     |\n"
			"+-----------------------------------------+------------------------+----------------------+\n"
			"|   0  NVIDIA Split Card              On  |   00000000:01:00.0 Off |                   On |\n"
			"| N/A   40C    P0             90W /  400W |     100MiB /  40960MiB |     N/A      Default |\n"
			"|                                         |                        |              Enabled |\n"
			"+-----------------------------------------+------------------------+----------------------+\n"
			"|   1  NVIDIA Split Card              On  |   00000000:02:00.0 Off |                   On |\n"
			"| N/A   40C    P0             90W /  400W |       0MiB /  40960MiB |     N/A      Default |\n"
			"|                                         |                        |              Enabled |\n"
			"+-----------------------------------------+------------------------+----------------------+\n"
			"|   2  ERR!                           On  |   00000000:03:00.0 Off |                 ERR! |\n"
			"|ERR!  ERR! ERR!             ERR! / ERR!  |       0MiB /  46068MiB |    ERR!      Default |\n"
			"|                                         |                        |                 ERR! |\n"
			"+-----------------------------------------+------------------------+----------------------+\n"
			"|   3  NVIDIA Fan Card                On  |   00000000:04:00.0 Off |                    0 |\n"
			"|ERR!   38C    P5             49W /  450W |    2021MiB /  23028MiB |      0%      Default |\n"
			"|                                         |                        |                  N/A |\n"
			"+-----------------------------------------+------------------------+----------------------+\n"
			"\n"
			"+-----------------------------------------------------------------------------------------+\n"
			"| MIG devices:                                                                            |\n"
			"+------------------+----------------------------------+-----------+-----------------------+\n"
			"| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |\n"
			"|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |\n"
			"|==================+==================================+===========+=======================|\n"
			"|  0    2   0   0  |           11091MiB / 20448MiB    | 60      0 |  3   0    3    0    3 |\n"
			"|                  |               0MiB / 24739MiB    |           |                       |\n"
			"+------------------+----------------------------------+-----------+-----------------------+\n"
			"|  0    3   0   1  |           11091MiB / 20448MiB    | 60      4 |  3   0    3    0    3 |\n"
			"+------------------+----------------------------------+-----------+-----------------------+\n"
			"\n"
			"+-----------------------------------------------------------------------------------------+\n"
			"| Processes:                                                                              |\n"
			"|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
			"|=========================================================================================|\n"
			"|  No running processes found                                                             |\n"
			"+-----------------------------------------------------------------------------------------+\n",
			NULL);

	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_USER, "610.01.02");
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "610.01.03");
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_CUDA_MAX, 13.3);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MIG_DEVICES, 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_MIG_DEVICES, 0);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_ECC_UNC, 4);
	assert_none(gpu(run, "1"), GV_F_GPU_ECC_UNC);
	assert_none(gpu(run, "0"), GV_F_GPU_UTIL);
	gv_test_is_text(gpu(run, "2"), GV_F_GPU_BROKEN, "ERR!");
	assert_none(gpu(run, "2"), GV_F_GPU_TEMP);
	assert_none(gpu(run, "2"), GV_F_GPU_ECC_UNC);
	assert_none(gpu(run, "3"), GV_F_GPU_BROKEN); /* a fan alone */
	assert_none(gpu(run, "3"), GV_F_GPU_FAN);
	gv_test_is_num(gpu(run, "3"), GV_F_GPU_TEMP, 38);
	gv_test_end(run);
}

/* What a container lists is no count of the machine, and neither is part of a table. */
static void table_counts(void **state)
{
	char text[sizeof(two_gpus) + 128];
	struct gv_run *run;

	snprintf(text, sizeof(text), "u@h:~$ docker exec box nvidia-smi\n%s", two_gpus);
	run = gv_test_run("paste.txt", text, NULL);
	assert_none(gv_test_node(run), GV_F_GPU_COUNT);
	gv_test_is_num(gv_test_node(run), GV_F_GPU_CONTAINER_COUNT, 2);
	gv_test_end(run);

	snprintf(text, sizeof(text), "u@h:~$ nvidia-smi | head -40\n%s", two_gpus);
	run = gv_test_run("paste.txt", text, NULL);
	assert_none(gv_test_node(run), GV_F_GPU_COUNT);
	gv_test_end(run);
}

/* Tables of a loop are looks of their own. */
static void table_loop(void **state)
{
	char text[2 * sizeof(two_gpus)];
	struct gv_run *run;

	snprintf(text, sizeof(text), "%s%s", two_gpus, two_gpus);
	run = gv_test_run("smi.txt", text, NULL);
	assert_int_equal(run->blocks.n, 2);
	assert_true(run->blocks.v[1]->when.t == run->blocks.v[0]->when.t);
	check_two_gpus(run);
	gv_test_end(run);
}

static void foreign_tables_are_left(void **state)
{
	struct gv_run *run =
	    gv_test_run("x.txt",
			"+----------+\n| Processes: |\n| GPU PID Name |\n| 0 17 python |\n+----------+\n"
			"| id | name |\n| 1 | a / b |\n",
			"log.txt",
			"[   12.000000] nvidia: uuid, index, name, memory.\n"
			"2026-01-01T00:00:00Z svc Failed to initialize NVML: could not load NVML library\n"
			"GPU 0: NVIDIA Test (UUID: GPU-aa)\n\t Link 0: 25 GB/s\n",
			NULL);

	for (size_t i = 0; i < run->blocks.n; i++) {
		const char *name = run->blocks.v[i]->format->name;

		if (!strcmp(name, "nvidia-smi") || !strcmp(name, "nvidia-smi csv") ||
		    !strcmp(name, "nvidia-smi error") || !strcmp(name, "nvidia-smi -L"))
			fail_msg("%s took what is not its own", name);
	}
	gv_test_end(run);
}

/* -1, and all bits of a counter, stand for no value. */
static void impossible(void **state)
{
	struct gv_run *run =
		gv_test_run("query.csv",
			    "index, ecc.errors.uncorrected.volatile.total, retired_pages.double_bit.count, "
			    "utilization.gpu [%], temperature.gpu\n0, 18446744073709551615, -1, -1 %, -2\n",
			    NULL);
	const struct gv_entity *g = gv_each(run, GV_GPU, NULL, NULL);

	(void)state;
	assert_non_null(g);
	assert_false(gv_num(g, GV_F_GPU_ECC_UNC, NULL));
	assert_false(gv_num(g, GV_F_GPU_RETIRED_DBE, NULL));
	assert_false(gv_num(g, GV_F_GPU_UTIL, NULL));
	gv_test_is_num(g, GV_F_GPU_TEMP, -2);
	assert_int_equal(run->findings.n, 0);
	gv_test_end(run);
}

/* A GPU's line also heads what other commands say of it: a list before it ends above it, and is not known to be whole. */
static void list_above_links(void **state)
{
	struct gv_run *run = gv_test_run("c2c.txt",
					 "GPU 0: NVIDIA GH200 480GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
					 "GPU 1: NVIDIA GH200 480GB (UUID: GPU-00000000-0000-0000-0000-000000000002)\n"
					 "GPU 2: NVIDIA GH200 480GB (UUID: GPU-00000000-0000-0000-0000-000000000003)\n"
					 "\t C2C Link 0: 44.712 GB/s\n",
					 NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 3);
	assert_false(gv_num(gv_test_node(run), GV_F_GPU_COUNT, NULL));
	gv_test_end(run);
}

static void list(void **state)
{
	struct gv_run *run = gv_test_run("l.txt",
					 "GPU 0: NVIDIA Test 40GB (UUID: GPU-aa)\n"
					 "  MIG 3g.20gb     Device  0: (UUID: MIG-11)\n"
					 "  MIG 3g.20gb     Device  1: (UUID: MIG-12)\n"
					 "GPU 1: NVIDIA Test 40GB (UUID: GPU-bb)\n",
					 NULL);

	gv_test_is_num(gv_test_node(run), GV_F_GPU_COUNT, 2);
	gv_test_is_text(gpu(run, "0"), GV_F_GPU_NAME, "NVIDIA Test 40GB");
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_UUID, "GPU-bb");
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MIG_DEVICES, 2);
	assert_none(gpu(run, "1"), GV_F_GPU_MIG_DEVICES);
	gv_test_end(run);

	run = gv_test_run("l.txt", "GPU 6: NVIDIA Test (UUID: GPU-aa)\nGPU 7: NVIDIA Test (UUID: GPU-bb)\n", NULL);
	if (gv_each(run, GV_NODE, NULL, NULL))
		assert_none(gv_test_node(run), GV_F_GPU_COUNT);
	gv_test_end(run);

	run = gv_test_run("l.txt",
			  "GPU 0: NVIDIA Test (UUID: GPU-aa)\n"
			  "Unable to determine the device handle for GPU1: 0000:24:00.0: Unknown Error\n",
			  NULL);
	assert_none(gv_test_node(run), GV_F_GPU_COUNT);
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_BROKEN, "Unknown Error");
	gv_test_end(run);
}

static void errors(void **state)
{
	static const struct {
		const char *text, *bus, *why;
	} handles[] = {
		{ "Unable to determine the device handle for GPU 0000:05:00.0: GPU is lost.  Reboot the system to "
		  "recover this GPU\n",
		  "0000:05:00.0", "GPU is lost" },
		{ "Unable to determine the device handle for gpu 0000:05:00.0: Unknown Error\n", "0000:05:00.0",
		  "Unknown Error" },
		{ "Unable to determine the device handle for GPU0: 0000:24:00.0: Unknown Error\n", "0000:24:00.0",
		  "Unknown Error" },
		{ "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error\nNo devices were found\n",
		  "0000:91:00.0", "Unknown Error" },
	};
	struct gv_run *run;

	for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
		struct gv_entity *e;

		run = gv_test_run("smi.txt", handles[i].text, NULL);
		e = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, gv_str_of(handles[i].bus));
		assert_non_null(e);
		gv_test_is_text(e, GV_F_GPU_BROKEN, handles[i].why);
		assert_true(gv_starts(gv_text(gv_test_node(run), GV_F_GPU_TOOL_ERROR), "Unable to determine"));
		assert_none(gv_test_node(run), GV_F_GPU_COUNT);
		gv_test_end(run);
	}
	run = gv_test_run("smi.txt",
			  "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.211\n",
			  NULL);
	gv_test_is_text(gv_test_node(run), GV_F_GPU_TOOL_ERROR, "Failed to initialize NVML: Driver/library version mismatch");
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_USER, "570.211");
	gv_test_end(run);

	run = gv_test_run("p.txt", "u@h:~$ docker exec -it c nvidia-smi\nNo devices were found\n", NULL);
	gv_test_is_num(gv_test_node(run), GV_F_GPU_CONTAINER_COUNT, 0);
	assert_none(gv_test_node(run), GV_F_GPU_TOOL_ERROR);
	gv_test_end(run);
}

static void persistence(void **state)
{
	struct gv_run *run = gv_test_run("pm.txt",
					 "Enabled persistence mode for GPU 00000000:41:00.0.\n"
					 "Persistence mode is already Enabled for GPU 00000000:C1:00.0.\nAll done.\n",
					 NULL);
	struct gv_entity *a = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:41:00.0"));
	struct gv_entity *b = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:c1:00.0"));

	gv_test_is_num(gv_test_node(run), GV_F_PERSISTENCE_SET, 1);
	gv_test_is_num(a, GV_F_GPU_PERSISTENCE, 1);
	gv_test_is_num(b, GV_F_GPU_PERSISTENCE, 1);
	gv_test_end(run);

	run = gv_test_run("pm.txt", "Disabled persistence mode for GPU 00000000:41:00.0.\n", NULL);
	gv_test_is_num(gv_test_node(run), GV_F_PERSISTENCE_SET, 0);
	gv_test_end(run);
}

static void csv_series(void **state)
{
	struct gv_run *run = gv_test_run(
	    "q.csv",
	    "timestamp, index, utilization.gpu [%], power.draw [W], power.limit [W], enforced.power.limit [W], "
	    "clocks_throttle_reasons.active\n"
	    "2026/07/14 08:12:38.000, 0, 10 %, 100.50 W, 400.00 W, 300.00 W, 0x0000000000000004\n"
	    "2026/07/14 08:12:38.010, 1, 90 %, [N/A], 400.00 W, [N/A], 0x0000000000000088\n"
	    "2026/07/14 08:12:39.000, 0, 30 %, 110.50 W, 400.00 W, 300.00 W, 0x0000000000000001\n"
	    "2026/07/14 08:12:39.010, 1, [Unknown Error], [N/A], 400.00 W, [N/A], 0x0000000000000088\n",
	    NULL);
	const struct gv_obs *v[8];

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_int_equal(gv_series(gpu(run, "0"), GV_F_GPU_UTIL, v, 8), 2);
	assert_true(v[0]->num == 10 && v[1]->num == 30 && v[0]->sample == 0 && v[1]->sample == 1);
	assert_int_equal(gv_series(gpu(run, "1"), GV_F_GPU_UTIL, v, 8), 1);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_POWER_LIMIT, 300); /* in force */
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_POWER_LIMIT, 400); /* asked for, where that one is not known */
	assert_none(gpu(run, "1"), GV_F_GPU_POWER);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_CAP_IDLE, 1);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_CAP_POWER, 0);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_CAP_HW, 1);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_CAP_BRAKE, 1);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_CAP_HW_THERMAL, 0);
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_BROKEN, "[Unknown Error]");
	assert_none(gpu(run, "0"), GV_F_GPU_BROKEN);
	assert_int_equal((long long)run->blocks.v[0]->when.t, 1784016758);
	gv_test_end(run);
}

/* Rows that name no GPU: stamps, the command line, or nothing tell what they are. */
static void csv_without_index(void **state)
{
	const struct gv_obs *v[8];
	struct gv_run *run =
	    gv_test_run("q.csv",
			"timestamp, utilization.gpu [%]\n2026/07/14 08:12:38.000, 5 %\n2026/07/14 08:12:38.500, 6 %\n"
			"2026/07/14 08:12:39.000, 7 %\n",
			NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	assert_int_equal(gv_series(gv_each(run, GV_GPU, NULL, NULL), GV_F_GPU_UTIL, v, 8), 3);
	gv_test_end(run);

	run = gv_test_run("q.csv",
			  "timestamp, utilization.gpu\n2026/07/14 08:12:38.000, 5\n2026/07/14 08:12:38.010, 6\n"
			  "2026/07/14 08:12:39.000, 7\n2026/07/14 08:12:39.011, 8\n",
			  NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_int_equal(gv_series(gpu(run, "1"), GV_F_GPU_UTIL, v, 8), 2);
	assert_true(v[0]->num == 6 && v[1]->num == 8);
	gv_test_end(run);

	run = gv_test_run("p.txt",
			  "u@h:~$ nvidia-smi --query-gpu=pstate,memory.used --format=csv\npstate, memory.used "
			  "[MiB]\nP0, 5 MiB\nP8, 6 MiB\n",
			  NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_MEM_USED, 6);
	gv_test_end(run);

	run = gv_test_run("p.txt",
			  "u@h:~$ nvidia-smi --query-gpu=pstate,memory.used --format=csv -l 1\npstate, memory.used "
			  "[MiB]\nP0, 5 MiB\nP8, 6 MiB\n",
			  NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_end(run);
}

static void csv_without_header(void **state)
{
	struct gv_run *run =
	    gv_test_run("p.txt",
			"u@h:~$ nvidia-smi --query-gpu=index,name,memory.used --format=csv,noheader\n"
			"0, NVIDIA Test, 5 MiB\n1, NVIDIA Test, 6 MiB\nThat is all, as said, 7 times\n",
			NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_MEM_USED, 6);
	assert_int_equal(run->blocks.v[0]->n, 2);
	gv_test_end(run);

	/* nobody knows what the columns are once a pipe has cut them */
	run = gv_test_run(
	    "p.txt",
	    "u@h:~$ nvidia-smi --query-gpu=index,name,memory.used --format=csv,noheader | awk '{print $2,$1}'\n"
	    "0, NVIDIA Test, 5 MiB\n",
	    NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 0);
	gv_test_end(run);
}

static void csv_processes(void **state)
{
	struct gv_run *run = gv_test_run("p.csv",
					 "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
					 "GPU-aa, 17, python, with, commas, 41234 MiB\n"
					 "GPU-aa, 18, tritonserver, [N/A]\n"
					 "This sentence, with its commas, is, no row\n",
					 NULL);
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, GV_KEY_UUID, GV_STR("GPU-aa"));

	gv_test_is_num(e, GV_F_GPU_PROCESS_LIST, 1);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 2);
	gv_test_is_text(proc(run, "17"), GV_F_PROC_NAME, "python, with, commas");
	gv_test_is_num(proc(run, "17"), GV_F_PROC_GPU_MEM, 41234);
	assert_ptr_equal(proc(run, "18")->parent, e);
	assert_none(proc(run, "18"), GV_F_PROC_GPU_MEM);
	gv_test_end(run);

	run = gv_test_run("p.csv", "pid, process_name, used_gpu_memory [MiB]\n17, python, 3 MiB\n", NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 0);
	assert_null(proc(run, "17")->parent);
	gv_test_end(run);

	/* processes of the past hold nothing now */
	run = gv_test_run("p.csv",
			  "gpu_uuid, pid, gpu_utilization [%], max_memory_usage [MiB]\nGPU-aa, 17, 3 %, 4 MiB\n", NULL);
	assert_int_equal(gv_count(run, GV_PROC, NULL), 0);
	gv_test_end(run);
}

/* Cells of all readers. */
static void cells(void **state)
{
	static const struct {
		enum gv_fact f;
		const char *cell;
		double want; /* NaN: no number */
	} v[] = {
		{ GV_F_GPU_MEM_USED, "61234MiB", 61234 },
		{ GV_F_GPU_MEM_USED, "2 GiB", 2048 },
		{ GV_F_GPU_MEM_USED, "1024 KiB", 1 },
		{ GV_F_GPU_MEM_USED, "1,234 MiB", 1234 },
		{ GV_F_GPU_MEM_USED, "512", 512 },
		{ GV_F_GPU_POWER, "265W", 265 },
		{ GV_F_GPU_POWER, "2650 mW", 2.65 },
		{ GV_F_GPU_TEMP, "56C", 56 },
		{ GV_F_GPU_TEMP_MARGIN, "-3 C", -3 },
		{ GV_F_GPU_CLK_SM, "1.4 GHz", 1400 },
		{ GV_F_GPU_UTIL, "92 %", 92 },
		{ GV_F_GPU_PCIE_WIDTH, "16x", 16 },
		{ GV_F_GPU_PCIE_WIDTH, "x8", 8 },
		{ GV_F_GPU_PCIE_RX, "2000 KB/s", 2 },
		{ GV_F_IDLE, "12,50", 12.5 },
		{ GV_F_MEM_TOTAL, "2 GiB", 2097152 },
		{ GV_F_GPU_UTIL, "0x10", 16 },
		{ GV_F_GPU_UTIL, "[N/A]", NAN },
		{ GV_F_GPU_UTIL, "12:30", NAN },
		{ GV_F_GPU_UTIL, "0-15", NAN },
		{ GV_F_GPU_UTIL, "0x", NAN },
		{ GV_F_GPU_UTIL, "", NAN },
		{ GV_F_GPU_UTIL, "1e999", NAN },
		{ GV_F_GPU_UTIL, "ERR!", NAN },
	};
	struct gv_run *run = gv_test_run("empty.txt", "\n", NULL);
	struct gv_block block = { .doc = run->docs.v[0] };
	struct gv_read r = { run, run->arena, run->docs.v[0], &block };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct gv_entity *e = gv_see(&r, gv_fact_info[v[i].f].over, GV_NONE);
		bool ok = gv_put_cell(&r, e, v[i].f, gv_str_of(v[i].cell), &r.doc->lines[0]);
		const struct gv_obs *o = &gv_slot_of(e, v[i].f)->v[0];

		if (ok == isnan(v[i].want) || (ok && fabs(o->num - v[i].want) > 1e-9))
			fail_msg("\"%s\" reads as %s %g", v[i].cell, ok ? "number" : "nothing", o->num);
		assert_true(ok || o->reason);
	}
	gv_test_end(run);
}

static void no_value(void **state)
{
	static const struct {
		const char *text;
		enum gv_state want;
	} v[] = {
		{ "N/A", GV_NOT_APPLICABLE },
		{ "[N/A]", GV_NOT_APPLICABLE },
		{ "-", GV_NOT_APPLICABLE },
		{ "[Not Supported]", GV_NOT_APPLICABLE },
		{ "Requested functionality has been deprecated", GV_NOT_APPLICABLE },
		{ "[Unknown Error]", GV_UNKNOWN },
		{ "ERR!", GV_UNKNOWN },
		{ "[GPU requires reset]", GV_UNKNOWN },
		{ "", GV_UNKNOWN },
		{ "0", GV_KNOWN },
		{ "-5", GV_KNOWN },
		{ "Default", GV_KNOWN },
		{ "Unknown Processor Co.", GV_KNOWN },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const char *why = NULL;
		enum gv_state got = gv_no_value(gv_str_of(v[i].text), &why);

		if (got != v[i].want || (got != GV_KNOWN && !why))
			fail_msg("\"%s\" is state %d", v[i].text, (int)got);
	}
}

static void columns_and_keys(void **state)
{
	struct gv_columns c;
	gv_str w[8], key, value;
	size_t n;

	gv_columns(&c, GV_STR("Device \t r/s   w/s %util"));
	assert_int_equal(c.n, 4);
	assert_int_equal(gv_column(&c, "w/s"), 2);
	assert_true(gv_column(&c, "wkB/s") == SIZE_MAX);
	n = gv_words(GV_STR("sda 1.0 2.0"), w, 8);
	assert_true(gv_is(gv_cell_of(&c, w, n, "w/s"), "2.0"));
	assert_int_equal(gv_cell_of(&c, w, n, "%util").n, 0); /* the row is shorter than its header */
	assert_int_equal(gv_cell_of(&c, w, n, "none").n, 0);
	assert_true(gv_key_value(GV_STR("  Bus Id : 00000000:41:00.0 "), &key, &value));
	assert_true(gv_is(key, "Bus Id") && gv_is(value, "00000000:41:00.0"));
	assert_true(gv_key_value(GV_STR("Processes:"), &key, &value));
	assert_int_equal(value.n, 0);
	assert_false(gv_key_value(GV_STR("GPU 00000000:41:00.0"), &key, &value));
}

static void csv_sick_cells(void **state)
{
	struct gv_run *run = gv_test_run(
	    "q.csv",
	    "index, temperature.gpu, power.draw [W], memory.used [MiB], utilization.gpu [%]\n"
	    "0, 40, [Unknown Error], 0 MiB, 0 %\n" /* a power sensor alone */
	    "1, [Unknown Error], [Unknown Error], [Unknown Error], 0 %\n"
	    "2, 40, 90.10 W, [GPU requires reset], 0 %\n",
	    NULL);

	assert_none(gpu(run, "0"), GV_F_GPU_BROKEN);
	assert_none(gpu(run, "0"), GV_F_GPU_POWER);
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_BROKEN, "[Unknown Error]");
	gv_test_is_text(gpu(run, "2"), GV_F_GPU_BROKEN, "[GPU requires reset]");
	gv_test_end(run);
}

static void csv_sum_of_parts(void **state)
{
	struct gv_run *run = gv_test_run(
	    "q.csv",
	    "index, ecc.errors.uncorrected.volatile.dram, ecc.errors.uncorrected.volatile.sram\n0, 2, 3\n1, [N/A], [N/A]\n",
	    "r.csv",
	    "index, ecc.errors.uncorrected.volatile.dram, ecc.errors.uncorrected.volatile.total\n2, 2, 7\n", NULL);

	gv_test_is_num(gpu(run, "0"), GV_F_GPU_ECC_UNC, 5);
	assert_none(gpu(run, "1"), GV_F_GPU_ECC_UNC);
	gv_test_is_num(gpu(run, "2"), GV_F_GPU_ECC_UNC, 7);
	gv_test_end(run);
}

static void csv_retired_pages(void **state)
{
	struct gv_run *run = gv_test_run(
	    "p.txt",
	    "$ nvidia-smi --query-retired-pages=gpu_bus_id,retired_pages.address,retired_pages.cause --format=csv,noheader\n"
	    "00000000:1A:00.0, 0x0000000000000001, Double Bit ECC\n"
	    "00000000:1A:00.0, 0x0000000000000002, Double Bit ECC\n"
	    "00000000:1A:00.0, 0x0000000000000003, Multiple Single Bit ECC\n"
	    "00000000:1C:00.0, [N/A], Double Bit ECC\n",
	    NULL);
	struct gv_entity *a = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:1a:00.0"));
	struct gv_entity *b = gv_by_key(run, GV_GPU, NULL, GV_KEY_BUS, GV_STR("0000:1c:00.0"));

	assert_true(a && b);
	gv_test_is_num(a, GV_F_GPU_RETIRED_DBE, 2);
	gv_test_is_num(a, GV_F_GPU_RETIRED_SBE, 1);
	assert_none(b, GV_F_GPU_RETIRED_DBE);
	gv_test_end(run);
}

/* Rows of bare numbers below the command that asked for them; not those of a loop. */
static void csv_bare_numbers(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "$ nvidia-smi --query-gpu=index,temperature.gpu --format=csv,noheader,nounits\n"
					 "0, 41\n1, 77\n"
					 "$ nvidia-smi --query-accounted-apps=pid,time --format=csv,noheader\n812, 900 ms\n"
					 "$ for i in 2 3; do nvidia-smi -i $i --query-gpu=temperature.gpu --format=csv,noheader; done\n"
					 "90\n91\n",
					 NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_TEMP, 77);
	for (const struct gv_entity *p = NULL; (p = gv_each(run, GV_PROC, NULL, p));)
		assert_none(p, GV_F_PROC_GPU_MEM);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_whole_and_squeezed),
		cmocka_unit_test(table_cut_at_the_top),
		cmocka_unit_test(table_cut_at_the_end),
		cmocka_unit_test(table_of_old_drivers),
		cmocka_unit_test(table_of_sick_and_split_gpus),
		cmocka_unit_test(table_counts),
		cmocka_unit_test(table_loop),
		cmocka_unit_test(foreign_tables_are_left),
		cmocka_unit_test(impossible),
		cmocka_unit_test(list_above_links),
		cmocka_unit_test(list),
		cmocka_unit_test(errors),
		cmocka_unit_test(persistence),
		cmocka_unit_test(csv_series),
		cmocka_unit_test(csv_without_index),
		cmocka_unit_test(csv_without_header),
		cmocka_unit_test(csv_processes),
		cmocka_unit_test(csv_sick_cells),
		cmocka_unit_test(csv_sum_of_parts),
		cmocka_unit_test(csv_retired_pages),
		cmocka_unit_test(csv_bare_numbers),
		cmocka_unit_test(cells),
		cmocka_unit_test(no_value),
		cmocka_unit_test(columns_and_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
