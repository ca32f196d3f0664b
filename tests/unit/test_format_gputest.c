/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that run on GPUs, deviceQuery, gpustat and nvtop, and the sections of nvidia-bug-report.sh: the spots where a
 * reading goes wrong without a word. */
#include "pipeline.h"

#include "core/evidence.h"

static struct gv_entity *test_of(const struct gv_run *run, const char *id)
{
	struct gv_entity *e = gv_by_id(run, GV_TEST, NULL, gv_str_of(id));

	assert_non_null(e);
	return e;
}

static struct gv_entity *gpu_of(const struct gv_run *run, enum gv_key key, const char *value)
{
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, key, gv_str_of(value));

	assert_non_null(e);
	return e;
}

static void test_burn_remembers_errors_of_an_earlier_summary(void **state)
{
	struct gv_run *run = gv_test_run(
	    "burn.txt",
	    "10.0%  proc'd: 90 (14000 Gflop/s) - 80 (13900 Gflop/s)   errors: 0 - 7  (WARNING!)  temps: 50 C - 51 C \r"
	    "20.0%  proc'd: 180 (14010 Gflop/s) - 160 (13910 Gflop/s)   errors: 0 - 9  (WARNING!)  temps: 52 C - 53 C "
	    "\n"
	    "\tSummary at:   Mon Jan  5 10:11:12 UTC 2026\n\n"
	    "100.0%  proc'd: 900 (14020 Gflop/s) - 800 (13920 Gflop/s)   errors: 0 - 0   temps: 60 C - --   power: 248 "
	    "W - -- \n"
	    "Killing processes.. done\n\n"
	    "Tested 2 GPUs:\n\tGPU 0: OK\n\tGPU 1: FAULTY\n",
	    NULL);

	gv_test_is_num(test_of(run, "gpu-burn gpu1"), GV_F_TEST_ERRORS, 9);
	gv_test_is_num(test_of(run, "gpu-burn gpu1"), GV_F_TEST_GFLOPS, 13920);
	gv_test_is_num(test_of(run, "gpu-burn gpu1"), GV_F_TEST_TEMP, 53);
	gv_test_is_text(test_of(run, "gpu-burn gpu1"), GV_F_TEST_RESULT, "FAULTY");
	gv_test_is_num(test_of(run, "gpu-burn gpu0"), GV_F_TEST_ERRORS, 0);
	gv_test_is_num(test_of(run, "gpu-burn gpu0"), GV_F_TEST_TEMP, 60);
	gv_test_verdict(run, GV_K_ECC_UNCORRECTABLE);
	gv_test_end(run);
}

static void test_burn_of_one_gpu_by_number(void **state)
{
	struct gv_run *run =
	    gv_test_run("burn.txt",
			"$ ./gpu_burn -i 3 60\n"
			"100.0%  proc'd: 900 (14020 Gflop/s)   errors: -524288000  (WARNING!)  temps: 60 C \n"
			"Tested 1 GPUs:\n\tGPU 0: FAULTY\n",
			NULL);

	gv_test_is_num(test_of(run, "gpu-burn gpu3"), GV_F_TEST_ERRORS, 524288000);
	assert_false(gv_num(test_of(run, "gpu-burn gpu3"), GV_F_TEST_TEMP, NULL));
	gv_test_end(run);
}

static void test_a_burn_that_died_counts_nothing(void **state)
{
	struct gv_run *run = gv_test_run(
	    "burn.txt",
	    "50.0%  proc'd: -1 (0 Gflop/s) - 0 (0 Gflop/s)   errors: 1641686072  (DIED!)- 0   temps: 33 C - 29 C \n"
	    "Tested 2 GPUs:\n\tGPU 0: FAULTY\n\tGPU 1: OK\n",
	    NULL);

	gv_test_is_text(test_of(run, "gpu-burn gpu0"), GV_F_TEST_RESULT, "DIED");
	assert_false(gv_num(test_of(run, "gpu-burn gpu0"), GV_F_TEST_ERRORS, NULL));
	gv_test_verdict(run, GV_KINDS);
	gv_test_end(run);
}

