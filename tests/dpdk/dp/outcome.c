/* SPDX-License-Identifier: BSD-3-Clause */
/* One packet's fate, taken from the rig's counters, ports and punt ring. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "outcome.h"
#include "skb_frags.h"

/* The verdict whose counter moved by one, when no other did. */
static enum verdict
verdict_of(const uint64_t before[N_VERDICTS], const uint64_t after[N_VERDICTS])
{
	enum verdict verdict = N_VERDICTS;

	for (uint32_t v = 0; v < N_VERDICTS; v++) {
		if (after[v] == before[v])
			continue;
		if (verdict != N_VERDICTS || after[v] != before[v] + 1)
			fail_msg("one packet, and %s moved by %lu", verdict_info[v].name,
				(unsigned long)(after[v] - before[v]));
		verdict = v;
	}
	assert_true(verdict != N_VERDICTS);
	return verdict;
}

static void
take_sent(struct rig *rig, struct outcome *outcome, uint32_t *places)
{
	struct rte_mbuf *m;

	for (uint16_t p = 0; p < RIG_PORTS; p++)
		while ((m = rig_collect(rig, p)) != NULL) {
			assert_true(m->data_len >= RTE_MIN(m->pkt_len, OUTCOME_HEADERS));
			rig_bytes(m, &outcome->out);
			outcome->port = p;
			rig_return(m);
			(*places)++;
		}
}

static void
take_punted(struct rig *rig, struct outcome *outcome, uint32_t *places)
{
	struct skb *skb;

	while ((skb = rig_punted(rig)) != NULL) {
		assert_int_equal(skb->reason, outcome->verdict);
		assert_true(skb_headlen(skb) >= RTE_MIN(skb->len, OUTCOME_HEADERS));
		assert_ptr_equal(skb_mac_header(skb), skb->data);
		assert_ptr_equal(skb_network_header(skb), skb->data + FRAME_L3);
		assert_in_range(skb->len, FRAME_L3, FRAME_MAX);
		assert_int_equal(skb_copy_bits(skb, 0, outcome->out.bytes, skb->len), 0);
		outcome->out.len = skb->len;
		outcome->port = skb->port;
		outcome->protocol = skb->protocol;
		rig_consume(rig, skb);
		(*places)++;
	}
}

void
outcome_take(struct rig *rig, struct outcome *outcome)
{
	uint64_t before[N_VERDICTS], after[N_VERDICTS];
	uint32_t n_sent = 0, n_punted = 0;

	rig_counts(rig, before);
	assert_int_equal(rig_turn(rig), 1);
	rig_counts(rig, after);
	outcome->verdict = verdict_of(before, after);
	outcome->port = 0;
	outcome->protocol = 0;
	outcome->out.len = 0;
	take_sent(rig, outcome, &n_sent);
	take_punted(rig, outcome, &n_punted);
	assert_int_equal(n_sent, verdict_info[outcome->verdict].kind == VERDICT_KIND_FORWARD);
	assert_int_equal(n_punted, verdict_info[outcome->verdict].kind == VERDICT_KIND_PUNT);
}

void
outcome_compare(const struct outcome *outcome, const struct outcome *expected, const char *what)
{
	if (outcome->verdict != expected->verdict)
		fail_msg("%s: %s, not %s", what, verdict_info[outcome->verdict].name,
			verdict_info[expected->verdict].name);
	if (outcome->port != expected->port || outcome->protocol != expected->protocol)
		fail_msg("%s: port %u, protocol %#x, not %u, %#x", what, outcome->port, outcome->protocol,
			expected->port, expected->protocol);
	if (outcome->out.len != expected->out.len)
		fail_msg("%s: %u bytes, not %u", what, outcome->out.len, expected->out.len);
	if (memcmp(outcome->out.bytes, expected->out.bytes, expected->out.len) != 0)
		fail_msg("%s: other bytes", what);
}
