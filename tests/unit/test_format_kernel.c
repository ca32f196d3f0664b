/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of modules, packages, installed kernels, and of what else is known of a machine's software and slots. */
#include "pipeline.h"

static struct gv_entity *thing(const struct gv_run *run, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_by_id(run, k, NULL, gv_str_of(id));

	if (!e)
		fail_msg("nothing is called %s", id);
	return e;
}

static void version_is(const struct gv_run *run, const char *package, const char *want)
{
	gv_test_is_text(thing(run, GV_PACKAGE, package), GV_F_PACKAGE_VERSION, want);
}

static void test_package_lists(void **state)
{
	struct gv_run *run =
	    gv_test_run("deb",
			"$ dpkg -l\n"
			"Desired=Unknown/Install/Remove/Purge/Hold\n"
			"| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n"
			"|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n"
			"||/ Name           Version                 Architecture Description\n"
			"+++-==============-=======================-============-=================\n"
			"ii  bash           5.2.21-2ubuntu4         amd64        GNU Bourne Again SHell\n"
			"ii  libnvidia-compute-550:amd64 550.54.15-0ubuntu1 amd64 NVIDIA libcompute package\n"
			"hi  nvidia-dkms-550 1:550.54.15-0ubuntu1   amd64        NVIDIA DKMS package\n"
			"rc  nvidia-utils-535 535.183.01-0ubuntu1   amd64        NVIDIA driver support binaries\n"
			"ii  linux-image-6.8.0-52-generic 6.8.0-52.53 amd64      Signed kernel image generic\n"
			"ii  linux-image-generic 6.8.0-52.53        amd64        Generic Linux kernel image\n"
			"$ apt list --installed\n"
			"Listing... Done\n"
			"nvidia-fabricmanager-550/now 550.54.15-1 amd64 [installed,local]\n"
			"nvidia-settings/jammy 510.47.03-0ubuntu1 amd64\n",
			NULL);

	(void)state;
	version_is(run, "libnvidia-compute-550", "550.54.15-0ubuntu1");
	version_is(run, "nvidia-dkms-550", "550.54.15-0ubuntu1");
	version_is(run, "nvidia-fabricmanager-550", "550.54.15-1");
	assert_int_equal(gv_count(run, GV_PACKAGE, NULL), 5);
	assert_int_equal(gv_count(run, GV_IMAGE, NULL), 1);
	gv_test_is_num(thing(run, GV_IMAGE, "6.8.0-52-generic"), GV_F_IMAGE_THERE, 1);
	gv_test_end(run);
	run = gv_test_run("rpm",
			  "$ rpm -qa | grep -E 'nvidia|kernel'\n"
			  "kernel-core-5.14.0-427.13.1.el9_4.x86_64\n"
			  "kernel-tools-5.14.0-427.13.1.el9_4.x86_64\n"
			  "nvidia-driver-cuda-libs-550.54.15-1.el9.x86_64\n"
			  "kmod-nvidia-open-dkms-550.54.15-1.el9.noarch\n"
			  "$ dnf list installed\n"
			  "Installed Packages\n"
			  "cuda-drivers.x86_64            550.54.15-1                @cuda-rhel9-x86_64\n"
			  "kernel.x86_64                  5.14.0-427.20.1.el9_4      @baseos\n"
			  "nvidia-driver.x86_64           3:550.54.15-1.el9          @cuda-rhel9-x86_64\n",
			  NULL);
	version_is(run, "nvidia-driver-cuda-libs", "550.54.15-1.el9");
	version_is(run, "cuda-drivers", "550.54.15-1");
	version_is(run, "nvidia-driver", "550.54.15-1.el9");
	gv_test_is_num(thing(run, GV_IMAGE, "5.14.0-427.13.1.el9_4.x86_64"), GV_F_IMAGE_THERE, 1);
	gv_test_is_num(thing(run, GV_IMAGE, "5.14.0-427.20.1.el9_4.x86_64"), GV_F_IMAGE_THERE, 1);
	gv_test_end(run);
}

static void upgraded_is(const char *text, const char *want)
{
	struct gv_run *run = gv_test_run("log", text, NULL);

	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_UPGRADED, want);
	gv_test_end(run);
}

static void test_package_logs(void **state)
{
	(void)state;
	upgraded_is(
	    "Start-Date: 2026-01-12  06:12:31\nCommandline: apt-get upgrade\nUpgrade: bash:amd64 (5.2-1, 5.2-2)\n"
	    "End-Date: 2026-01-12  06:14:02\n\nStart-Date: 2026-01-13  06:12:31\nCommandline: "
	    "/usr/bin/unattended-upgrade\n"
	    "Upgrade: bash:amd64 (5.2-2, 5.2-3), libnvidia-compute-550:amd64 (550.54.14-1, 550.54.15-1)\n"
	    "End-Date: 2026-01-13  06:14:02\n",
	    "libnvidia-compute-550 from 550.54.14-1 to 550.54.15-1 on 2026-01-13 06:12:31");
	upgraded_is("2026-01-13 06:12:30 upgrade libc6:amd64 2.39-1 2.39-2\n"
		    "2026-01-13 06:12:31 upgrade nvidia-dkms-550:amd64 550.54.14-1 550.54.15-1\n"
		    "2026-01-13 06:12:31 status half-configured nvidia-dkms-550:amd64 550.54.14-1\n",
		    "nvidia-dkms-550 from 550.54.14-1 to 550.54.15-1 on 2026-01-13 06:12:31");
	upgraded_is("2026-01-13T06:12:31+0000 SUBDEBUG Upgrade: nvidia-driver-3:550.54.15-1.el9.x86_64\n",
		    "nvidia-driver-3:550.54.15-1.el9.x86_64 on 2026-01-13T06:12:31+0000");
}

