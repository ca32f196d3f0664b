/* SPDX-License-Identifier: Apache-2.0 */
/* dcgmi, metrics of exporters, nvidia-smi mig, c2c and topo -p2p: the spots where a reading goes wrong without a word.
 */
#include "pipeline.h"

static struct gv_entity *gpu(const struct gv_run *run, const char *index)
{
	struct gv_entity *e = gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, gv_str_of(index));

	assert_non_null(e);
	return e;
}

static struct gv_entity *named(const struct gv_run *run, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_by_id(run, k, NULL, gv_str_of(id));

	assert_non_null(e);
	return e;
}

static void assert_none(const struct gv_entity *e, enum gv_fact f)
{
	if (gv_obs(e, f))
		fail_msg("%s is known", gv_fact_info[f].name);
}

static unsigned line_of(const struct gv_entity *e, enum gv_fact f)
{
	assert_non_null(gv_obs(e, f));
	return gv_obs(e, f)->at.line;
}

static void test_mig_lists(void **state)
{
	struct gv_run *run = gv_test_run("lists.txt",
					 "$ nvidia-smi mig -lgi\n"
					 "+------------------------------------------------+\n"
					 "| GPU instances:                                 |\n"
					 "| GPU Name Profile Instance Placement |\n"
					 "|================================================|\n"
					 "| 0 MIG 1g.10gb+me 20 9 2:1 |\n"
					 "+------------------------------------------------+\n"
					 "| 0 MIG 3g.40gb 9 2 4:4 |\n"
					 "| 3 MIG 7g.80gb 0 0 0:8 |\n"
					 "| 3 MIG 7g.80gb 0 many 0:8 |\n"
					 "$ nvidia-smi mig -lci\n"
					 "| Compute instances:                             |\n"
					 "|   0      2       MIG 1c.3g.40gb  0  0  0:1     |\n"
					 "|   0      2       MIG 1c.3g.40gb  0  1  1:1     |\n"
					 "$ nvidia-smi mig -lgip\n"
					 "| GPU instance profiles:                         |\n"
					 "|   0  MIG 1g.10gb  19  0/7  9.50  No  14 0 0    |\n"
					 "|                                       1 0 0    |\n",
					 NULL);

	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MIG_GI, 2);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MIG_CI, 2);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MIG_USED, 1);
	gv_test_is_num(gpu(run, "3"), GV_F_GPU_MIG_GI, 1);
	assert_none(gpu(run, "3"), GV_F_GPU_MIG_USED);
	gv_test_is_num(gv_test_node(run), GV_F_MIG_GI, 3);
	gv_test_is_num(gv_test_node(run), GV_F_MIG_CI, 2);
	gv_test_end(run);
}

static void test_mig_list_of_one_gpu(void **state)
{
	struct gv_run *run = gv_test_run("list.txt",
					 "$ nvidia-smi mig -i 2 -lci\n"
					 "| Compute instances:                             |\n"
					 "|   2      1       MIG 3g.40gb     2  0  0:3     |\n",
					 NULL);

	gv_test_is_num(gpu(run, "2"), GV_F_GPU_MIG_CI, 1);
	assert_none(gv_test_node(run), GV_F_MIG_CI);
	gv_test_end(run);
	run = gv_test_run("none.txt", "$ nvidia-smi mig -lgi\nNo MIG-enabled devices found.\n", NULL);
	gv_test_is_num(gv_test_node(run), GV_F_MIG_GI, 0);
	gv_test_verdict(run, GV_KINDS);
	gv_test_end(run);
}

