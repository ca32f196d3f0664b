/* SPDX-License-Identifier: Apache-2.0 */
/* kubectl describe pod, whole or cut down (sed, a ticket's excerpt that may have lost its indent).
 *
 * Sources: kubectl's describe.go. Containers follow each other; their states are joined into one pod: what waits or was
 * killed says more than what runs. */
#include "format/common.h"

static bool of_pod(const struct gv_seg *seg)
{
	return seg && gv_has(seg->cmd, "describe") &&
	       (gv_has(seg->cmd, " pod ") || gv_has(seg->cmd, " pods ") || gv_has(seg->cmd, " po ") ||
		gv_has(seg->cmd, " pod/") || gv_ends(seg->cmd, " pods"));
}

/* Name and namespace as typed: kubectl describe pod NAME [-n NS] | ... */
static void pod_of_command(gv_str cmd, gv_str *ret_name, gv_str *ret_ns)
{
	gv_str rest = cmd, word;
	bool described = false;

	while (gv_word(&rest, &word)) {
		if (gv_is(word, "|") || gv_is(word, ";") || gv_is(word, "&&"))
			break;
		if (gv_is(word, "-n") || gv_is(word, "--namespace")) {
			if (gv_word(&rest, &word))
				*ret_ns = word;
		} else if (gv_starts(word, "--namespace=")) {
			*ret_ns = gv_from(word, 12);
		} else if (gv_starts(word, "pod/")) {
			*ret_name = gv_from(word, 4);
		} else if (gv_is(word, "describe")) {
			described = true;
		} else if (described && word.p[0] != '-' && word.p[0] != '$' && word.p[0] != '<' && word.p[0] != '"' &&
			   !gv_is(word, "pod") && !gv_is(word, "pods") && !gv_is(word, "po") && ret_name->n == 0) {
			*ret_name = word;
		}
	}
}

static bool gpu_resource(gv_str s)
{
	return gv_is(s, "nvidia.com/gpu") || gv_is(s, "nvidia.com/gpu.shared") || gv_starts(s, "nvidia.com/mig-") ||
	       gv_is(s, "amd.com/gpu") || gv_is(s, "gpu.intel.com/i915") || gv_is(s, "gpu.intel.com/xe") ||
	       gv_is(s, "habana.ai/gaudi") || gv_is(s, "nvidia.com/pgpu") || gv_is(s, "nvidia.com/vgpu");
}

static bool event_line(gv_str t)
{
	return gv_starts(t, "Normal ") || gv_starts(t, "Warning ");
}

