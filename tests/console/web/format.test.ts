import assert from 'node:assert/strict';
import test from 'node:test';
import { clock_text, date_text, full_time_text, local_ms, local_text, set_zone, time_text, zone_name } from '../../../console/web/src/lib/format';

const summer = Date.UTC(2026, 6, 1, 12, 34, 56, 789);
const rows: [zone: string, ms: number, shown: string][] = [
  ['UTC', summer, '2026-07-01 12:34:56.789 +00:00'],
  ['Europe/Lisbon', summer, '2026-07-01 13:34:56.789 +01:00'],
  ['Asia/Kathmandu', summer, '2026-07-01 18:19:56.789 +05:45'],
  ['America/St_Johns', summer, '2026-07-01 10:04:56.789 -02:30'],
  ['Pacific/Kiritimati', summer, '2026-07-02 02:34:56.789 +14:00'],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 0, 59, 59), '2026-03-29 01:59:59.000 +01:00'],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 1, 0, 0), '2026-03-29 03:00:00.000 +02:00'],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 0, 30, 0), '2026-10-25 02:30:00.000 +02:00'],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 1, 30, 0), '2026-10-25 02:30:00.000 +01:00'],
  ['America/New_York', Date.UTC(2026, 0, 1, 4, 59, 59), '2025-12-31 23:59:59.000 -05:00'],
];
for (const [zone, ms, shown] of rows) {
  test(`times in ${zone}: ${shown}`, () => {
    set_zone(zone);
    assert.equal(full_time_text(ms), shown);
    assert.equal(`${date_text(ms)} ${clock_text(ms)}`, time_text(ms));
    assert.equal(zone_name(), zone);
  });
}

test('a time of a field for date and time is one of the zone, and the same back', () => {
  for (const [zone, ms] of rows) {
    set_zone(zone);
    const whole = Math.floor(ms / 1000) * 1000;
    assert.equal(local_text(local_ms(local_text(whole))), local_text(whole), `${zone} ${whole}`);
  }
  set_zone('Europe/Berlin');
  assert.equal(local_ms('2026-07-01T12:00'), Date.UTC(2026, 6, 1, 10));
  assert.equal(local_ms('2026-10-25T02:30:00'), Date.UTC(2026, 9, 25, 0, 30), 'of two the first');
  assert.equal(local_ms('2026-03-29T02:30:00'), Date.UTC(2026, 2, 29, 0, 30), 'there is no such time: one beside it');
  for (const text of ['', '2026-07-01', 'yesterday', '2026-13-01T00:00']) assert.ok(Number.isNaN(local_ms(text)), text);
});

test('a zone that the browser does not know leaves its own, and says which', () => {
  set_zone('Mars/Olympus');
  assert.equal(zone_name(), new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const d = new Date(summer);
  assert.ok(full_time_text(summer).includes(`:${String(d.getMinutes()).padStart(2, '0')}:56.789`));
});