static void test_matrices_by_command(void **state)
{
	struct gv_run *run = gv_test_run("matrices.txt",
					 "$ nvidia-smi topo -mp\n"
					 "\tGPU0\tGPU1\tmlx5_0\n"
					 "GPU0\t X \tPIX\tPXB\n"
					 "GPU1\tPIX\t X \tSYS\n"
					 "mlx5_0\tPXB\tSYS\t X \n"
					 "$ nvidia-smi topo -p2p rw\n"
					 " \tGPU0\tGPU1\t\n"
					 " GPU0\tX\tTNS\t\n"
					 " GPU1\tTNS\tX\t\n"
					 "$ nvidia-smi topo -p2p n\n"
					 " \tGPU0\tGPU1\t\n"
					 " GPU0\tX\tOK\t\n"
					 " GPU1\tOK\tX\t\n"
					 "$ nvidia-smi topo -p2p a\n"
					 " \tGPU0\tGPU1\t\n"
					 " GPU0\tX\tNS\t\n"
					 " GPU1\tNS\tX\t\n"
					 "Legend:\n"
					 "  NS   = Not supported\n",
					 NULL);
	struct gv_entity *pair = named(run, GV_PAIR, "GPU0 GPU1");

	assert_none(pair, GV_F_PAIR_PATH);
	gv_test_is_text(pair, GV_F_PAIR_PATH_PCIE, "PIX");
	gv_test_is_text(named(run, GV_PAIR, "GPU0 mlx5_0"), GV_F_PAIR_PATH, "PXB");
	gv_test_is_text(pair, GV_F_PAIR_P2P, "TNS");
	gv_test_is_text(pair, GV_F_PAIR_P2P_NVLINK, "OK");
	gv_test_is_text(pair, GV_F_PAIR_P2P_ATOMICS, "NS");
	gv_test_end(run);
}

static void test_links(void **state)
{
	struct gv_run *run = gv_test_run("links.txt",
					 "$ nvidia-smi c2c -s\n"
					 "GPU 0: NVIDIA GH200 480GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
					 "\t C2C Link 0: 44.712 GB/s\n"
					 "\t C2C Link 1: <inactive>\n"
					 "$ nvidia-smi nvlink -c\n"
					 "GPU 0: NVIDIA GH200 480GB (UUID: GPU-00000000-0000-0000-0000-000000000001)\n"
					 "\t Link 3, P2P is supported: true\n"
					 "\t Link 3, Access to system memory supported: false\n",
					 NULL);
	struct gv_entity *g = gpu(run, "0");

	gv_test_is_num(g, GV_F_GPU_C2C_UP, 1);
	gv_test_is_num(g, GV_F_GPU_C2C_DOWN, 1);
	gv_test_is_num(g, GV_F_GPU_C2C_RATE, 44.712);
	assert_int_equal(gv_count(run, GV_LINK, NULL), 1);
	gv_test_is_num(named(run, GV_LINK, "3"), GV_F_LINK_P2P, 1);
	assert_none(gv_test_node(run), GV_F_GPU_COUNT); /* these are no lists of the GPUs */
	gv_test_end(run);
}

static void test_diag_table(void **state)
{
	struct gv_run *run =
	    gv_test_run("diag.txt",
			"+---------------------------+------------------------------------------------+\n"
			"| Diagnostic                | Result                                         |\n"
			"+===========================+================================================+\n"
			"|-----  Metadata  ----------+------------------------------------------------|\n"
			"| Driver Version Detected   | 535.161.08                                     |\n"
			"|-----  Deployment  --------+------------------------------------------------|\n"
			"| Persistence Mode          | Pass                                           |\n"
			"| Warning                   | Persistence mode for GPU 0 is disabled.        |\n"
			"+-----  Integration  -------+------------------------------------------------+\n"
			"| PCIe                      | Fail - GPU: 2                                  |\n"
			"| Warning                   | There was an internal error during the test: ' |\n"
			"|                           | none'                                          |\n"
			"+-----  Hardware  ----------+------------------------------------------------+\n"
			"| GPU Memory                | Skip - All                                     |\n"
			"| diagnostic                | Fail                                           |\n"
			"|                           | GPU0: Pass                                     |\n"
			"|                           | GPU1: Fail                                     |\n"
			"| Warning: GPU1             | Found 3 faulty memory ele                      |\n"
			"|                           | ments                                          |\n"
			"+---------------------------+------------------------------------------------+\n",
			NULL);

	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "535.161.08");
	gv_test_is_text(named(run, GV_TEST, "Persistence Mode"), GV_F_TEST_RESULT, "Pass");
	gv_test_is_text(named(run, GV_TEST, "PCIe"), GV_F_TEST_RESULT, "Fail");
	gv_test_is_text(named(run, GV_TEST, "GPU Memory"), GV_F_TEST_RESULT, "Skip");
	gv_test_is_text(gpu(run, "2"), GV_F_GPU_DIAG_SAYS, "There was an internal error during the test: 'none'");
	assert_int_equal(line_of(gpu(run, "2"), GV_F_GPU_DIAG_SAYS), 11);
	/* a message of a test that passed is none */
	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	gv_test_verdict(run, GV_K_ECC_UNCORRECTABLE);
	gv_test_end(run);
}

