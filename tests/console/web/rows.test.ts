import assert from 'node:assert/strict';
import test from 'node:test';
import type { EventItem, EventPage } from '../../../console/web/src/api/types';
import { first_rows, with_page } from '../../../console/web/src/pages/events/rows';

const item = (seq: number): EventItem => ({ seq, record: { event_id: `id-${seq}`, timestamp: seq } } as unknown as EventItem);
const page = (seqs: number[], before: EventPage['before'], end: number, fleet?: EventPage['fleet']): EventPage => ({ events: seqs.map(item), before, end, ...(fleet ? { fleet } : {}) });

test('every page says anew whether it is of all nodes', () => {
  const away = { answered: false, why: 'it does not answer' };
  const all = { answered: true, why: '' };
  const one = page([9, 8], 8, 10);
  assert.deepEqual(first_rows(one).fleet, undefined);
  assert.equal(first_rows(one).end, 10);
  assert.equal(first_rows(page([9], 9, 10, away)).end, 10);
  assert.equal(first_rows(page([9], '1-x', 1_700_000_000_000_000, all)).end, undefined, 'a time is no sequence');

  const list = with_page(first_rows(page([9, 8], '1-x', 1_700_000_000_000_000, all)), page([8, 7], 7, 10, away));
  assert.deepEqual(list.rows.map((row) => row.id), ['id-9', 'id-8', 'id-7']);
  assert.deepEqual(list.fleet, away);
  assert.equal(list.before, 7);
  assert.equal(list.end, undefined);
  assert.deepEqual(with_page(list, page([], null, 10, all)).fleet, all);
});
