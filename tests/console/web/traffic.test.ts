import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from '../../../console/web/src/api/types';
import { issues_of, overloaded } from '../../../console/web/src/lib/health';
import { change_of, day_of, passed } from '../../../console/web/src/lib/traffic';

const five_min = 300_000;
const begin = Date.UTC(2026, 10, 21);
const buckets = (count: number) => Array.from({ length: count }, (_, i) => ({ t: begin + i * five_min, requests: 10, denied: 2, monitored: 1, unjudged: 1 }));

test('a day in at most 96 bars, beside the day before where it is whole', () => {
  assert.equal(day_of({ bucket_ms: five_min, buckets: [] }), undefined);
  const young = day_of({ bucket_ms: five_min, buckets: buckets(2) });
  assert.equal(young?.bars.length, 12, 'an hour at least');
  assert.equal(young?.sums.requests, 20);
  assert.equal(young?.before, undefined);
  assert.equal(young && young.to - young.from, 3_600_000);
  const whole = day_of({ bucket_ms: five_min, buckets: buckets(576) });
  assert.equal(whole?.bars.length, 96);
  assert.equal(whole?.bar_ms, 900_000);
  assert.deepEqual(whole?.bars[0], { t: begin + 288 * five_min, requests: 30, denied: 6, monitored: 3, unjudged: 3 });
  assert.deepEqual(whole?.before, whole?.sums);
  assert.equal(day_of({ bucket_ms: five_min, buckets: buckets(575) })?.before, undefined);
});

test('what passed, and what changed', () => {
  assert.equal(passed({ requests: 10, denied: 2, monitored: 1, unjudged: 1 }), 6);
  assert.equal(passed({ requests: 0, denied: 0, monitored: 0, unjudged: 5 }), 0);
  assert.equal(change_of(15, 10), 50);
  assert.equal(change_of(5, 10), -50);
  assert.equal(change_of(5, 0), undefined);
  assert.equal(change_of(5, undefined), undefined);
});

const status = (more: object): Status => ({
  now_ms: 10_000_000, ready: true, ring: { refused: 0 }, targets: [], listeners: [], engine: { overload_passed: 1, overload_blocked: 2, judged_by_head: 3 }, ...more,
}) as unknown as Status;
const target = (more: object) => ({ id: 't1', name: 'siem', transport: 'tcp', state: 'up', unacknowledged_ms: 0, lost: 0, ...more });

test('what is wrong is told, most serious first; what is well or off is not', () => {
  const kinds = (one: Status, more = 0) => issues_of(one, more).map((issue) => `${issue.tone} ${issue.kind} ${issue.name}`.trim());
  assert.equal(overloaded(status({})), 6);
  assert.deepEqual(kinds(status({})), []);
  assert.deepEqual(kinds(status({ targets: [target({}), target({ state: 'disabled' }), target({ transport: 'udp' })] })), []);
  assert.deepEqual(kinds(status({ targets: [target({ state: 'waiting' })] })), ['bad target siem']);
  assert.deepEqual(kinds(status({ targets: [target({ unacknowledged_ms: 60_000 })] })), ['bad target siem'], 'connected, and nobody reads');
  assert.deepEqual(kinds(status({ fleet: { answered: true, why: '', nodes: 2, silent: ['edge-2'] } })), ['bad node edge-2']);
  assert.deepEqual(kinds(status({ fleet: { answered: false, why: 'refused', nodes: 0, silent: [] } })), ['bad fleet_away']);
  const silent = { name: 't1k', last_request_ms: 10_000_000 - 16 * 60_000 };
  assert.deepEqual(kinds(status({ ready: false, listeners: [silent, { name: 'http', last_request_ms: null }], targets: [target({ lost: 4, state: 'waiting' })], ring: { refused: 1 } }), 7),
    ['bad ring_refused', 'bad target siem', 'bad overload', 'warn lost siem', 'warn not_ready', 'warn silent t1k']);
});