static void test_diag_json(void **state)
{
	struct gv_run *run =
	    gv_test_run("old.json",
			"{\n"
			"  \"DCGM GPU Diagnostic\" : {\n"
			"    \"Driver Version Detected\" : \"470.57.02\",\n"
			"    \"test_categories\" : [ { \"category\" : \"Hardware\", \"tests\" : [\n"
			"      { \"name\" : \"GPU Memory\", \"results\" : [\n"
			"        { \"gpu_ids\" : \"1\", \"status\" : \"Fail\",\n"
			"          \"warnings\" : \"A \\\"memory\\\" mismatch was detected\" },\n"
			"        { \"gpu_ids\" : \"0\", \"info\" : \"GPU 0 Allocated 97%\", \"status\" : \"Pass\",\n"
			"          \"warnings\" : \"of no weight\" } ] },\n"
			"      { \"name\" : \"Diagnostic\", \"results\" : [ { \"gpu_ids\" : \"0,1\",\n"
			"          \"status\" : \"Not Run\" } ] } ] } ] } }\n",
			NULL);

	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "470.57.02");
	gv_test_is_text(named(run, GV_TEST, "GPU Memory"), GV_F_TEST_RESULT, "Fail");
	gv_test_is_text(named(run, GV_TEST, "Diagnostic"), GV_F_TEST_RESULT, "Not Run");
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_DIAG_SAYS, "A \"memory\" mismatch was detected");
	assert_int_equal(line_of(gpu(run, "1"), GV_F_GPU_DIAG_SAYS), 7);
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_end(run);
	/* cut off in the middle, and of a switch */
	run =
	    gv_test_run("new.json",
			"{ \"DCGM Diagnostic\" : { \"test_categories\" : [ { \"tests\" : [ { \"name\" : \"software\",\n"
			"\"results\" : [ { \"entity_group\" : \"NvSwitch\", \"entity_id\" : 4, \"status\" : \"Fail\",\n"
			"\"warnings\" : [ { \"error_id\" : 14, \"warning\" : \"Detected fatal errors on NvSwitch 4 "
			"link 2\" } ] },\n",
			NULL);
	gv_test_is_text(named(run, GV_TEST, "software"), GV_F_TEST_RESULT, "Fail");
	gv_test_is_text(gv_test_node(run), GV_F_DIAG_SAYS, "Detected fatal errors on NvSwitch 4 link 2");
	assert_int_equal(line_of(gv_test_node(run), GV_F_DIAG_SAYS), 3);
	gv_test_verdict(run, GV_K_NVSWITCH_ERROR);
	gv_test_end(run);
}