static void test_bandwidth_of_the_largest_transfer(void **state)
{
	struct gv_run *run = gv_test_run(
	    "bw.txt",
	    "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Tesla T4\n Range Mode\n\n"
	    " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
	    "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   1000\t\t\t0.4\n   32000000\t\t\t12.3\n   2000\t\t\t0.7\n\n"
	    " Device to Host Bandwidth, 1 Device(s)\n PAGEABLE Memory Transfers\n"
	    "   Transfer Size (Bytes)\tBandwidth(MB/s)\n   32000000\t\t\t3100.5\n\n"
	    "Result = PASS\n\nNOTE: The CUDA Samples are not meant for performance measurements.\n",
	    NULL);
	struct gv_entity *h2d = test_of(run, "bandwidthTest host_to_device_pinned gpu0");

	gv_test_is_num(h2d, GV_F_TEST_BW, 12.3e9);
	gv_test_is_num(h2d, GV_F_TEST_BS, 32000000);
	gv_test_is_text(h2d, GV_F_TEST_DEVICE, "Tesla T4");
	gv_test_is_num(test_of(run, "bandwidthTest device_to_host_pageable gpu0"), GV_F_TEST_BW, 3100.5e6);
	gv_test_end(run);
}

static void test_p2p_reads_do_not_replace_writes(void **state)
{
	struct gv_run *run = gv_test_run("p2p.txt",
					 "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
					 "Device: 0, NVIDIA A40, pciBusID: 5d, pciDeviceID: 0, pciDomainID:1\n"
					 "Device: 1, NVIDIA A40, pciBusID: 5e, pciDeviceID: 0, pciDomainID:1\n"
					 "Device=0 CAN Access Peer Device=1\nDevice=1 CANNOT Access Peer Device=0\n\n"
					 "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1 \n "
					 "    0 911.08  20.10 \n     1  20.39 920.20 \n"
					 "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     "
					 "0      1 \n     0 912.68  25.90 \n     1  20.90 922.37 \n"
					 "Unidirectional P2P=Enabled Bandwidth (P2P Reads) Matrix (GB/s)\n   D\\D     "
					 "0      1 \n     0 911.08  19.90 \n     1  19.90 922.37 \n"
					 "P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1 \n     0   "
					 "2.30   2.52 \n     1   2.50   2.31 \n\n"
					 "   CPU     0      1 \n     0   2.60   9.10 \n     1   9.11   2.57 \n",
					 NULL);
	struct gv_entity *e = test_of(run, "p2pBandwidthLatencyTest gpu0 gpu1");

	gv_test_is_num(e, GV_F_TEST_BW, 25.9e9);
	gv_test_is_num(e, GV_F_TEST_BW_STAGED, 20.1e9);
	gv_test_is_num(e, GV_F_TEST_LATENCY, 2.52);
	gv_test_is_num(e, GV_F_TEST_PEER_ACCESS, 1);
	gv_test_is_text(e, GV_F_TEST_GPU, "0001:5d:00.0");
	gv_test_is_text(e, GV_F_TEST_PEER, "0001:5e:00.0");
	gv_test_is_num(test_of(run, "p2pBandwidthLatencyTest gpu1 gpu0"), GV_F_TEST_PEER_ACCESS, 0);
	gpu_of(run, GV_KEY_BUS, "0001:5d:00.0");
	gv_test_end(run);
}

static void test_nvbandwidth_text_and_json(void **state)
{
	struct gv_run *run = gv_test_run(
	    "text.txt",
	    "Running device_to_device_memcpy_read_ce.\n"
	    "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A     26.34\n 1    "
	    " 22.64       N/A\n\n"
	    "SUM device_to_device_memcpy_read_ce 48.98\n\n"
	    "Running host_device_latency_sm.\n"
	    "memory latency SM CPU(row) <-> GPU(column) (ns)\n           0         1\n 0    731.20    940.10\n",
	    "json.txt",
	    "{\"nvbandwidth\":{\"testcases\":[{\"bandwidth_matrix\":[[\"12.5\",\"N/"
	    "A\"]],\"name\":\"host_to_device_memcpy_ce\","
	    "\"bandwidth_description\":\"memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\",\"status\":\"Passed\"},"
	    "{\"name\":\"device_local_copy\",\"status\":\"Waived\"}]}}\n",
	    NULL);

	gv_test_is_num(test_of(run, "nvbandwidth device_to_device_memcpy_read_ce gpu1 gpu0"), GV_F_TEST_BW, 26.34e9);
	gv_test_is_num(test_of(run, "nvbandwidth device_to_device_memcpy_read_ce gpu0 gpu1"), GV_F_TEST_BW, 22.64e9);
	gv_test_is_num(test_of(run, "nvbandwidth host_device_latency_sm gpu1"), GV_F_TEST_LATENCY, 0.9401);
	gv_test_is_num(test_of(run, "nvbandwidth host_to_device_memcpy_ce gpu0"), GV_F_TEST_BW, 12.5e9);
	assert_null(gv_by_id(run, GV_TEST, NULL, GV_STR("nvbandwidth host_to_device_memcpy_ce gpu1")));
	gv_test_end(run);
}

