import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bar_height, headroom, height_of, marks_of, time_ticks } from '../../../console/web/src/lib/chart';

test('a peak does not flatten the rest, and more is never lower', () => {
  assert.equal(height_of(0, 10_000), 0);
  assert.equal(height_of(10_000, 10_000), 1);
  assert.ok(height_of(100, 10_000) >= 0.1, 'a hundredth of the peak is still seen');
  for (let count = 1; count < 100; ++count) assert.ok(height_of(count, 100) > height_of(count - 1, 100));
});

test('above the highest bar there is room for its mark', () => {
  assert.equal(bar_height(50, 50, 64), 64 - headroom);
  assert.ok(headroom >= 7, 'half the height of a mark of 10.5 px');
});

test('marked counts are round, within the scale and apart', () => {
  assert.deepEqual(marks_of(0), []);
  assert.deepEqual(marks_of(1), [1]);
  for (const most of [2, 7, 60, 99, 100, 4321, 318_084]) {
    const marks = marks_of(most);
    assert.ok(marks.length >= 1 && marks.length <= 2, `${most}: ${marks.join()}`);
    for (const mark of marks) assert.ok(mark <= most && /^[125]0*$/.test(String(mark)), `${most}: ${mark}`);
    if (marks.length === 2) assert.ok(height_of(marks[0] as number, most) - height_of(marks[1] as number, most) >= 0.4 - 1e-9);
  }
});

test('ticks are round in the zone, within the span and not too many', () => {
  const at = Date.UTC(2026, 10, 23, 21, 37, 59);
  const utc = (): number => 0;
  assert.deepEqual(time_ticks(at, at, 8, utc), []);
  for (const span of [60_000, 900_000, 3_600_000, 86_400_000, 7 * 86_400_000, 60 * 86_400_000]) {
    const ticks = time_ticks(at - span, at, 8, utc);
    assert.ok(ticks.length >= 2 && ticks.length <= 9, `${span}: ${ticks.length}`);
    for (const { ms } of ticks) assert.ok(ms >= at - span && ms <= at);
  }
  assert.deepEqual(time_ticks(at - 86_400_000, at, 8, utc).map(({ ms, kind }) => [new Date(ms).toISOString().slice(11, 16), kind]).filter(([, kind]) => kind === 'day'), [['00:00', 'day']]);
  const kathmandu = (): number => 345 * 60_000;
  for (const { ms } of time_ticks(at - 3_600_000, at, 8, kathmandu)) assert.equal((ms + kathmandu()) % 600_000, 0);
});