static void test_health(void **state)
{
	struct gv_run *run = gv_test_run("health.txt",
					 "| Health Monitor Report                                |\n"
					 "+=================+====================================+\n"
					 "| Overall Health  | Warning                            |\n"
					 "| GPU             |                                    |\n"
					 "| -> 6            | Warning                            |\n"
					 "|    -> Errors    |                                    |\n"
					 "|       -> Thermal system | Warning                    |\n"
					 "|                 | Detected clock throttling due to   |\n"
					 "|                 | thermal violation.                 |\n"
					 "|       -> Driver | Warning                            |\n"
					 "|                 | Something else.                    |\n",
					 NULL);
	const struct gv_obs *v[4];

	gv_test_is_text(named(run, GV_TEST, "health"), GV_F_TEST_RESULT, "Warning");
	assert_int_equal(gv_series(gpu(run, "6"), GV_F_GPU_HEALTH_SAYS, v, 4), 2);
	assert_true(gv_is(v[0]->str, "Detected clock throttling due to thermal violation."));
	assert_true(gv_is(v[1]->str, "Something else."));
	gv_test_verdict(run, GV_K_THROTTLE_THERMAL);
	gv_test_end(run);
	/* another report with a body is not this one */
	run = gv_test_run("other.json", "{\n\"body\" : {\n\"GPU\" : { \"children\" : { } }\n} }\n", NULL);
	assert_int_equal(gv_outputs(run), 0);
	gv_test_end(run);
}

/* A complaint that a later look of the same tool does not repeat is no longer so. */
static void test_health_again(void **state)
{
	struct gv_run *run = gv_test_run("looks.txt",
					 "$ dcgmi health -c\n"
					 "| Health Monitor Report |\n"
					 "| Overall Health | Failure |\n"
					 "| GPU | |\n"
					 "| -> 0 | Failure |\n"
					 "| -> Memory system | Failure |\n"
					 "| | Detected 1 volatile double-bit ECC error(s) in GPU 0. |\n"
					 "$ dcgmi health -c\n"
					 "| Health Monitor Report |\n"
					 "| Overall Health | Healthy |\n",
					 NULL);
	const struct gv_finding *f = gv_test_finding(run, GV_K_ECC_UNCORRECTABLE);

	assert_non_null(f);
	assert_int_equal(f->when, GV_RECENT);
	gv_test_end(run);
}

static void test_lists(void **state)
{
	struct gv_run *run = gv_test_run("lists.txt",
					 "$ dcgmi discovery -l\n"
					 "2 GPUs found.\n"
					 "| GPU ID | Device Information                           |\n"
					 "+--------+----------------------------------------------+\n"
					 "| 0      | Name: NVIDIA A30                             |\n"
					 "|        | PCI Bus ID: 00000000:3B:00.0                 |\n"
					 "|        | Device UUID: GPU-00000000-0000-0000-0000-000000000001 |\n"
					 "| 1      | Name: NVIDIA A30                             |\n"
					 "|        | PCI Bus ID: 00000000:5E:00.0                 |\n"
					 "$ dcgmi topo --gpuid 1\n"
					 "| Topology Information                                  |\n"
					 "| GPU ID: 1                                             |\n"
					 "+===================+===================================+\n"
					 "| CPU Core Affinity | 0 - 11,                           |\n"
					 "|                   | 24 - 35                           |\n"
					 "| To GPU 0          | Connected via multiple PCIe switches |\n"
					 "| To GPU 2          | Connected via a CPU-level link    |\n"
					 "|                   | Connected via four NVLINKs (Links: 0, 1, 2, 3) |\n",
					 NULL);

	gv_test_is_num(gv_test_node(run), GV_F_GPU_COUNT, 2);
	gv_test_is_text(gpu(run, "0"), GV_F_GPU_NAME, "NVIDIA A30");
	assert_true(gv_is(gpu(run, "1")->key[GV_KEY_BUS], "0000:5e:00.0"));
	gv_test_is_text(gpu(run, "1"), GV_F_GPU_CPUS, "0-11,24-35");
	gv_test_is_text(named(run, GV_PAIR, "GPU0 GPU1"), GV_F_PAIR_PATH, "PXB");
	gv_test_is_text(named(run, GV_PAIR, "GPU1 GPU2"), GV_F_PAIR_PATH, "NV4");
	gv_test_end(run);
}