static void test_modinfo(void **state)
{
	struct gv_run *run =
	    gv_test_run("whole",
			"filename:       /lib/modules/6.8.0-52-generic/updates/dkms/nvidia.ko.zst\n"
			"alias:          char-major-195-*\nversion:        550.54.15\nsupported:      external\n"
			"license:        Dual MIT/GPL\nname:           nvidia\n"
			"vermagic:       6.8.0-52-generic SMP preempt mod_unload modversions \n"
			"sig_id:         PKCS#7\nsigner:         node Secure Boot Module Signature key\n"
			"signature:      00:11:22\n\t\t33:44:55\nparm:           NVreg_Foo:int\n",
			NULL);
	struct gv_entity *m = thing(run, GV_MODULE, "nvidia/550.54.15/6.8.0-52-generic");

	(void)state;
	gv_test_is_text(m, GV_F_MODULE_LICENSE, "Dual MIT/GPL");
	gv_test_is_text(m, GV_F_MODULE_SIGNER, "node Secure Boot Module Signature key");
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_DISK, "550.54.15");
	gv_test_end(run);
	run = gv_test_run("field", "$ modinfo -F version nvidia\n550.54.15\n", "grep",
			  "$ modinfo nvidia | grep ^version\nversion:        550.54.15\n", "none",
			  "$ modinfo nvidia\nmodinfo: ERROR: Module nvidia not found.\n", NULL);
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_DISK, "550.54.15");
	gv_test_end(run);
	run = gv_test_run("other", "version: 3\nname: web\nlicense: MIT\n", NULL); /* some package's description */
	assert_int_equal(gv_count(run, GV_MODULE, NULL), 0);
	gv_test_end(run);
}

static void test_kernels(void **state)
{
	struct gv_run *run =
	    gv_test_run("boot",
			"$ ls -l /boot\ntotal 1\n-rw-r--r-- 1 root root 1 Nov 1 10:12 config-6.8.0-49-generic\n"
			"lrwxrwxrwx 1 root root 1 Nov 1 10:12 vmlinuz -> vmlinuz-6.8.0-49-generic\n"
			"-rw------- 1 root root 1 Nov 1 10:12 vmlinuz-6.8.0-49-generic\n",
			"modules", "$ ls /lib/modules\n6.8.0-45-generic  6.8.0-49-generic\n", "below",
			"$ ls /lib/modules/6.8.0-45-generic\nbuild  kernel  modules.dep\n", NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_IMAGE, NULL), 2);
	gv_test_is_num(thing(run, GV_IMAGE, "6.8.0-49-generic"), GV_F_IMAGE_THERE, 1);
	gv_test_is_num(thing(run, GV_IMAGE, "6.8.0-45-generic"), GV_F_IMAGE_FILES, 1);
	assert_false(gv_num(thing(run, GV_IMAGE, "6.8.0-45-generic"), GV_F_IMAGE_THERE, NULL));
	gv_test_end(run);
}

static void test_secure_boot(void **state)
{
	struct gv_run *run =
	    gv_test_run("a", "$ mokutil --sb-state\nSecureBoot disabled\nPlatform is in Setup Mode\n", NULL);
	bool on = true;

	(void)state;
	assert_true(gv_flag_known(gv_test_node(run), GV_F_SECURE_BOOT, &on) && !on);
	gv_test_end(run);
	run = gv_test_run("a", "EFI variables are not supported on this system\n", NULL);
	assert_false(gv_flag_known(gv_test_node(run), GV_F_SECURE_BOOT, &on));
	gv_test_end(run);
}

