/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words by which the redactor tells names and secrets from all else. One look-up says in which lists a word
 * is. */
#include "core/redact_common.h"

#include "core/table.h"

/* Words that stand in outputs of all sorts: a user or host of that name is replaced only where the place says that it
 * is one. Words of the log signatures are added. */
static const char vocabulary[] =
    "access account action active adapter address admin affinity after agent all alloc allocated "
    "allreduce already amd amdgpu and api app application applications arch args array asic assigned "
    "async attached attention audio auto available avg bandwidth bar base bash batch benchmark bin "
    "bios block board boot bootstrap bound bridge broadcast buffer buffers build builder bus bytes "
    "cache call capacity card center cgroup channel check checkpoint chip class client clock clocks "
    "cloud cluster code collective command common compatible complete compose compute config "
    "connected connection console container containers containerd control controller cooling copy "
    "core cores corporation correctable corrected count counter cpu cron cuda cudnn current daemon "
    "data dataloader dataset date debug decode default defined degraded demo deploy desktop dev "
    "develop device devices diag direct directory disable disabled disk disks display dist dns docker "
    "domain down driver drivers dynamic ecc edge enabled encode end engine env epoch error errors eth "
    "ether ethernet evaluation event events exec execution exit expected experiment exporter external "
    "fabric failed fallback false fan fast fatal fault fifo file files filesystem firmware flags "
    "flash float forward frame free from full function gateway general generation generic get gpu "
    "gpus graph graphics group guest handle hardware head health heap help high home host hosts hours "
    "http https idle ignore image import index info inference infiniband init input install instance "
    "intel interface internal interrupt invalid item job jobs kernel key kill lab label large latency "
    "launch layer learning left legacy lib library limit limits line link linux list load loader "
    "local localhost lock log login logs long loss low lower machine main major make management "
    "manager map mask master math max mean medium mem memory mesh message meta min minor miss mix "
    "mode model models module modules monitor mount name namespace native net network new next nfs "
    "nic nodes node none normal not null number numa nvidia nvlink object off offline offset online "
    "only open operation operator option optional order other out output over overlay owner package "
    "page pages parallel param parent partition pass path pci pcie peer pending perf performance "
    "persistence physical pid pin pipeline plugin pod pods point policy pool port ports post power "
    "precision prefetch present primary print private probe process processes product production prog "
    "program project protocol proxy public python pytorch queue rack random range rank rate ray read "
    "reader ready real reason receive recovery reduce registry release remote render replica report "
    "request requests reserved reset resource resources result retired reverse right ring rocm role "
    "root router row run runner running runtime safe sample sched scheduler score script sdk sec "
    "second seconds security segment self send sensor serial server service serving session set setup "
    "shared shell shm shutdown signal silent single site size sleep slice slot slow slurm small "
    "socket soft source space speed split stable stack stage staging standard start started state "
    "static statistics stats status step steps stop storage store stream string student sub subnet "
    "summary super support suspend swap switch sync sys system systemd table tag target task tasks "
    "team temp temperature tensor test tester testing tests text the thermal thread threads throttle "
    "time timeout timer tiny tmp token tokenizer tool tools top topology torch total trace tracker "
    "train trainer training transfer transport tree trial true tty tune tunnel type ubuntu "
    "uncorrectable unit unknown update upload upper usage user users util utilization valid value "
    "vendor version video view virtual virt visible voltage volume wait warn warning watch web weight "
    "width window work worker workers workload workspace write writer yes zero";