static void test_device_query_of_a_mig_device(void **state)
{
	struct gv_run *run = gv_test_run(
	    "dq.txt",
	    "./deviceQuery Starting...\n\n CUDA Device Query (Runtime API) version (CUDART static linking)\n\n"
	    "Detected 1 CUDA Capable device(s)\n\n"
	    "Device 0: \"NVIDIA A100-SXM4-40GB MIG 1g.5gb\"\n"
	    "  CUDA Driver Version / Runtime Version          12.4 / 11.8\n"
	    "  CUDA Capability Major/Minor version number:    8.0\n"
	    "  GPU Max Clock rate:                            1410 MHz (1.41 GHz)\n"
	    "  Device has ECC support:                        Enabled\n"
	    "  Device PCI Domain ID / Bus ID / location ID:   1 / 202 / 0\n"
	    "  Compute Mode:\n"
	    "     < Exclusive Process (many threads in one process is able to use ::cudaSetDevice() with this device) "
	    ">\n\n"
	    "Result = PASS\n",
	    NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_BUS, "0001:ca:00.0");

	gv_test_is_text(g, GV_F_GPU_NAME, "NVIDIA A100-SXM4-40GB");
	gv_test_is_text(g, GV_F_GPU_MIG, "Enabled");
	gv_test_is_text(g, GV_F_GPU_COMPUTE_CAP, "8.0");
	gv_test_is_text(g, GV_F_GPU_COMPUTE_MODE, "Exclusive_Process");
	gv_test_is_num(g, GV_F_GPU_CLK_MAX_SM, 1410);
	gv_test_is_num(gv_test_node(run), GV_F_CUDA_DEVICES, 1);
	gv_test_is_num(gv_test_node(run), GV_F_CUDA_RUNTIME, 11.8);
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_CUDA_MAX, 12.4);
	gv_test_is_text(test_of(run, "deviceQuery"), GV_F_TEST_RESULT, "PASS");
	gv_test_end(run);
}

static void test_gpustat_tells_fan_from_use(void **state)
{
	struct gv_run *run = gv_test_run(
	    "gpustat.txt",
	    "node05  Thu Feb 12 10:20:31 2026  470.57.02\n"
	    "[0] GeForce GTX Titan X | 77'C,  45 %,  96 %, 212 / 250 W | 11848 / 12287 MB | python/52046(11821M)\n"
	    "[1] Tesla P100-PCIE-16GB | 27'C,   0 % |   103 / 16384 MB |\n",
	    NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_INDEX, "0");

	gv_test_is_num(g, GV_F_GPU_FAN, 45);
	gv_test_is_num(g, GV_F_GPU_UTIL, 96);
	gv_test_is_num(g, GV_F_GPU_POWER_LIMIT, 250);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 11848);
	gv_test_is_num(gpu_of(run, GV_KEY_INDEX, "1"), GV_F_GPU_UTIL, 0);
	assert_false(gv_num(gpu_of(run, GV_KEY_INDEX, "1"), GV_F_GPU_FAN, NULL));
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "470.57.02");
	gv_test_end(run);
}