static void test_machine(void **state)
{
	struct gv_run *run =
	    gv_test_run("mountinfo",
			"22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro\n"
			"23 22 0:21 / /proc rw,nosuid shared:13 - proc proc rw\n"
			"90 22 0:59 / /data\\040set ro,relatime shared:40 master:2 - nfs4 nas:/set ro,vers=4.2\n",
			"swaps",
			"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/dm-1 partition 2097148 1024 "
			"-2\n/swap.img file 1000000 0 -3\n",
			"docker",
			"$ docker info\nClient: Docker Engine - Community\n Version:    26.0.0\n\nServer:\n "
			"Containers: 3\n  Running: 1\n"
			" Server Version: 26.0.0\n Storage Driver: overlay2\n Cgroup Driver: systemd\n"
			" Runtimes: io.containerd.runc.v2 nvidia runc\n Default Runtime: nvidia\n Kernel Version: "
			"6.8.0-52-generic\n CPUs: 64\n",
			"mst",
			"PCI devices:\n------------\nDEVICE_TYPE             MST                           PCI       "
			"RDMA            NET    NUMA\n"
			"ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      2c:00.0   mlx5_0          net-ib0   0\n",
			NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_MOUNT, NULL), 2);
	gv_test_is_text(thing(run, GV_MOUNT, "/data set"), GV_F_MOUNT_SOURCE, "nas:/set");
	gv_test_is_num(thing(run, GV_MOUNT, "/data set"), GV_F_MOUNT_READONLY, 1);
	gv_test_is_num(gv_test_node(run), GV_F_SWAP_TOTAL, 3097148);
	gv_test_is_num(gv_test_node(run), GV_F_SWAP_USED, 1024);
	gv_test_is_text(gv_test_node(run), GV_F_DOCKER_RUNTIMES, "io.containerd.runc.v2 nvidia runc");
	gv_test_is_text(gv_test_node(run), GV_F_DOCKER_RUNTIME, "nvidia");
	gv_test_is_text(gv_test_node(run), GV_F_DOCKER_CGROUP, "systemd");
	gv_test_is_num(gv_test_node(run), GV_F_CPUS, 64);
	gv_test_is_text(thing(run, GV_NIC, "mlx5_0"), GV_F_NIC_BUS_ID, "2c:00.0");
	gv_test_end(run);
}

static void parent_is(const struct gv_run *run, const char *id, const char *want)
{
	const struct gv_entity *e = thing(run, GV_PCI, id);

	if (!e->parent || !gv_is(e->parent->id, want))
		fail_msg("%s is below %.*s", id, GV_ARG(e->parent ? e->parent->id : GV_NONE));
}

static void test_tree(void **state)
{
	struct gv_run *run = gv_test_run("tree",
					 "# lspci -tvnn\n-+-[10000:e0]-+-00.0  Intel Corporation Device [8086:09ab]\n"
					 " |            \\-01.0-[e1]----00.0  Solidigm NVMe [025e:f1ab]\n"
					 " \\-[0000:00]-+-00.0\n"
					 "             +-01.1-[01-04]----00.0-[02-04]--+-00.0-[03]--+-00.0  NVIDIA "
					 "Corporation GA100 [A100 PCIe 80GB] [10de:20b5]\n"
					 "             |                               |            \\-00.1\n"
					 "             |                               \\-10.0-[04]--\n"
					 "             \\-1f.3  Intel Corporation Audio\n",
					 NULL);

	(void)state;
	assert_int_equal(gv_count(run, GV_PCI, NULL), 11);
	parent_is(run, "0000:03:00.0", "0000:02:00.0");
	parent_is(run, "0000:03:00.1", "0000:02:00.0");
	parent_is(run, "0000:02:10.0", "0000:01:00.0");
	parent_is(run, "0000:01:00.0", "0000:00:01.1");
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_end(run);
}

static void test_lspci(void **state)
{
	struct gv_run *run = gv_test_run(
	    "whole",
	    "41:00.0 3D controller: NVIDIA Corporation AD102GL [L40S] (rev a1)\n"
	    "\tRegion 0: Memory at 80000000 (64-bit, prefetchable) [size=16M]\n"
	    "\tRegion 1: Memory at 20000000000 (64-bit, prefetchable) [size=64G]\n"
	    "\tRegion 3: Memory at <unassigned> (64-bit, prefetchable)\n"
	    "\tRegion 5: I/O ports at <unassigned> [disabled]\n\tIOMMU group: 31\n"
	    "\tCapabilities: [bb0 v1] Physical Resizable BAR\n"
	    "\t\tBAR 1: current size: 64GB, supported: 64MB 128MB 256MB 64GB\n"
	    "42:00.0 3D controller: NVIDIA Corporation AD102GL [L40S] (rev a1)\n\tCapabilities: <access denied>\n",
	    NULL);
	struct gv_entity *pci = thing(run, GV_PCI, "0000:41:00.0");

	(void)state;
	gv_test_is_num(pci, GV_F_PCI_BAR_NONE, 3);
	gv_test_is_num(pci, GV_F_PCI_BAR_SIZE, 65536);
	gv_test_is_num(pci, GV_F_PCI_BAR_RESIZE, 65536);
	gv_test_is_text(pci, GV_F_PCI_IOMMU, "31");
	assert_false(gv_num(thing(run, GV_PCI, "0000:42:00.0"), GV_F_PCI_WIDTH, NULL));
	assert_int_equal(gv_slot_of(thing(run, GV_PCI, "0000:42:00.0"), GV_F_PCI_WIDTH)->n, 1);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_package_lists), cmocka_unit_test(test_package_logs),
		cmocka_unit_test(test_modinfo),	      cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_secure_boot),   cmocka_unit_test(test_machine),
		cmocka_unit_test(test_tree),	      cmocka_unit_test(test_lspci),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
