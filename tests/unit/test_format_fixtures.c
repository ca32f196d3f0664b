/* SPDX-License-Identifier: Apache-2.0 */
/* What the recordings of other projects taught: cuts of nvidia-smi -q from any heading on, nvidia-smi --version, and
 * devices that are no GPUs. */
#include "pipeline.h"

static struct gv_entity *only_gpu(const struct gv_run *run)
{
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	return gv_each(run, GV_GPU, NULL, NULL);
}

/* A cut has one GPU with this one value, with the indentation of the tool and without any. */
static void assert_cut(const char *indented, const char *flat, enum gv_fact f, double want)
{
	for (int i = 0; i < 2; i++) {
		struct gv_run *run = gv_test_run("cut.txt", i ? flat : indented, NULL);

		gv_test_is_num(only_gpu(run), f, want);
		gv_test_end(run);
	}
}

static void test_cuts(void **state)
{
	(void)state;
	assert_cut("    Utilization\n        GPU                               : 63 %\n        Memory         : 21 %\n",
		   "Utilization\nGPU : 63 %\nMemory : 21 %\n", GV_F_GPU_UTIL, 63);
	assert_cut("    FB Memory Usage\n        Total                   : 40960 MiB\n        Used    : 1234 MiB\n",
		   "FB Memory Usage\nTotal : 40960 MiB\nUsed : 1234 MiB\n", GV_F_GPU_MEM_USED, 1234);
	assert_cut("    BAR1 Memory Usage\n        Total                  : 65536 MiB\n        Used     : 77 MiB\n",
		   "BAR1 Memory Usage\nTotal : 65536 MiB\nUsed : 77 MiB\n", GV_F_GPU_BAR1, 77);
	assert_cut("            Link Width\n                Max              : 16x\n                Current  : 4x\n",
		   "Link Width\nMax : 16x\nCurrent : 4x\n", GV_F_GPU_PCIE_WIDTH, 4);
	assert_cut("            PCIe Generation\n                Max              : 5\n                Current  : 3\n",
		   "PCIe Generation\nMax : 5\nCurrent : 3\n", GV_F_GPU_PCIE_GEN, 3);
	assert_cut("        Volatile\n            SRAM Correctable     : 0\n            DRAM Uncorrectable     : 2\n",
		   "Volatile\nSRAM Correctable : 0\nDRAM Uncorrectable : 2\n", GV_F_GPU_ECC_UNC, 2);
	assert_cut("        Aggregate\n            SRAM Correctable     : 0\n            DRAM Uncorrectable    : 3\n",
		   "Aggregate\nSRAM Correctable : 0\nDRAM Uncorrectable : 3\n", GV_F_GPU_ECC_AGG_UNC, 3);
	assert_cut(
	    "    GPU Reset Status\n        Reset Required           : Yes\n        Drain and Reset Recommended : No\n",
	    "GPU Reset Status\nReset Required : Yes\nDrain and Reset Recommended : No\n", GV_F_GPU_RESET_REQUIRED, 1);
	assert_cut("        Bank Remap Availability Histogram\n            Max          : 638 bank(s)\n"
		   "            None         : 2 bank(s)\n",
		   "Bank Remap Availability Histogram\nMax : 638 bank(s)\nNone : 2 bank(s)\n", GV_F_GPU_REMAP_NONE, 2);
}

static void test_cut_at_pci(void **state)
{
	struct gv_run *run = gv_test_run("cut.txt",
					 "    PCI\n"
					 "        Bus                               : 0x3B\n"
					 "        Device                            : 0x00\n"
					 "        Bus Id                            : 00000000:3B:00.0\n"
					 "        GPU Link Info\n"
					 "            PCIe Generation\n"
					 "                Max                       : 4\n"
					 "                Current                   : 1\n"
					 "            Link Width\n"
					 "                Max                       : 16x\n"
					 "                Current                   : 8x\n"
					 "        Replays Since Reset               : 12\n",
					 NULL);
	struct gv_entity *g = only_gpu(run);

	(void)state;
	assert_true(gv_is(g->key[GV_KEY_BUS], "0000:3b:00.0"));
	gv_test_is_num(g, GV_F_GPU_PCIE_GEN, 1);
	gv_test_is_num(g, GV_F_GPU_PCIE_WIDTH, 8);
	gv_test_is_num(g, GV_F_GPU_PCIE_WIDTH_MAX, 16);
	gv_test_is_num(g, GV_F_GPU_PCIE_REPLAYS, 12);
	gv_test_end(run);
}

