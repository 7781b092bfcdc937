import assert from 'node:assert/strict';
import test from 'node:test';
import type { EventItem, EventPage } from '../../../console/web/src/api/types';
import { first_rows, with_page, with_tail } from '../../../console/web/src/pages/events/rows';

const item = (seq: number): EventItem => ({ seq, record: { event_id: `id-${seq}`, timestamp: seq } } as unknown as EventItem);
const page = (seqs: number[], before: EventPage['before'], end: number, fleet?: EventPage['fleet']): EventPage => ({ events: seqs.map(item), before, end, ...(fleet ? { fleet } : {}) });

test('every page says anew whether it is of all nodes', () => {
  const away = { answered: false, why: 'it does not answer' };
  const all = { answered: true, why: '' };
  const one = page([9, 8], 8, 10);
  assert.deepEqual(first_rows(one).fleet, undefined);
  assert.equal(first_rows(one).end, 10);
  assert.equal(first_rows(page([9], 9, 10, away)).end, 10);

  const list = with_page(first_rows(page([9, 8], '1-x', 1_700_000_000_000_000, all)), page([8, 7], 7, 10, away));
  assert.deepEqual(list.rows.map((row) => row.id), ['id-9', 'id-8', 'id-7']);
  assert.deepEqual(list.fleet, away);
  assert.equal(list.before, 7);
  assert.equal(list.end, 1_700_000_000_000_000);
  assert.deepEqual(with_page(list, page([], null, 10, all)).fleet, all);
});

test('what comes late stands at its time, once, and leaves older pages to themselves', () => {
  const at = (seq: number, node = 'a'): EventItem => ({ seq, place: `${seq}-${node}${seq}`, record: { event_id: `${node}${seq}`, timestamp: seq } } as unknown as EventItem);
  const first = first_rows({ events: [at(9), at(6), at(4)], before: '4-a4', end: 100 });
  const ids = (rows: typeof first): string => rows.rows.map((row) => row.id).join(' ');
  const next = with_tail(first, [at(5, 'b'), at(9), at(12), at(10, 'b'), at(2, 'b')], 120);
  assert.equal(ids(next), 'a12 b10 a9 a6 b5 a4', 'what is older than the last row is in the next page');
  assert.equal(next.end, 121);
  assert.equal(ids(with_tail({ ...next, before: null }, [at(2, 'b'), at(5, 'b')], 90)), 'a12 b10 a9 a6 b5 a4 b2');
  const few = with_tail(next, [at(13)], 130, 3);
  assert.equal(ids(few), 'a13 a12 b10');
  assert.equal(few.before, '10-b10');
  // A ring's come in the order of their sequences, whatever their times are.
  const ring = with_tail(first_rows(page([9, 8], 8, 10)), [item(9), item(10), item(11)], 11);
  assert.equal(ids(ring), 'id-11 id-10 id-9 id-8');
});