static void test_nvtop_of_one_and_of_two_vendors(void **state)
{
	static const char one[] =
	    "[\n  {\n   \"device_name\": \"NVIDIA L4\",\n   \"gpu_clock\": \"2040MHz\",\n   \"temp\": \"118F\",\n"
	    "   \"fan_speed\": null,\n   \"gpu_util\": \"7%\",\n   \"mem_used\": \"1073741824\",\n   \"processes\" : "
	    "[\n"
	    "    { \"pid\": \"42\", \"temp\": \"1C\" }\n   ]\n  }\n]\n";
	static const char two[] =
	    "[{\"device_name\": \"NVIDIA L4\", \"gpu_clock\": \"300MHz\", \"temp\": \"40C\"},\n"
	    " {\"device_name\": \"AMD Radeon 680M\", \"gpu_clock\": \"900MHz\", \"temp\": \"50C\"}]\n";
	struct gv_run *run = gv_test_run("nvtop.json", one, NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_INDEX, "0");

	gv_test_is_num(g, GV_F_GPU_CLK_SM, 2040);
	gv_test_is_num(g, GV_F_GPU_UTIL, 7);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 1024);
	assert_false(gv_num(g, GV_F_GPU_TEMP, NULL)); /* in another unit, and that of a process */
	gv_test_end(run);
	run = gv_test_run("nvtop.json", two, NULL);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_null(gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, GV_STR("1"))); /* its number counts over both vendors */
	gv_test_end(run);
}

#define BAR "\xe2\x94\x82"
#define LINE "\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80\xe2\x94\xa4\n"

static void test_nvitop_full_and_compact(void **state)
{
	struct gv_run *run = gv_test_run(
	    "full.txt",
	    BAR " NVITOP 1.4.2       Driver Version: 550.90.12      CUDA Driver Version: 12.4 " BAR "\n" LINE BAR
		" GPU  Name        Persistence-M" BAR " Bus-Id        Disp.A " BAR " MIG M.   Uncorr. ECC " BAR "\n" BAR
		" Fan  Temp  Perf  Pwr:Usage/Cap" BAR "         Memory-Usage " BAR " GPU-Util  Compute M. " BAR
		"\n" LINE BAR "   0  H800                Off  " BAR " 00000000:18:00.0 Off " BAR
		" Disabled           0 " BAR " MEM: 0.0% " BAR "\n" BAR " N/A   36C    P0    85W / 700W " BAR
		"   3.50MiB / 79.65GiB " BAR "      7%      Default " BAR " UTL: 0% " BAR "\n" LINE,
	    NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_BUS, "0000:18:00.0");

	gv_test_is_text(g, GV_F_GPU_NAME, "H800");
	gv_test_is_num(g, GV_F_GPU_PERSISTENCE, 0);
	gv_test_is_num(g, GV_F_GPU_ECC_UNC, 0);
	gv_test_is_text(g, GV_F_GPU_MIG, "Disabled");
	gv_test_is_num(g, GV_F_GPU_POWER, 85);
	gv_test_is_num(g, GV_F_GPU_POWER_LIMIT, 700);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 3.5);
	gv_test_is_num(g, GV_F_GPU_MEM_TOTAL, 79.65 * 1024);
	gv_test_is_num(g, GV_F_GPU_UTIL, 7);
	assert_false(gv_num(g, GV_F_GPU_FAN, NULL));
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "550.90.12");
	gv_test_end(run);
	run = gv_test_run("compact.txt",
			  BAR " NVITOP 1.3.2        Driver Version: 570.144       CUDA Driver Version: 12.8 " BAR
			      "\n" LINE BAR " GPU Fan Temp Perf Pwr:Usg/Cap " BAR "         Memory-Usage " BAR
			      " GPU-Util  Compute M. " BAR "\n" LINE BAR "   4 30%  35C  P8   14W / 300W " BAR
			      "  22.69MiB / 47.99GiB " BAR "      0%      Default " BAR " MEM: 0.0% " BAR "\n",
			  NULL);
	g = gpu_of(run, GV_KEY_INDEX, "4");
	gv_test_is_num(g, GV_F_GPU_FAN, 30);
	gv_test_is_num(g, GV_F_GPU_TEMP, 35);
	gv_test_is_text(g, GV_F_GPU_PSTATE, "P8");
	gv_test_end(run);
}