/* The module draws for CPU and GPU together: its power never passes for the GPU's, which stands under the same key. */
static void test_cut_at_module_power(void **state)
{
	struct gv_run *run = gv_test_run("cut.txt",
					 "    Module Power Readings\n"
					 "        Power Draw                        : 812.40 W\n"
					 "        Current Power Limit               : 1000.00 W\n",
					 NULL);

	(void)state;
	for (struct gv_entity *g = NULL; (g = gv_each(run, GV_GPU, NULL, g));)
		assert_null(gv_obs(g, GV_F_GPU_POWER));
	gv_test_end(run);
	run = gv_test_run("cut.txt",
			  "    GPU Power Readings\n"
			  "        Power Draw                        : 301.50 W\n"
			  "    Module Power Readings\n"
			  "        Power Draw                        : 812.40 W\n",
			  NULL);
	gv_test_is_num(only_gpu(run), GV_F_GPU_POWER, 301.5);
	gv_test_end(run);
}

/* Sections of other programs have names like these. */
static void test_no_cut(void **state)
{
	struct gv_run *run =
	    gv_test_run("a.txt", "Utilization\n  CPU : 12 %\n  Disk : 3 %\n", "b.txt", "PCI\n  Devices : 14\n", "c.txt",
			"Volatile\nliquids are kept apart\n", "d.txt", "Processes\n  Total : 214\n", NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 0);
	gv_test_end(run);
}

static void test_version(void **state)
{
	struct gv_run *run = gv_test_run("v.txt",
					 "NVIDIA-SMI version  : 560.35.03\n"
					 "NVML version        : 560.35\n"
					 "DRIVER version      : 560.28.03\n"
					 "CUDA Version        : 12.6\n",
					 NULL);
	struct gv_entity *node = gv_each(run, GV_NODE, NULL, NULL);

	(void)state;
	gv_test_is_text(node, GV_F_DRIVER_USER, "560.35.03");
	gv_test_is_text(node, GV_F_DRIVER_KERNEL, "560.28.03");
	gv_test_is_num(node, GV_F_DRIVER_CUDA_MAX, 12.6);
	gv_test_end(run);
	/* words in place of a version, and the line that stands for it */
	run = gv_test_run("v.txt",
			  "NVIDIA-SMI version  : 610.20\n"
			  "NVML version        : 610.20\n"
			  "DRIVER version      : Deprecated, see \"KMD version\" instead\n"
			  "CUDA Version        : Deprecated, see \"CUDA UMD version\" instead\n"
			  "KMD version         : 610.20\n"
			  "CUDA UMD version    : 13.3\n",
			  NULL);
	node = gv_each(run, GV_NODE, NULL, NULL);
	gv_test_is_text(node, GV_F_DRIVER_KERNEL, "610.20");
	gv_test_is_num(node, GV_F_DRIVER_CUDA_MAX, 13.3);
	gv_test_end(run);
}

/* The IOMMU of an AMD CPU stops any device; only a GPU is one. */
static void test_iommu_fault(void **state)
{
	struct gv_run *run =
	    gv_test_run("dmesg.txt",
			"[   12.204511] AMD-Vi: Event logged [IO_PAGE_FAULT device=02:00.3 domain=0x000c "
			"address=0xfffd000000 flags=0x0020]\n",
			NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 0);
	assert_int_equal(run->events.n, 1);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_cut_at_pci),
		cmocka_unit_test(test_cut_at_module_power),
		cmocka_unit_test(test_no_cut),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_iommu_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