static void test_dcgmi_dmon(void **state)
{
	struct gv_run *run = gv_test_run("dmon.txt",
					 "#Entity   GRACT   FBUSD   POWER\n"
					 "ID                MB      W\n"
					 "GPU 1     0.998   1200    N/A\n"
					 "GPU-I 3   0.5     7       1\n"
					 "GPU 1     0.500   1200    55.5\n"
					 "GPU 0     0.000   1       20.5\n",
					 NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_int_equal(gv_series(gpu(run, "1"), GV_F_GPU_UTIL, NULL, 0), 2);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_MEM_USED, 1200);
	gv_test_is_num(gpu(run, "1"), GV_F_GPU_POWER, 55.5);
	gv_test_is_num(gpu(run, "0"), GV_F_GPU_UTIL, 0);
	gv_test_end(run);
}

static void test_metrics(void **state)
{
	struct gv_run *run =
	    gv_test_run("metrics.txt",
			"# TYPE DCGM_FI_DEV_FB_USED gauge\n"
			"DCGM_FI_DEV_FB_USED{gpu=\"1\",UUID=\"GPU-0000000a\",modelName=\"NVIDIA \\\"A30\\\", "
			"x}\",Hostname=\"n1\"} 1200 1700000000000\n"
			"DCGM_FI_DEV_FB_USED{gpu=\"1\",UUID=\"GPU-0000000a\",GPU_I_ID=\"3\",Hostname=\"n1\"} 7\n"
			"DCGM_FI_DEV_GPU_TEMP{gpu=\"1\",UUID=\"GPU-0000000a\",Hostname=\"n1\"} 9.223372036854776e+18\n"
			"DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-0000000a\",Hostname=\"n1\"} NaN\n"
			"DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu=\"1\",UUID=\"GPU-0000000a\",Hostname=\"n1\"} 64\n"
			"process_cpu_seconds_total 12.5\n"
			"DCGM_EXP_XID_ERRORS_COUNT{gpu=\"1\",UUID=\"GPU-0000000a\",xid=\"94\"} 2\n"
			"DCGM_FI_DEV_SM_CLOCK{gpu=\"1\n",
			NULL);
	struct gv_entity *g = gpu(run, "1");

	gv_test_is_num(g, GV_F_GPU_MEM_USED, 1200);
	assert_none(g, GV_F_GPU_TEMP);
	assert_none(g, GV_F_GPU_POWER);
	assert_none(g, GV_F_GPU_CLK_SM);
	gv_test_is_num(g, GV_F_GPU_CAP_HW_THERMAL, 1);
	gv_test_is_num(g, GV_F_GPU_CAP_POWER, 0);
	gv_test_is_num(g, GV_F_GPU_LAST_XID, 94);
	assert_non_null(gv_test_finding(run, GV_K_ECC_UNCORRECTABLE));
	assert_int_equal(gv_test_finding(run, GV_K_ECC_UNCORRECTABLE)->when, GV_RECENT);
	gv_test_end(run);
}

/* Numbers of GPUs are no keys where a scrape is of several machines. */
static void test_metrics_of_two_hosts(void **state)
{
	struct gv_run *run = gv_test_run("federate.txt",
					 "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-0000000a\",Hostname=\"n1\"} 40\n"
					 "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-0000000b\",Hostname=\"n2\"} 50\n",
					 NULL);

	assert_int_equal(gv_count(run, GV_GPU, NULL), 2);
	assert_null(gv_by_key(run, GV_GPU, NULL, GV_KEY_INDEX, GV_STR("0")));
	gv_test_end(run);
}

