import assert from 'node:assert/strict';
import test from 'node:test';
import { scroll_to_show, window_of } from '../../../console/web/src/lib/window';

const view = { scroll_top: 0, height: 100, row_height: 10, count: 1000, overscan: 2 };

const rows: [name: string, patch: Partial<typeof view>, first: number, end: number][] = [
  ['at the top', {}, 0, 12],
  ['in the middle', { scroll_top: 505 }, 48, 63],
  ['at the end', { scroll_top: 9900 }, 988, 1000],
  ['beyond the end', { scroll_top: 1e9 }, 988, 1000],
  ['a short list', { count: 3 }, 0, 3],
  ['an empty list', { count: 0 }, 0, 0],
  ['no height yet', { height: 0 }, 0, 2],
  ['a list that shrank', { scroll_top: 5000, count: 20 }, 8, 20],
];
for (const [name, patch, first, end] of rows) {
  test(`window: ${name}`, () => {
    const window = window_of({ ...view, ...patch });
    assert.deepEqual([window.first, window.end, window.offset], [first, end, first * 10]);
    assert.equal(window.total, (patch.count ?? view.count) * 10);
  });
}

test('the least scrolling that shows a row', () => {
  assert.equal(scroll_to_show({ ...view, scroll_top: 50 }, 7), 50);
  assert.equal(scroll_to_show({ ...view, scroll_top: 50 }, 2), 20);
  assert.equal(scroll_to_show({ ...view, scroll_top: 50 }, 20), 110);
});