static const struct {
	uint32_t list;
	const char *words;
} lists[] = {
	/* in the name of a value: that it is a secret */
	{ GV_L_STRONG, "password passwd passwort passphrase passcode secret secrets apikey credential credentials "
		       "privatekey accesskey secretkey authkey authtoken accesstoken refreshtoken identitytoken "
		       "clientsecret sshpass pgpassword storepass keypass bindpw rootpw userpw dbpass passwords" },
	/* as the last word of a name: that it may be one */
	{ GV_L_WEAK, "token auth session cookie cookies pass key private sig signature jwt bearer authorization dsn "
		     "webhook otp salt pwd pw pin psk license" },
	/* before "key" */
	{ GV_L_KEY_KIND,
	  "api access private secret signing encryption auth account storage license master session shared "
	  "client ssh service deploy app application wandb consumer project" },
	/* as the last word: that the value is about a secret */
	{ GV_L_ABOUT,
	  "file path dir directory sock socket name type ttl timeout seconds expiration expires len length "
	  "size count num max min limit limits enabled store helper port user host hosts mode method policy "
	  "provider status state ref version rate url uri endpoint class format count total used remaining "
	  "interval retries rotation algorithm algo digest length parallelism manager bus desktop required "
	  "optional owner group ids budget window" },
	/* keys, without what parts their words */
	{ GV_L_K_USER, "user username userid login loginname logname sudouser owner runasuser ruser acct auid suser "
		       "remoteuser groupid account pbsologname slurmjobuser gitauthorname mailto submituser "
		       "slurmjobaccount kubeuser dbuser dbusername" },
	{ GV_L_K_HOST, "hostname nodename masteraddr masterhost batchhost nodelist slurmdnodename slurmnodelist "
		       "slurmjobnodelist slurmsubmithost statichostname transienthostname nodehostname nodeaddr "
		       "rdzvendpoint reqnodelist excnodelist schednodelist computername submithost pbsohost "
		       "kubernetesiohostname hostport fqdn nodedescription nodedesc remotehost k8snodename mynodename "
		       "inithost headnode exechost execvnode targethost pghost dbhost mysqlhost redishost smtphost "
		       "mailhost rayheadnode allocatednodes hostnames reportedby hostlist kubernetesiohost "
		       "nvidiavisiblehost chassishostname rdzvhost torchelasticmasteraddr" },
	/* may mean something else */
	{ GV_L_K_HOST_WEAK, "host node peer endpoint instance rhost sid dsthost srchost hosts" },
	{ GV_L_K_SERIAL, "serial serialnumber serialno boardserial boardserialnumber assettag asicserial productserial "
			 "chassisserial chassisserialnumber systemserial systemserialnumber productserialnumber sn "
			 "gpuserial serialnum moduleserialnumber chassisassettag boardassettag deviceserial fruserial "
			 "idserial idserialshort lunwwn vendorsn vendorserial partserialnumber trayserialnumber "
			 "idscsiserial vendorspecific" },
	/* 32 digits without dashes */
	{ GV_L_K_UUID, "machineid bootid invocationid systemuuid sessionid clusterid journalid" },
	/* of HTTP */
	{ GV_L_K_HEADER, "authorization proxyauthorization xapikey xauthtoken cookie setcookie xamzsecuritytoken "
			 "xamzsignature xamzcredential xvaulttoken privatetoken jobtoken xgitlabtoken" },
	/* accounts and groups that every system may have */
	{ GV_L_ACCOUNT,
	  "root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody "
	  "nogroup _apt systemd-network systemd-resolve systemd-timesync systemd-coredump systemd-oom "
	  "systemd+ messagebus message+ syslog tss uuidd tcpdump sshd landscape pollinate ubuntu debian "
	  "centos rocky almalinux fedora ec2-user azureuser opc admin administrator user guest vagrant "
	  "nvidia nvidia-persistenced nvidia-+ nvidia-dcgm dcgm gdm lightdm sddm colord rtkit avahi polkitd "
	  "dbus ntp chrony _chrony postgres mysql redis mongodb nginx apache http git docker slurm munge "
	  "kube kubernetes jenkins gitlab-runner prometheus grafana node-exporter node_exporter nfsnobody "
	  "rpc rpcuser statd libvirt-qemu kvm qemu oauth2 x-access-token __token__ token buildd dvs-builder "
	  "mockbuild appuser nonroot postfix dovecot zabbix nrpe nagios rabbitmq elasticsearch haldaemon "
	  "setroubleshoot unbound tomcat squid named bind ceph telegraf influxdb consul vault etcd nslcd "
	  "oprofile saslauth radvd geoclue kernoops whoopsie hplip pulse saned usbmux cockpit-ws polkit "
	  "systemd message rtkit-daemon libstoragemgmt abrt none null true false unknown any all no yes n/a "
	  "uid gid pid who me adm wheel sudo users staff video render audio input disk tty plugdev lpadmin "
	  "cdrom dip lxd libvirt wireshark sgx crontab ssh utmp shadow" },
	/* no names of hosts, whatever the place */
	{ GV_L_NOT_HOST,
	  "localhost localhost.localdomain none null true false auto any all yes no unknown default on off "
	  "enabled disabled n/a na the a an is in to of for and or not this local remote ip6-localhost "
	  "ip6-loopback broadcasthost host hostname device cuda cpu gpu info warn warning error debug "
	  "notice err crit kernel linux version pinned pageable error: ubuntu debian centos fedora rocky "
	  "arch archlinux nixos manjaro opensuse alpine raspberrypi unset empty self same server client "
	  "node it its with by from at on was has be" },
	/* services whose names tell nothing about who uses them; what ends so stays */
	{ GV_L_PUBLIC,
	  "github.com gitlab.com githubusercontent.com github.io huggingface.co hf.co pypi.org "
	  "pythonhosted.org pytorch.org python.org nvidia.com nvcr.io docker.io docker.com quay.io gcr.io "
	  "ghcr.io pkg.dev k8s.io kubernetes.io google.com googleapis.com gstatic.com microsoft.com "
	  "ubuntu.com debian.org redhat.com fedoraproject.org centos.org rockylinux.org kernel.org "
	  "anaconda.org anaconda.com conda.io conda-forge.org wandb.ai wandb.com openai.com anthropic.com "
	  "amd.com intel.com apache.org gnu.org tensorflow.org mozilla.org freedesktop.org launchpad.net "
	  "stackoverflow.com readthedocs.io readthedocs.org ietf.org w3.org example example.com example.org "
	  "example.net cluster.local in-addr.arpa ip6.arpa ntp.org modelscope.cn ollama.ai ollama.com "
	  "systemd.io spdk.io open-mpi.org openucx.org mellanox.com rocm.io vllm.ai ray.io npmjs.org "
	  "npmjs.com crates.io golang.org localdomain" },
	/* names that many homes have */
	{ GV_L_HOME_NAME,
	  "activate bin lib lib64 lib32 libexec include share src etc opt var tmp usr local home root build dist out "
	  "logs log data datasets models model checkpoints checkpoint outputs output results runs scripts "
	  "tests test examples envs env venv .venv .env .cache .local .config .conda .ssh .kube .docker "
	  ".aws .triton .nv .cargo .rustup .npm .pyenv .ollama .vscode-server .ipython .jupyter .netrc "
	  ".bashrc .bash_history .profile .bash_profile .zshrc .pip .git .gitconfig .gnupg .cupy .keras "
	  ".mozilla .tmux .vim .vscode .mujoco .nccl.conf known_hosts authorized_keys id_rsa id_rsa.pub "
	  "id_ed25519 id_ed25519.pub config config.json credentials miniconda3 anaconda3 miniconda anaconda "
	  "miniforge3 mambaforge micromamba conda mamba pkgs huggingface hub datasets torch "
	  "torch_extensions miopen vllm triton pip uv nvidia cuda python python2 python3 versions "
	  "site-packages dist-packages node_modules __pycache__ snapshots blobs refs train.py main.py "
	  "run.sh train.sh run.py Desktop Documents Downloads Pictures Videos Music workspace work projects "
	  "project code repos github git go cpp" },
	/* endings of file names */
	{ GV_L_ENDING,
	  "py pyc pyi ipynb sh bash so a o c cc cpp cxx cu cuh h hpp rs go js ts java jar whl egg pt pth "
	  "bin safetensors ckpt onnx engine plan trt gguf ggml npy npz h5 hdf5 pkl pickle parquet arrow "
	  "tfrecord csv tsv json jsonl yaml yml toml cfg ini conf txt log out err md rst html xml tar gz "
	  "tgz zip xz zst bz2 7z deb rpm run sif sqsh img iso qcow2 lock pid sock tmp bak swp jpg jpeg png "
	  "mp4 wav pdf sbatch slurm pub pem key crt env db sqlite" },
	/* before credentials */
	{ GV_L_SCHEME, "bearer basic digest token negotiate apikey aws4-hmac-sha256 key" },
	/* stand for a value */
	{ GV_L_PLACEHOLDER,
	  "none null nil true false yes no on off n/a unknown default redacted empty unset disabled enabled "
	  "required optional not 0 1 - {} [] () basic bearer" },
	/* logs of who logs in */
	{ GV_L_LOGIN_TAG,
	  "sshd sshd-session sudo su login systemd-logind systemd cron crond polkitd useradd usermod "
	  "userdel groupadd passwd chpasswd unix_chkpwd gdm-password sssd audit auditd runuser dbus-daemon" },
	{ GV_L_CRON, "cron crond" },
	/* of log lines */
	{ GV_L_LEVEL, "info warn warning error debug" },
	{ GV_L_DAY, "Mon Tue Wed Thu Fri Sat Sun" },
	{ GV_L_MONTH, "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec" },
	/* before a version */
	{ GV_L_VERSION,
	  "version ver v rev revision release build driver firmware fw bios vbios cuda cudnn nccl tensorrt "
	  "torch package toolkit sdk chrome edge safari infiniband opr" },
	/* before an address */
	{ GV_L_BEFORE_ADDRESS,
	  "to from ip inet addr address at via src dst peer host server by for with dev on and or" },
	/* behind "user" */
	{ GV_L_NOT_USER_NAME, "user invalid slice session manager service" },
	/* with a number: a part of a machine */
	{ GV_L_DEVICE, "gpu node nic cpu rank card numa worker host user server" },
	/* the same */
	{ GV_L_PART, "eth ib mlx sd nvme tty pts dev hfi x v gfx sm cuda rocm py python bond veth cu lo sda sdb fp int "
		     "bf" },
	/* of URLs without a host */
	{ GV_L_NO_HOST_SCHEME, "docker containerd docker-pullable cri-o file unix npipe env cpu pci sha256 mem "
			       "containers-storage docker-daemon oci dir local" },
	/* types of systemd units */
	{ GV_L_UNIT, "service socket slice mount automount device target timer path scope swap conf" },
	/* a host only where a port follows */
	{ GV_L_LOOSE_HOST_KEY, "peer endpoint instance sid" },
};