static void test_nvidia_gpu_exporter(void **state)
{
	struct gv_run *run =
	    gv_test_run("metrics.txt",
			"nvidia_smi_clocks_current_sm_clock_hz{uuid=\"0000000a\"} 1.98e+09\n"
			"nvidia_smi_compute_app_used_memory_bytes{pid=\"42\",process_name=\"a, "
			"\\\"b\\\"\",uuid=\"0000000a\"} 1.048576e+06\n"
			"nvidia_smi_enforced_power_limit_watts{uuid=\"0000000a\"} 300\n"
			"nvidia_smi_fabric_state{uuid=\"0000000a\"} 0\n"
			"nvidia_smi_gpu_info{cuda_version=\"12.4\",driver_version=\"550.54.15\",index=\"2\",name="
			"\"NVIDIA A30\",pci_bus_id=\"00000000:3B:00.0\",uuid=\"0000000a\",vbios_version=\"[N/A]\"} 1\n"
			"nvidia_smi_gpu_recovery_action{uuid=\"0000000a\"} 0\n"
			"nvidia_smi_mig_mode_current{uuid=\"0000000a\"} 1\n"
			"nvidia_smi_power_limit_watts{uuid=\"0000000a\"} 700\n"
			"nvidia_smi_pstate{uuid=\"0000000a\"} 8\n"
			"nvidia_smi_utilization_gpu_ratio{uuid=\"0000000a\"} 0.25\n",
			NULL);
	struct gv_entity *g = gpu(run, "2");

	gv_test_is_num(g, GV_F_GPU_CLK_SM, 1980);
	gv_test_is_num(g, GV_F_GPU_POWER_LIMIT, 300);
	gv_test_is_num(g, GV_F_GPU_UTIL, 25);
	gv_test_is_text(g, GV_F_GPU_PSTATE, "P8");
	gv_test_is_text(g, GV_F_GPU_MIG, "Enabled");
	gv_test_is_text(g, GV_F_GPU_RECOVERY, "None");
	gv_test_is_text(g, GV_F_GPU_UUID, "GPU-0000000a");
	assert_none(g, GV_F_GPU_FABRIC_STATE);
	assert_none(g, GV_F_GPU_VBIOS);
	gv_test_is_num(named(run, GV_PROC, "42"), GV_F_PROC_GPU_MEM, 1);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "550.54.15");
	gv_test_is_num(gv_test_node(run), GV_F_DRIVER_CUDA_MAX, 12.4);
	gv_test_end(run);
}

static void test_container_cli_and_labels(void **state)
{
	struct gv_run *run = gv_test_run("info.txt",
					 "NVRM version:   465.19.01\n"
					 "CUDA version:   11.3\n"
					 "\n"
					 "Device Index:   0\n"
					 "Device Minor:   3\n"
					 "Model:          NVIDIA A30\n"
					 "GPU UUID:       (null)\n"
					 "Bus Location:   00000000:1a:00.0\n",
					 NULL);

	gv_test_is_num(gpu(run, "0"), GV_F_GPU_MINOR, 3);
	assert_none(gpu(run, "0"), GV_F_GPU_UUID);
	gv_test_is_num(gv_test_node(run), GV_F_GPU_COUNT, 1);
	gv_test_end(run);
	run = gv_test_run("gfd.txt",
			  "nvidia.com/cuda.driver.major=535\n"
			  "nvidia.com/cuda.driver.minor=129\n"
			  "nvidia.com/cuda.driver.rev=03\n"
			  "nvidia.com/gpu.count=14\n"
			  "nvidia.com/gpu.product=NVIDIA-A30-MIG-2g.12gb\n"
			  "nvidia.com/mig.strategy=single\n",
			  NULL);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "535.129.03");
	gv_test_is_text(gv_test_node(run), GV_F_K8S_GPU_LABEL, "nvidia.com/gpu.product=NVIDIA-A30-MIG-2g.12gb");
	assert_none(gv_test_node(run), GV_F_GPU_COUNT); /* it counts instances */
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mig_lists),
		cmocka_unit_test(test_mig_list_of_one_gpu),
		cmocka_unit_test(test_matrices_by_command),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_diag_table),
		cmocka_unit_test(test_diag_json),
		cmocka_unit_test(test_health),
		cmocka_unit_test(test_health_again),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_dcgmi_dmon),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_metrics_of_two_hosts),
		cmocka_unit_test(test_nvidia_gpu_exporter),
		cmocka_unit_test(test_container_cli_and_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
