/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of PCI, network, kernel modules, environment, Kubernetes, ROCm and PyTorch outputs: what people's pastes do
 * to them. */
#include "pipeline.h"

#include "format/common.h"

static struct gv_entity *seen(const struct gv_run *run, enum gv_entity_kind k, const char *id)
{
	struct gv_entity *e = gv_by_id(run, k, NULL, gv_str_of(id));

	if (!e)
		fail_msg("no %s %s", gv_entity_name[k], id);
	return e;
}

static void test_ip_link_columns(void **state)
{
	struct gv_run *run =
	    gv_test_run("ip.txt",
			"2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group "
			"default qlen 1000\n"
			"link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
			"RX: bytes packets errors dropped missed mcast\n"
			"900 80 1 12 3 40\n"
			"TX: bytes packets errors dropped carrier collsns\n"
			"800 70 2 5 0 0\n"
			"3: ib0@eth0: <NO-CARRIER,BROADCAST,UP> mtu 2044 qdisc mq state DOWN mode DEFAULT qlen 256\n"
			"    link/infiniband 00:00:10:86 brd 00:ff:ff:ff\n"
			"    RX: bytes  packets  errors  dropped overrun mcast\n"
			"    10         5        0       7       9       0\n"
			"    RX errors: length   crc     frame   fifo    missed\n"
			"               0        0       0       0       77\n",
			NULL);
	struct gv_entity *e = seen(run, GV_NIC, "eth0"), *ib = seen(run, GV_NIC, "ib0");

	(void)state;
	assert_true(gv_test_num(e, GV_F_NIC_RX_BYTES) == 900);
	assert_true(gv_test_num(e, GV_F_NIC_RX_DROPPED) == 12);
	assert_true(gv_test_num(e, GV_F_NIC_RX_MISSED) == 3);
	assert_true(gv_test_num(e, GV_F_NIC_TX_DROPPED) == 5);
	assert_true(gv_test_num(e, GV_F_NIC_MTU) == 9000);
	assert_true(gv_flag(e, GV_F_NIC_LINK));
	assert_true(gv_test_num(ib, GV_F_NIC_RX_DROPPED) == 7);
	assert_false(gv_num(ib, GV_F_NIC_RX_MISSED, NULL)); /* overrun is another thing */
	assert_true(gv_test_num(ib, GV_F_NIC_LINK) == 0);
	gv_test_is_text(ib, GV_F_NIC_STATE, "DOWN");
	gv_test_end(run);
}

static void test_ethtool(void **state)
{
	struct gv_run *run = gv_test_run("e.txt",
					 "$ ethtool -i ens1\n"
					 "driver: mlx5_core\nversion: 5.15\nfirmware-version: 28.39.1002 (MT_1)\n"
					 "bus-info: 0000:5e:00.0\n"
					 "$ ethtool -S ens1 | grep -E 'discard|buffer'\n"
					 "     rx_out_of_buffer: 1234\n     rx_discards_phy: 99\n"
					 "$ ethtool tap0\n"
					 "Settings for tap0:\n\tSpeed: Unknown!\n\tLink detected: no\n"
					 "Settings for ens1:\n\tSpeed: 100000Mb/s\n\tLink detected: yes\n",
					 NULL);
	struct gv_entity *e = seen(run, GV_NIC, "ens1"), *tap = seen(run, GV_NIC, "tap0");

	(void)state;
	gv_test_is_text(e, GV_F_NIC_DRIVER, "mlx5_core");
	gv_test_is_text(e, GV_F_NIC_BUS_ID, "0000:5e:00.0");
	assert_true(gv_test_num(e, GV_F_NIC_RX_MISSED) == 1234);
	assert_true(gv_test_num(e, GV_F_NIC_SPEED) == 100000);
	assert_false(gv_num(tap, GV_F_NIC_SPEED, NULL));
	assert_true(gv_test_num(tap, GV_F_NIC_LINK) == 0);
	gv_test_end(run);
}