static void test_settings_of_the_gpu_before_the_screen(void **state)
{
	struct gv_run *run = gv_test_run(
	    "settings.txt",
	    "  Attribute 'GPUCoreTemp' (node05:0.0): 99.\n    'GPUCoreTemp' is an integer attribute.\n\n"
	    "  Attribute 'NvidiaDriverVersion' (node05:0.0): 520.56.06 \n\n"
	    "  Attribute 'GPUCoreTemp' (node05:0[gpu:0]): 56.\n    'GPUCoreTemp' is a read-only attribute.\n"
	    "  Attribute 'GPUUtilization' (node05:0[gpu:0]): graphics=3, memory=4, video=0, PCIe=1\n"
	    "  Attribute 'UsedDedicatedGPUMemory' (node05:0[gpu:0]): 423.\n"
	    "  Attribute 'GPUCurrentFanSpeed' (node05:0[fan:0]): 30.\n",
	    NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_INDEX, "0");

	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_is_num(g, GV_F_GPU_TEMP, 56);
	gv_test_is_num(g, GV_F_GPU_UTIL, 3);
	gv_test_is_num(g, GV_F_GPU_MEM_USED, 423);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "520.56.06");
	gv_test_end(run);
}

static void test_sections_of_a_bug_report(void **state)
{
	struct gv_sections s = { 0 };
	struct gv_arena *a = gv_arena_new();
	gv_str cmd;

	assert_int_equal(gv_section(a, &s, GV_STR("____________________________________________"), &cmd),
			 GV_SECTION_NONE);
	assert_int_equal(gv_section(a, &s, GV_STR("Layer (type)    Output Shape    Param #"), &cmd), GV_SECTION_NONE);
	assert_false(s.inside); /* other programs print such rules */
	assert_int_equal(gv_section(a, &s, GV_STR("*** /proc/driver/nvidia/./version"), &cmd), GV_SECTION_BEGINS);
	assert_true(gv_is(cmd, "cat /proc/driver/nvidia/version"));
	assert_int_equal(gv_section(a, &s,
				    GV_STR("*** ls: -r--r--r-- 1 root root 0 2026-02-10 /proc/driver/nvidia/./version"),
				    &cmd),
			 GV_SECTION_GOES_ON);
	assert_int_equal(gv_section(a, &s, GV_STR("*** /proc/pci does not exist"), &cmd), GV_SECTION_BEGINS);
	assert_int_equal(cmd.n, 0);
	assert_int_equal(gv_section(a, &s, GV_STR("____________________________________________"), &cmd),
			 GV_SECTION_BEGINS);
	assert_int_equal(gv_section(a, &s, GV_STR(""), &cmd), GV_SECTION_NONE);
	assert_int_equal(gv_section(a, &s, GV_STR("dmesg:"), &cmd), GV_SECTION_BEGINS);
	assert_true(gv_is(cmd, "dmesg"));
	assert_int_equal(gv_section(a, &s, GV_STR("dmesg:"), &cmd), GV_SECTION_NONE); /* no rule above it */
	assert_int_equal(gv_section(a, &s, GV_STR("  journalctl -b -1:"), &cmd), GV_SECTION_BEGINS);
	assert_true(gv_cmd_earlier_boot(cmd));
	gv_arena_free(a);
}

static void test_which_boot_a_command_shows(void **state)
{
	assert_true(gv_cmd_earlier_boot(GV_STR("sudo journalctl -k -b -1 --no-pager")));
	assert_true(gv_cmd_earlier_boot(GV_STR("journalctl --boot=-2 | grep NVRM")));
	assert_false(gv_cmd_earlier_boot(GV_STR("journalctl -b -0")));
	assert_false(gv_cmd_earlier_boot(GV_STR("journalctl -b 5f0c1b7a")));
	assert_true(gv_cmd_this_boot(GV_STR("journalctl -b | tail")));
	assert_true(gv_cmd_this_boot(GV_STR("sudo dmesg -T")));
	assert_false(gv_cmd_this_boot(GV_STR("cat /var/log/dmesg.0")));
	assert_false(gv_cmd_this_boot(GV_STR("journalctl -u kubelet")));
}

#define FELL                                                                                                           \
	"node07 kernel: NVRM: Xid (PCI:0000:ca:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "      \
	"bus.\n"

static void test_the_boot_before_is_history_beside_this_one(void **state)
{
	struct gv_run *run = gv_test_run("both.txt",
					 "$ journalctl -k -b -1\nFeb 09 22:41:37 " FELL "$ dmesg -T | tail -1\n"
					 "[Tue Feb 10 08:00:12 2026] systemd[1]: Started daemon.\n",
					 NULL);

	gv_test_verdict(run, GV_KINDS);
	assert_int_equal(gv_test_finding(run, GV_K_GPU_FELL_OFF_BUS)->when, GV_HISTORY);
	gv_test_end(run);
	run = gv_test_run("alone.txt", "$ journalctl -k -b -1\nFeb 09 22:41:37 " FELL, NULL);
	gv_test_verdict(run, GV_K_GPU_FELL_OFF_BUS); /* what somebody shows by itself is what it is about */
	gv_test_end(run);
}