static void add(struct gv_redactor *r, gv_str word, uint32_t list)
{
	gv_str low = gv_lower(r->arena, word);
	void **slot = gv_map_put(&r->lists, low);

	r->lengths[(unsigned char)low.p[0]] |= (uint64_t)1 << (low.n & 63);
	*slot = (void *)((uintptr_t)*slot | list);
}

static void add_vocabulary(struct gv_redactor *r, gv_str text)
{
	for (size_t i = 0; i < text.n;) {
		size_t from = i;

		while (i < text.n && gv_rd_is(text.p[i], GV_C_ALNUM))
			i++;
		if (i - from >= 3)
			add(r, gv_sub(text, from, i - from), GV_L_VOCABULARY);
		i += i == from;
	}
}

void gv_rd_lists_init(struct gv_redactor *r)
{
	const struct gv_table *t = gv_table("signatures");

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		gv_str all = gv_str_of(lists[i].words), w;

		while (gv_next(&all, ' ', &w))
			add(r, w, lists[i].list);
	}
	add_vocabulary(r, gv_str_of(vocabulary));
	for (size_t i = 0; t && i < t->rows; i++)
		add_vocabulary(r, gv_cell(t, i, "literal"));
}

/* Most words are in no list: none of that length begins so. */
static bool may_be(const struct gv_redactor *r, char first, size_t n)
{
	return r->lengths[(unsigned char)gv_rd_lower(first)] >> (n & 63) & 1;
}

bool gv_rd_in(const struct gv_redactor *r, gv_str w, uint32_t list)
{
	char low[40];

	if (!w.n || w.n > sizeof(low) || !may_be(r, w.p[0], w.n))
		return false;
	for (size_t i = 0; i < w.n; i++)
		low[i] = gv_rd_lower(w.p[i]);
	return (uintptr_t)gv_map_get(&r->lists, (gv_str){ low, w.n }) & list;
}

uint32_t gv_rd_lists_of(const struct gv_redactor *r, gv_str lower)
{
	return may_be(r, lower.p[0], lower.n) ? (uint32_t)(uintptr_t)gv_map_get(&r->lists, lower) : 0;
}