static void test_lspci_grepped(void **state)
{
	struct gv_run *run = gv_test_run("l.txt",
					 "me@box:~$ sudo lspci -s 41:00.0 -vv | egrep -i 'LnkCap|LnkSta'\n"
					 "LnkCap: Port #0, Speed 16GT/s, Width x16\n"
					 "LnkSta: Speed 2.5GT/s (downgraded), Width x8 (downgraded)\n"
					 "me@box:~$ lspci -vvv | grep ACSCtl\n"
					 "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n"
					 "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd-\n",
					 NULL);
	struct gv_entity *e = gv_by_key(run, GV_PCI, NULL, GV_KEY_BUS, GV_STR("0000:41:00.0"));
	size_t on = 0, off = 0;
	bool redir;

	(void)state;
	assert_non_null(e);
	assert_true(gv_test_num(e, GV_F_PCI_CAP_WIDTH) == 16);
	assert_true(gv_test_num(e, GV_F_PCI_WIDTH) == 8);
	assert_true(gv_test_num(e, GV_F_PCI_SPEED) == 2.5);
	assert_true(gv_flag(e, GV_F_PCI_WIDTH_DOWN));
	for (e = NULL; (e = gv_each(run, GV_PCI, NULL, e));)
		if (gv_flag_known(e, GV_F_PCI_ACS_REDIR, &redir)) {
			on += redir;
			off += !redir;
		}
	assert_int_equal(on, 1);
	assert_int_equal(off, 1);
	gv_test_end(run);
}

static void test_lspci_gpus(void **state)
{
	struct gv_run *run =
	    gv_test_run("l.txt",
			"00:02.0 VGA compatible controller: Intel Corporation UHD Graphics 630 (rev 02)\n"
			"03:00.0 VGA compatible controller [0300]: ASPEED Technology, Inc. ASPEED Graphics Family "
			"[1a03:2000] (rev 41)\n"
			"05:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram "
			"[Instinct MI300X] "
			"[1002:74a1]\n"
			"\tLnkSta: Speed unknown, Width x0 (downgraded)\n"
			"06:00.0 Bridge [0680]: NVIDIA Corporation GH100 [H100 NVSwitch] [10de:22a3] (rev a1)\n"
			"0000:07:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 80GB] (rev ff) (prog-if ff)\n"
			"\t!!! Unknown header type 7f\n"
			"\tKernel driver in use: nvidia\n"
			"08:00.0 3D controller: NVIDIA Corporation Device 2901 (rev a1)\n",
			NULL);
	struct gv_entity *amd = seen(run, GV_GPU, "0000:05:00.0"), *gone = seen(run, GV_GPU, "0000:07:00.0");

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 3);
	assert_int_equal(gv_count(run, GV_PCI, NULL), 6);
	gv_test_is_text(amd, GV_F_GPU_NAME, "Instinct MI300X");
	gv_test_is_text(amd, GV_F_GPU_VENDOR, "amd");
	/* no link of its own: neither a width nor a loss of it */
	assert_false(gv_num(seen(run, GV_PCI, "0000:05:00.0"), GV_F_PCI_WIDTH, NULL));
	assert_false(gv_flag(seen(run, GV_PCI, "0000:05:00.0"), GV_F_PCI_WIDTH_DOWN));
	assert_true(gv_text(gone, GV_F_GPU_BROKEN).n > 0);
	assert_true(gv_flag(seen(run, GV_PCI, "0000:07:00.0"), GV_F_PCI_REV_FF));
	gv_test_is_text(seen(run, GV_PCI, "0000:07:00.0"), GV_F_PCI_DRIVER, "nvidia");
	assert_int_equal(gv_text(seen(run, GV_GPU, "0000:08:00.0"), GV_F_GPU_NAME).n, 0);
	gv_test_end(run);
}

static void test_lspci_machine_readable(void **state)
{
	struct gv_run *run =
	    gv_test_run("l.txt",
			"Slot:\t0b:00.0\nClass:\t3D controller [0302]\nVendor:\tNVIDIA Corporation [10de]\n"
			"Device:\tGA100 [A100 PCIe 40GB] [20f1]\nRev:\ta1\nDriver:\tnvidia\n\n"
			"$ lspci -mm\n"
			"09:00.0 \"3D controller\" \"NVIDIA Corporation\" \"GH100 [H100 SXM5 80GB]\" -rff \"\" \"\"\n",
			NULL);

	(void)state;
	gv_test_is_text(seen(run, GV_GPU, "0000:0b:00.0"), GV_F_GPU_NAME, "A100 PCIe 40GB");
	gv_test_is_text(seen(run, GV_PCI, "0000:0b:00.0"), GV_F_PCI_DRIVER, "nvidia");
	gv_test_is_text(seen(run, GV_GPU, "0000:09:00.0"), GV_F_GPU_BROKEN, "rev ff");
	gv_test_end(run);
}