static bool known_key(gv_str key)
{
	static const char *const keys[] = { "Name",
					    "Namespace",
					    "Priority",
					    "Priority Class Name",
					    "Runtime Class Name",
					    "Service Account",
					    "Node",
					    "Start Time",
					    "Labels",
					    "Annotations",
					    "Status",
					    "Reason",
					    "Message",
					    "IP",
					    "IPs",
					    "Controlled By",
					    "Init Containers",
					    "Containers",
					    "Container ID",
					    "Image",
					    "Image ID",
					    "Port",
					    "Ports",
					    "Host Port",
					    "Command",
					    "Args",
					    "State",
					    "Last State",
					    "Exit Code",
					    "Started",
					    "Finished",
					    "Ready",
					    "Restart Count",
					    "Limits",
					    "Requests",
					    "Environment",
					    "Mounts",
					    "Conditions",
					    "Volumes",
					    "QoS Class",
					    "Node-Selectors",
					    "Tolerations",
					    "Events",
					    "Liveness",
					    "Readiness",
					    "Startup",
					    "SeccompProfile",
					    "Security Context",
					    "Nominated Node Name",
					    "Signal",
					    "Host Ports" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (gv_is(key, keys[i]))
			return true;
	return false;
}

/* "Name:" with "Namespace:" soon below is a pod (or another thing in a namespace: those have no Node or Containers). */
static bool begins_pod(const struct gv_line *l, size_t n)
{
	gv_str key, value;
	bool ns = false;

	if (!gv_key_value(gv_trim(l[0].text), &key, &value) || !gv_is(key, "Name") || !value.n)
		return false;
	for (size_t i = 1; i < n && i < 40; i++) {
		if (!gv_key_value(gv_trim(l[i].text), &key, &value))
			continue;
		if (gv_is(key, "Namespace"))
			ns = true;
		else if (gv_is(key, "Desired Number of Nodes Scheduled") || gv_is(key, "Replicas") ||
			 gv_is(key, "Roles") || gv_is(key, "Pod Template") || gv_is(key, "Completions") ||
			 gv_is(key, "Data"))
			return false;
		else if (ns && (gv_is(key, "Node") || gv_is(key, "Status") || gv_is(key, "Containers") ||
				gv_is(key, "Service Account")))
			return true;
	}
	return false;
}

/* A cut piece that can only come from a pod. */
static bool begins_piece(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	gv_str t = gv_trim(l[0].text), key, value, next, rest;
	double v;

	if (!gv_key_value(t, &key, &value))
		return of_pod(seg) && event_line(t);
	if (of_pod(seg) && known_key(key))
		return true;
	next = n > 1 ? gv_trim(l[1].text) : GV_NONE;
	if ((gv_is(key, "Limits") || gv_is(key, "Requests")) && !value.n)
		return gv_key_value(next, &key, &rest) && gv_lead_num(rest, &v, &rest) &&
		       (gpu_resource(key) || gv_is(key, "cpu") || gv_is(key, "memory"));
	if (gv_is(key, "State") || gv_is(key, "Last State"))
		return (gv_is(value, "Waiting") || gv_is(value, "Terminated") || gv_is(value, "Running")) &&
		       (gv_starts(next, "Reason:") || gv_starts(next, "Started:") || gv_starts(next, "Exit Code:"));
	return false;
}

static size_t kubectl_pod_claim(const struct gv_line *l, size_t n, const struct gv_seg *seg)
{
	bool ours = of_pod(seg), events = false, whole = begins_pod(l, n), gap = false;
	gv_str key = GV_NONE, value;
	size_t end = 0;
	double v;

	if (!whole && !begins_piece(l, n, seg))
		return 0;
	for (size_t i = 0; i < n; i++) {
		gv_str t = gv_trim(l[i].text);
		bool kv;

		if (t.n == 0) {
			gap = true;
			continue;
		}
		kv = gv_key_value(t, &key, &value);
		/* The next pod is a block of its own. */
		if (i > 0 && kv && gv_indent(l[i].text) == 0 && gv_is(key, "Name"))
			break;
		if (kv && known_key(key)) {
			events = gv_is(key, "Events");
		} else if (!ours) {
			bool table = events && (event_line(t) || gv_starts(t, "Type ") || gv_starts(t, "----"));
			bool resource = kv && gv_lead_num(value, &v, &value);

			if (!table && !resource && (gap || gv_indent(l[i].text) == 0))
				break;
		}
		gap = false;
		end = i + 1;
	}
	return end;
}

struct value {
	gv_str text;
	const struct gv_line *at;
};

struct pod {
	struct gv_read *r;
	gv_str name, ns;
	struct value node, status, reason, last_reason, resource, selector, tolerations, event, event_text;
	double limit, request, restarts, exit_code;
	const struct gv_line *limit_at, *request_at, *restarts_at, *exit_at;
	enum { IN_TOP, IN_STATE, IN_LAST, IN_LIMITS, IN_REQUESTS, IN_SELECTOR, IN_TOLERATIONS, IN_EVENTS, IN_OTHER } in;
};

static void keep(struct value *v, gv_str text, const struct gv_line *l)
{
	text = gv_trim(text);
	if (text.n)
		*v = (struct value){ text, l };
}

#define LIST_MAX 2000 /* bytes; real lists of tolerations and selectors are far shorter */

static void append(struct pod *p, struct value *v, gv_str text, const char *sep, const struct gv_line *l)
{
	text = gv_trim(text);
	if (!text.n || gv_is(text, "<none>") || v->text.n + text.n > LIST_MAX)
		return;
	if (v->at)
		v->text = gv_fmt(p->r->arena, "%.*s%s%.*s", GV_ARG(v->text), sep, GV_ARG(text));
	else
		*v = (struct value){ text, l };
}

/* Of several containers the one that waits or failed speaks for the pod. */
static int reason_rank(gv_str s)
{
	if (gv_is(s, "Completed") || gv_is(s, "ContainerCreating") || gv_is(s, "PodInitializing"))
		return 1;
	return gv_is(s, "CrashLoopBackOff") ? 2 : 3;
}

static void keep_reason(struct value *v, gv_str s, const struct gv_line *l)
{
	if (s.n && (!v->at || reason_rank(s) > reason_rank(v->text)))
		keep(v, s, l);
}

/* "  Warning  FailedScheduling  43s (x3 over 2m)  default-scheduler  0/9 nodes are available: ..." */
static void read_event(struct pod *p, gv_str t, const struct gv_line *l)
{
	gv_str rest = t, type, reason, word, text;
	bool paren = false;

	if (!gv_word(&rest, &type) || !gv_word(&rest, &reason))
		return;
	/* The age, perhaps with "(x3 over 2m)" behind it; the word that ends the loop is who says it. */
	while (gv_word(&rest, &word)) {
		paren |= gv_starts(word, "(");
		if (paren) {
			paren = !gv_ends(word, ")");
			continue;
		}
		if (word.p[0] >= '0' && word.p[0] <= '9')
			continue;
		if (gv_is(word, "<unknown>") || gv_is(word, "<invalid>"))
			continue;
		break;
	}
	text = gv_trim(rest);
	if (gv_is(type, "Warning")) {
		keep(&p->event, reason, l);
		keep(&p->event_text, text, l);
	}
	/* "Successfully assigned prod/infer-6c9c8d7f6f-kp2xw to gpu-node-12" */
	if (gv_is(reason, "Scheduled")) {
		gv_str pod = gv_before(gv_after(text, "Successfully assigned "), " "), node = gv_after(text, " to ");

		if (gv_find_c(pod, '/') > 0) {
			if (!p->ns.n)
				p->ns = gv_before(pod, "/");
			if (!p->name.n)
				p->name = gv_after(pod, "/");
		}
		if (node.n && !p->node.at && gv_word(&node, &word))
			keep(&p->node, word, l);
	}
}

static void read_resource(struct pod *p, gv_str key, gv_str value, const struct gv_line *l)
{
	gv_str rest;
	double v;

	if (!gpu_resource(key) || !gv_lead_num(value, &v, &rest) || v < 0)
		return;
	keep(&p->resource, key, l);
	if (p->in == IN_REQUESTS) {
		p->request += v;
		p->request_at = l;
	} else {
		p->limit += v;
		p->limit_at = l;
	}
}

static void read_number(gv_str value, bool most, double *ret, const struct gv_line **ret_at, const struct gv_line *l)
{
	gv_str rest;
	double v;

	if (!gv_lead_num(value, &v, &rest) || (*ret_at && !(most ? v > *ret : *ret == 0 && v > 0)))
		return;
	*ret = v;
	*ret_at = l;
}

static void read_key(struct pod *p, gv_str key, gv_str value, const struct gv_line *l)
{
	bool top = gv_indent(l->text) == 0 && p->in != IN_STATE && p->in != IN_LAST;

	if (gv_is(key, "Reason") && p->in == IN_STATE) {
		keep_reason(&p->reason, value, l);
	} else if (gv_is(key, "Reason") && p->in == IN_LAST) {
		keep_reason(&p->last_reason, value, l);
	} else if (gv_is(key, "Reason") && top) {
		keep_reason(&p->reason, value, l);
	} else if (gv_is(key, "Exit Code")) {
		read_number(value, false, &p->exit_code, &p->exit_at, l);
	} else if (gv_is(key, "Restart Count")) {
		read_number(value, true, &p->restarts, &p->restarts_at, l);
		p->in = IN_OTHER;
	} else if (gv_is(key, "State")) {
		p->in = IN_STATE;
	} else if (gv_is(key, "Last State")) {
		p->in = IN_LAST;
	} else if (gv_is(key, "Limits")) {
		p->in = IN_LIMITS;
	} else if (gv_is(key, "Requests")) {
		p->in = IN_REQUESTS;
	} else if (gv_is(key, "Node-Selectors")) {
		p->in = IN_SELECTOR;
		append(p, &p->selector, value, " ", l);
	} else if (gv_is(key, "Tolerations")) {
		p->in = IN_TOLERATIONS;
		append(p, &p->tolerations, value, "; ", l);
	} else if (gv_is(key, "Events")) {
		p->in = IN_EVENTS;
	} else if (gv_is(key, "Started") || gv_is(key, "Finished") || gv_is(key, "Message") || gv_is(key, "Signal")) {
		return;
	} else {
		p->in = IN_OTHER;
		if (gv_is(key, "Node") && value.n && !gv_is(value, "<none>"))
			keep(&p->node, gv_before(value, "/"), l);
		else if (gv_is(key, "Status") && top)
			keep(&p->status, value, l);
	}
}

static void read_line(struct pod *p, const struct gv_line *l)
{
	gv_str t = gv_trim(l->text), key, value;

	if (event_line(t) && (p->in == IN_EVENTS || of_pod(p->r->block->seg))) {
		read_event(p, t, l);
		return;
	}
	if (gv_key_value(t, &key, &value) && known_key(key)) {
		read_key(p, key, gv_trim(value), l);
		return;
	}
	switch (p->in) {
	case IN_LIMITS:
	case IN_REQUESTS:
		if (gv_key_value(t, &key, &value))
			read_resource(p, key, value, l);
		break;
	case IN_SELECTOR:
		append(p, &p->selector, t, " ", l);
		break;
	case IN_TOLERATIONS:
		append(p, &p->tolerations, t, "; ", l);
		break;
	default:
		break;
	}
}

static void put(struct pod *p, struct gv_entity *e, enum gv_fact f, const struct value *v)
{
	if (v->at)
		gv_put_str(p->r, e, f, v->text, v->at);
}

static void see_pod(struct pod *p)
{
	struct gv_read *r = p->r;
	struct gv_entity *e;

	if (!p->name.n)
		p->name = GV_STR("unnamed");
	e = gv_see(r, GV_POD, p->ns.n ? gv_fmt(r->arena, "%.*s/%.*s", GV_ARG(p->ns), GV_ARG(p->name)) : p->name);
	put(p, e, GV_F_POD_NODE, &p->node);
	put(p, e, GV_F_POD_STATUS, &p->status);
	put(p, e, GV_F_POD_REASON, &p->reason);
	put(p, e, GV_F_POD_LAST_REASON, &p->last_reason);
	put(p, e, GV_F_POD_RESOURCE, &p->resource);
	put(p, e, GV_F_POD_SELECTOR, &p->selector);
	put(p, e, GV_F_POD_TOLERATIONS, &p->tolerations);
	put(p, e, GV_F_POD_EVENT_REASON, &p->event);
	put(p, e, GV_F_POD_EVENT_TEXT, &p->event_text);
	if (p->limit_at || p->request_at)
		gv_put_num(r, e, GV_F_POD_GPU_LIMIT, p->limit_at ? p->limit : p->request,
			   p->limit_at ? p->limit_at : p->request_at);
	if (p->restarts_at)
		gv_put_num(r, e, GV_F_POD_RESTARTS, p->restarts, p->restarts_at);
	if (p->exit_at)
		gv_put_num(r, e, GV_F_POD_EXIT_CODE, p->exit_code, p->exit_at);
}

static void kubectl_pod_read(struct gv_read *r, const struct gv_line *l, size_t n)
{
	struct pod p = { .r = r };
	gv_str key, value;

	if (gv_key_value(gv_trim(l[0].text), &key, &value) && gv_is(key, "Name"))
		p.name = gv_trim(value);
	else if (of_pod(r->block->seg))
		pod_of_command(r->block->seg->cmd, &p.name, &p.ns);
	for (size_t i = 0; i < n; i++) {
		if (!p.ns.n && i < 4 && gv_key_value(gv_trim(l[i].text), &key, &value) && gv_is(key, "Namespace"))
			p.ns = gv_trim(value);
		read_line(&p, &l[i]);
	}
	/* What a pod suffers belongs to the machine that it is on, not to the one that kubectl ran on. */
	if (p.node.at)
		r->block->host = p.node.text;
	see_pod(&p);
}

const struct gv_format gv_format_kubectl_pod = {
	.name = "kubectl describe pod",
	.heads = { "Name:", "Namespace:", "Node:", "Status:", "Containers:", "State:", "Limits:", "Requests:",
		   "Node-Selectors:", "Events:", "Warning ", "Normal " },
	.claim = kubectl_pod_claim,
	.read = kubectl_pod_read,
};