static void test_proc_of_old_and_new_drivers(void **state)
{
	struct gv_run *run = gv_test_run(
	    "old.txt",
	    "$ cat /proc/driver/nvidia/version\n"
	    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.111  Tue Dec 19 23:51:45 PST 2017\nGCC version:  gcc "
	    "version 5.4.0\n"
	    "$ cat /proc/driver/nvidia/gpus/0000:02:00.0/information\n"
	    "Model: \t\t Tesla V100-PCIE-16GB\nIRQ:   \t\t 56\nGPU UUID: \t GPU-00000000-aaaa-bbbb-cccc-dddddddddddd\n"
	    "Video BIOS: \t 88.00.1a.00.03\nBus Type: \t PCIe\nDMA Size: \t 47 bits\nDMA Mask: \t 0x7fffffffffff\n"
	    "Bus Location: \t 0000:02:00.0\nDevice Minor: \t 0\nBlacklisted:\t Yes\n",
	    "power.txt",
	    "$ cat /proc/driver/nvidia/gpus/0000:02:00.0/power\n"
	    "Runtime D3 status:          Enabled (fine-grained)\nVideo Memory:               Off\n\nGPU Hardware "
	    "Support:\n"
	    " Video Memory Self Refresh: Supported\n Video Memory Off:          Supported\n\nS0ix Power Management:\n"
	    " Platform Support:          Not Supported\n Status:                    Disabled\n",
	    NULL);
	struct gv_entity *g = gpu_of(run, GV_KEY_BUS, "0000:02:00.0");

	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "384.111");
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_OPEN, 0);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_EXCLUDED, "GPU-00000000-aaaa-bbbb-cccc-dddddddddddd");
	gv_test_is_text(g, GV_F_GPU_RUNTIME, "suspended");
	gv_test_end(run);
	run = gv_test_run("new.txt",
			  "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  610.57.04  Release Build  "
			  "(dvs-builder)  Tue Jul  7 10:00:00 UTC 2026\n"
			  "GCC version:  gcc version 13.3.0\n\n"
			  "Model: \t\t NVIDIA H100 NVL\nIRQ:   \t\t 204\nGPU UUID: \t GPU-????????"
			  "-????"
			  "-????"
			  "-????"
			  "-????????????\nVideo BIOS: \t ??.??.??.??.??\n"
			  "Bus Type: \t PCIe\nDMA Size: \t 52 bits\nDMA Mask: \t 0xfffffffffffff\nBus Location: \t "
			  "0000:61:00.0\nDevice Minor: \t 2\n"
			  "GPU Firmware: \t N/A\nGPU Excluded:\t No\n",
			  NULL);
	g = gpu_of(run, GV_KEY_BUS, "0000:61:00.0");
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_OPEN, 1);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "610.57.04");
	assert_int_equal(gv_text(g, GV_F_GPU_GSP).n, 0);
	assert_int_equal(gv_text(gv_test_node(run), GV_F_DRIVER_EXCLUDED).n, 0);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burn_remembers_errors_of_an_earlier_summary),
		cmocka_unit_test(test_burn_of_one_gpu_by_number),
		cmocka_unit_test(test_a_burn_that_died_counts_nothing),
		cmocka_unit_test(test_bandwidth_of_the_largest_transfer),
		cmocka_unit_test(test_p2p_reads_do_not_replace_writes),
		cmocka_unit_test(test_nvbandwidth_text_and_json),
		cmocka_unit_test(test_device_query_of_a_mig_device),
		cmocka_unit_test(test_gpustat_tells_fan_from_use),
		cmocka_unit_test(test_nvtop_of_one_and_of_two_vendors),
		cmocka_unit_test(test_nvitop_full_and_compact),
		cmocka_unit_test(test_settings_of_the_gpu_before_the_screen),
		cmocka_unit_test(test_sections_of_a_bug_report),
		cmocka_unit_test(test_which_boot_a_command_shows),
		cmocka_unit_test(test_the_boot_before_is_history_beside_this_one),
		cmocka_unit_test(test_proc_of_old_and_new_drivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