static void test_uname(void **state)
{
	static const struct {
		const char *text, *kernel;
	} t[] = {
		{ "Linux n1 5.15.0-94-generic #104-Ubuntu SMP Tue Jan 9 UTC 2024 x86_64 GNU/Linux\n",
		  "5.15.0-94-generic" },
		{ "Linux gh 6.8.0-1010-nvidia-64k #10-Ubuntu SMP Wed Jan 8 UTC 2025 aarch64 aarch64 aarch64 GNU/Linux\n",
		  "6.8.0-1010-nvidia-64k" },
		{ "$ uname -r\n6.8.12\n", "6.8.12" },
		{ "4.18.0-553.el8.x86_64\n", "4.18.0-553.el8.x86_64" },
		{ "550.54.14\n", "" }, /* a version of something else */
		{ "2.1.0-rc1\n", "" },
		{ "Linux version 5.4.0-1-generic (b@h) (gcc) #1 SMP\n[    0.0] a\n[    0.1] b\n[    0.2] c\n", "" },
		{ "Linux 6.8.0 (node01) \t11/30/26 \t_x86_64_\t(96 CPU)\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct gv_run *run = gv_test_run("u.txt", t[i].text, NULL);
		gv_str got = gv_text(gv_test_node(run), GV_F_KERNEL);

		if (!gv_is(got, t[i].kernel) && !gv_starts(gv_str_of(t[i].text), "Linux 6.8.0 (node01)"))
			fail_msg("%s gives %.*s", t[i].text, GV_ARG(got));
		if (i < 2)
			gv_test_is_text(gv_test_node(run), GV_F_MACHINE, i ? "aarch64" : "x86_64");
		gv_test_end(run);
	}
}

extern const struct gv_format gv_format_dkms, gv_format_uname;

static void test_uname_leaves_iostat(void **state)
{
	gv_str s = GV_STR("Linux 6.8.0 (node01) \t11/30/26 \t_x86_64_\t(96 CPU)");
	struct gv_line l = { .raw = s, .text = s, .no = 1 };
	struct gv_seg seg = { .n = 1 };

	(void)state;
	assert_int_equal(gv_format_uname.claim(&l, 1, &seg), 0);
}

static void test_dkms(void **state)
{
	struct gv_run *run =
	    gv_test_run("d.txt",
			"nvidia, 470.57.02, 5.4.0-81-generic, x86_64: installed (WARNING! Diff between built and "
			"installed module!)\n"
			"nvidia/550.54.14: added\n"
			"amdgpu/6.16.6-22, 6.8.0-88-generic, x86_64: built\n",
			NULL);
	struct gv_entity *e = seen(run, GV_MODULE, "nvidia/470.57.02/5.4.0-81-generic");

	(void)state;
	gv_test_is_text(e, GV_F_MODULE_STATE, "installed");
	gv_test_is_text(e, GV_F_MODULE_KERNEL, "5.4.0-81-generic");
	assert_true(gv_flag(e, GV_F_MODULE_DIFF));
	e = seen(run, GV_MODULE, "nvidia/550.54.14");
	gv_test_is_text(e, GV_F_MODULE_STATE, "added");
	assert_int_equal(gv_text(e, GV_F_MODULE_KERNEL).n, 0);
	gv_test_is_text(seen(run, GV_MODULE, "amdgpu/6.16.6-22/6.8.0-88-generic"), GV_F_MODULE_STATE, "built");
	gv_test_end(run);
}

static void test_dkms_empty(void **state)
{
	gv_str p = GV_STR("$ dkms status"), none = GV_STR(""), row = GV_STR("nvidia/550.54.14: added");
	struct gv_line l[2] = { { .raw = p, .text = p, .no = 1, .flags = GV_LINE_PROMPT },
				{ .raw = none, .text = none, .no = 2 } };
	struct gv_seg seg = { .cmd = GV_STR("dkms status"), .first = 1, .n = 1 };

	(void)state;
	assert_int_equal(gv_format_dkms.claim(l, 2, &seg), 2);
	l[1].text = row;
	assert_int_equal(gv_format_dkms.claim(l, 2, &seg), 0);
	l[1].text = none;
	seg.cmd = GV_STR("dkms status | grep vbox");
	assert_int_equal(gv_format_dkms.claim(l, 2, &seg), 0);
}

static void test_env(void **state)
{
	struct gv_run *run =
	    gv_test_run("env.txt",
			"HOME=/root\nCUDA_VISIBLE_DEVICES=\nNCCL_IB_HCA=\"mlx5_0,mlx5_1\"\n"
			"NVIDIA_REQUIRE_CUDA=cuda>=12.1 brand=tesla\n",
			"job.sh",
			"#!/bin/bash\nset -e\nexport NCCL_DEBUG=INFO # loud\nexport MASTER_ADDR=$(hostname)\n"
			"CUDA_VISIBLE_DEVICES=5 python a.py\nOMP_NUM_THREADS=8\necho done\n",
			NULL);
	struct gv_entity *e;

	(void)state;
	gv_test_is_text(seen(run, GV_VAR, "CUDA_VISIBLE_DEVICES"), GV_F_VAR_VALUE, "\"\"");
	gv_test_is_text(seen(run, GV_VAR, "NCCL_IB_HCA"), GV_F_VAR_VALUE, "mlx5_0,mlx5_1");
	gv_test_is_text(seen(run, GV_VAR, "NVIDIA_REQUIRE_CUDA"), GV_F_VAR_VALUE, "cuda>=12.1 brand=tesla");
	gv_test_is_text(seen(run, GV_VAR, "NCCL_DEBUG"), GV_F_VAR_VALUE, "INFO");
	/* only a shell knows it */
	e = gv_by_id(run, GV_VAR, NULL, GV_STR("MASTER_ADDR"));
	assert_true(!e || !gv_obs(e, GV_F_VAR_VALUE));
	/* an assignment inside a script */
	assert_null(gv_by_id(run, GV_VAR, NULL, GV_STR("OMP_NUM_THREADS")));
	assert_null(gv_by_id(run, GV_VAR, NULL, GV_STR("HOME")));
	gv_test_end(run);

	run = gv_test_run("t.txt", "$ echo $CUDA_VISIBLE_DEVICES\n2,3\n", NULL);
	gv_test_is_text(seen(run, GV_VAR, "CUDA_VISIBLE_DEVICES"), GV_F_VAR_VALUE, "2,3");
	gv_test_end(run);
}

static void test_kubectl_node(void **state)
{
	struct gv_run *run = gv_test_run(
	    "n.txt",
	    "Name:               gpu-1\nRoles:              worker\n"
	    "Labels:             kubernetes.io/os=linux\n"
	    "                    nvidia.com/gpu.deploy.dcgm=true\n"
	    "                    nvidia.com/gpu.present=true\n"
	    "Taints:             nvidia.com/gpu=present:NoSchedule\n"
	    "Unschedulable:      true\n"
	    "Conditions:\n"
	    "  Type             Status  LastHeartbeatTime  LastTransitionTime  Reason  Message\n"
	    "  ----             ------  -----------------  ------------------  ------  -------\n"
	    "  Ready            False   Mon, 01 Jan 2024   Mon, 01 Jan 2024    X       y\n"
	    "Capacity:\n  cpu: 64\n  memory: 1Gi\n  nvidia.com/gpu: 8\n  nvidia.com/mig-1g.10gb: 0\n  pods: 110\n"
	    "Allocatable:\n  cpu: 62\n  memory: 1Gi\n  nvidia.com/gpu: 7\n  nvidia.com/mig-1g.10gb: 0\n  pods: 110\n"
	    "System Info:\n  Kernel Version:  5.15.0-91-generic\n"
	    "Allocated resources:\n"
	    "  (Total limits may be over 100 percent, i.e., overcommitted.)\n"
	    "  Resource           Requests  Limits\n  --------           --------  ------\n"
	    "  cpu                1 (2%)    1 (2%)\n  nvidia.com/gpu     6         6\n"
	    "Events:              <none>\n",
	    NULL);
	struct gv_entity *e = gv_test_node(run);

	(void)state;
	assert_true(gv_test_num(e, GV_F_K8S_CAPACITY) == 8);
	assert_true(gv_test_num(e, GV_F_K8S_ALLOCATABLE) == 7);
	assert_true(gv_test_num(e, GV_F_K8S_ALLOCATED) == 6);
	gv_test_is_text(e, GV_F_K8S_RESOURCE, "nvidia.com/gpu");
	gv_test_is_text(e, GV_F_K8S_GPU_LABEL, "nvidia.com/gpu.present=true");
	gv_test_is_text(e, GV_F_K8S_READY, "False");
	gv_test_is_text(e, GV_F_K8S_NAME, "gpu-1");
	gv_test_is_text(e, GV_F_KERNEL, "5.15.0-91-generic");
	assert_true(gv_flag(e, GV_F_K8S_UNSCHEDULABLE));
	assert_false(gv_flag(e, GV_F_K8S_NO_GPU_LINE));
	gv_test_end(run);
}

static void test_kubectl_node_excerpts(void **state)
{
	struct gv_run *run = gv_test_run("a.txt",
					 "$ kubectl describe node gpu-7 | sed -n '/Allocatable:/,/Events:/p'\n"
					 "Allocatable:\ncpu: 62\nmemory: 503842Mi\npods: 110 and more words\n",
					 NULL);

	(void)state;
	assert_true(gv_flag(gv_test_node(run), GV_F_K8S_NO_GPU_LINE));
	assert_false(gv_num(gv_test_node(run), GV_F_K8S_ALLOCATABLE, NULL));
	gv_test_end(run);

	run = gv_test_run("b.txt",
			  "$ kubectl describe node gpu-7 | grep nvidia.com/gpu\n"
			  "  nvidia.com/gpu:     8\n  nvidia.com/gpu:     0\n  nvidia.com/gpu     0     0\n",
			  NULL);
	assert_true(gv_test_num(gv_test_node(run), GV_F_K8S_CAPACITY) == 8);
	assert_true(gv_test_num(gv_test_node(run), GV_F_K8S_ALLOCATABLE) == 0);
	assert_false(gv_flag(gv_test_node(run), GV_F_K8S_NO_GPU_LINE));
	gv_test_end(run);

	/* an agent's pool, not a node */
	run =
	    gv_test_run("c.txt", "      Size: 64(0x40) KB\n      Allocatable: FALSE\n      Alloc Granule: 0KB\n", NULL);
	assert_false(gv_flag(gv_test_node(run), GV_F_K8S_NO_GPU_LINE));
	gv_test_end(run);
}

static void test_kubectl_pod(void **state)
{
	struct gv_run *run =
	    gv_test_run("p.txt",
			"Name:             train-0\nNamespace:        ml\nNode:             gpu-3/192.0.2.3\n"
			"Status:           Running\nContainers:\n"
			"  side:\n    State:          Running\n      Started:      Mon\n    Restart Count:  0\n"
			"  main:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n"
			"    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"
			"    Restart Count:  7\n    Limits:\n      memory:  64Gi\n      nvidia.com/gpu:  2\n"
			"    Requests:\n      nvidia.com/gpu:  2\n"
			"Node-Selectors:   gpu=true\n                  zone=a\n"
			"Events:\n  Type     Reason   Age               From     Message\n"
			"  Warning  BackOff  43s (x3 over 2m)  kubelet  Back-off restarting failed container main\n",
			NULL);
	struct gv_entity *e = seen(run, GV_POD, "ml/train-0");

	(void)state;
	gv_test_is_text(e, GV_F_POD_NODE, "gpu-3");
	gv_test_is_text(e, GV_F_POD_STATUS, "Running");
	gv_test_is_text(e, GV_F_POD_REASON, "CrashLoopBackOff");
	gv_test_is_text(e, GV_F_POD_LAST_REASON, "OOMKilled");
	assert_true(gv_test_num(e, GV_F_POD_EXIT_CODE) == 137);
	assert_true(gv_test_num(e, GV_F_POD_RESTARTS) == 7);
	assert_true(gv_test_num(e, GV_F_POD_GPU_LIMIT) == 2);
	gv_test_is_text(e, GV_F_POD_SELECTOR, "gpu=true zone=a");
	gv_test_is_text(e, GV_F_POD_EVENT_TEXT, "Back-off restarting failed container main");
	gv_test_end(run);
}

static void test_kubectl_pod_squeezed(void **state)
{
	struct gv_run *run =
	    gv_test_run("p.txt",
			"$ kubectl describe pod infer-6c kp | sed -n '1,160p'\n"
			"Limits:\nnvidia.com/gpu: 1\nRequests:\nnvidia.com/gpu: 1\nNode-Selectors: gpu=true\n"
			"Events:\nType Reason Age From Message\n---- ------ ---- ---- -------\n"
			"Normal Scheduled 2m default-scheduler Successfully assigned prod/infer-... to gpu-node-12\n",
			NULL);
	struct gv_entity *e = seen(run, GV_POD, "prod/infer-6c");

	(void)state;
	assert_true(gv_test_num(e, GV_F_POD_GPU_LIMIT) == 1);
	gv_test_is_text(e, GV_F_POD_NODE, "gpu-node-12");
	gv_test_end(run);
}

static void test_rocminfo(void **state)
{
	struct gv_run *run =
	    gv_test_run("r.txt",
			"\033[37mROCk module is loaded\033[0m\n=====================\nHSA System "
			"Attributes\n=====================\n"
			"Runtime Version:         1.14\n==========\nHSA Agents\n==========\n*******\nAgent 1\n*******\n"
			"  Name:                    AMD EPYC 9654\n  Uuid:                    CPU-XX\n  Device Type:   "
			"          CPU\n"
			"*******\nAgent 2\n*******\n"
			"  Name:                    gfx942\n  Uuid:                    GPU-0123456789abcdef\n"
			"  Marketing Name:          AMD Instinct MI300X\n  Device Type:             GPU\n"
			"  BDFID:                   26112\n  Compute Unit:            304\n  ISA Info:\n    ISA 1\n"
			"      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-\n    ISA 2\n"
			"      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-\n*** Done ***\n",
			NULL);
	struct gv_entity *e = seen(run, GV_GPU, "0000:66:00.0");

	(void)state;
	assert_int_equal(gv_count(run, GV_GPU, NULL), 1);
	gv_test_is_text(e, GV_F_GPU_ARCH, "gfx942");
	gv_test_is_text(e, GV_F_GPU_NAME, "AMD Instinct MI300X");
	gv_test_is_text(e, GV_F_GPU_ISA, "gfx942:sramecc+:xnack-");
	assert_true(gv_test_num(e, GV_F_GPU_UNITS) == 304);
	gv_test_is_text(gv_test_node(run), GV_F_ROCM_HSA, "1.14");
	assert_true(gv_flag(gv_test_node(run), GV_F_ROCM_MODULE));
	gv_test_end(run);

	run = gv_test_run("r.txt",
			  "ROCk module is loaded\nUnable to open /dev/kfd read-write: Permission denied\n"
			  "user is not member of \"render\" group\nhsa api call failure at: /src/rocminfo.cc:1142\n"
			  "Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: more words\n",
			  NULL);
	gv_test_is_text(gv_test_node(run), GV_F_ROCM_ERROR, "Unable to open /dev/kfd read-write: Permission denied");
	gv_test_end(run);
}

static void test_torch_commands(void **state)
{
	struct gv_run *run = gv_test_run(
	    "t.txt",
	    "$ python3 -c \"import torch; print(torch.version.cuda); print(torch.cuda.is_available())\"\n"
	    "/x/torch/cuda/__init__.py:138: UserWarning: CUDA initialization: too old (found version 11040).\n"
	    "  return torch._C._cuda_getDeviceCount() > 0\n"
	    "12.1\nFalse\n"
	    ">>> torch.__version__, torch.version.hip is not None, torch.cuda.device_count()\n"
	    "('2.1.0+cu121', False, 4)\n"
	    ">>> print('torch', torch.cuda.get_device_name(1), torch.cuda.is_available())\n"
	    "torch NVIDIA A100-SXM4-80GB False\n"
	    ">>> torch.cuda.get_device_capability(1)\n(8, 0)\n"
	    ">>> torch.cuda.get_arch_list()\n['sm_80', 'sm_90']\n",
	    NULL);
	struct gv_entity *e = gv_test_node(run), *gpu = seen(run, GV_GPU, "gpu1");

	(void)state;
	gv_test_is_text(e, GV_F_TORCH_CUDA, "12.1");
	gv_test_is_text(e, GV_F_TORCH_VERSION, "2.1.0+cu121");
	gv_test_is_text(e, GV_F_TORCH_ARCHS, "sm_80 sm_90");
	assert_true(gv_test_num(e, GV_F_TORCH_GPU) == 0);
	assert_true(gv_test_num(e, GV_F_TORCH_DEVICES) == 4);
	gv_test_is_text(gpu, GV_F_GPU_NAME, "NVIDIA A100-SXM4-80GB");
	gv_test_is_text(gpu, GV_F_GPU_COMPUTE_CAP, "8.0");
	gv_test_end(run);

	/* values without the command that gives them a meaning */
	run = gv_test_run("t.txt", "12.1\nTrue\n", NULL);
	assert_false(gv_flag_known(gv_test_node(run), GV_F_TORCH_GPU, NULL));
	assert_int_equal(gv_text(gv_test_node(run), GV_F_TORCH_CUDA).n, 0);
	gv_test_end(run);
}

static void test_torch_labels(void **state)
{
	struct gv_run *run = gv_test_run("c.txt",
					 "Collecting environment information...\nPyTorch version: 2.1.0+cpu\n"
					 "Is debug build: False\nCUDA used to build PyTorch: Could not collect\n"
					 "ROCM used to build PyTorch: N/A\n\nOS: Ubuntu 22.04.3 LTS (x86_64)\n"
					 "Is CUDA available: False\nCUDA runtime version: 12.2.140\n"
					 "GPU models and configuration: \nGPU 0: NVIDIA A100-PCIE-40GB\n"
					 "Nvidia driver version: 535.104.05\n",
					 NULL);

	(void)state;
	gv_test_is_text(gv_test_node(run), GV_F_TORCH_VERSION, "2.1.0+cpu");
	gv_test_is_text(gv_test_node(run), GV_F_TORCH_CUDA, "None");
	gv_test_is_text(gv_test_node(run), GV_F_DRIVER_KERNEL, "535.104.05");
	assert_true(gv_test_num(gv_test_node(run), GV_F_TORCH_GPU) == 0);
	gv_test_is_text(seen(run, GV_GPU, "gpu0"), GV_F_GPU_NAME, "NVIDIA A100-PCIE-40GB");
	gv_test_end(run);

	run = gv_test_run("d.txt", "some text\ntorch.cuda.is_available(): False\nother\n", NULL);
	assert_true(gv_test_num(gv_test_node(run), GV_F_TORCH_GPU) == 0);
	gv_test_end(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip_link_columns),
		cmocka_unit_test(test_ethtool),
		cmocka_unit_test(test_lspci_grepped),
		cmocka_unit_test(test_lspci_gpus),
		cmocka_unit_test(test_lspci_machine_readable),
		cmocka_unit_test(test_uname),
		cmocka_unit_test(test_uname_leaves_iostat),
		cmocka_unit_test(test_dkms),
		cmocka_unit_test(test_dkms_empty),
		cmocka_unit_test(test_env),
		cmocka_unit_test(test_kubectl_node),
		cmocka_unit_test(test_kubectl_node_excerpts),
		cmocka_unit_test(test_kubectl_pod),
		cmocka_unit_test(test_kubectl_pod_squeezed),
		cmocka_unit_test(test_rocminfo),
		cmocka_unit_test(test_torch_commands),
		cmocka_unit_test(test_torch_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
