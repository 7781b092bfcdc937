// Counts by hour: they outlive a kill, a stop and a damaged file, and the report is made of them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

describe('trends and the report', () => {
  let wafd;
  let attacks = 0;
  before(async () => {
    wafd = await Wafd.start();
  });
  after(() => wafd?.stop());
  const attack = async () => {
    const answer = await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/item?id=1%27%20OR%20%271%27=%271' } });
    assert.equal(answer.status, 403);
    ++attacks;
  };
  const counted = (n = attacks) => until(`${n} counted`, async () => {
    const report = await wafd.api('GET', '/report');
    return report.totals.deny === n && report;
  });

  test('events are counted by hour, site, type and rule', async () => {
    for (let i = 0; i < 5; ++i) await attack();
    const report = await counted();
    assert.equal(report.node, 'node-1');
    assert.equal(report.buckets.length, 168);
    assert.equal(report.buckets.reduce((sum, { deny }) => sum + deny, 0), 5);
    assert.deepEqual(report.types.map(({ value, deny }) => [value, deny]), [['sqli', 5]]);
    assert.deepEqual(report.sites.map(({ value, name }) => [value, name]), [['0', 'Default site']]);
    assert.ok(report.rules[0].name !== report.rules[0].value, JSON.stringify(report.rules));
    await until('its requests', async () => (await wafd.api('GET', '/report')).totals.requests >= 5);
    assert.equal((await wafd.api('GET', '/report?type=xss')).totals.deny, 0);
    assert.equal((await wafd.api('GET', `/report?from=${Date.now() - 30 * 86_400_000}`)).buckets.length, 31);
    assert.equal((await wafd.api('GET', '/report?from=5&to=1', undefined, [400])).status, 400);
  });

  test('a kill loses no event, and counts none twice', async () => {
    await wafd.program.kill();
    await wafd.launch();
    await counted();
    await attack();
    await counted();
    await wafd.stop();
    assert.ok(fs.existsSync(`${wafd.state}/trends`));
    await wafd.launch();
    await attack();
    await counted();
    await wafd.program.kill();
    await wafd.launch();
    await counted();
  });

  test('a damaged file is put aside and said; what the ring holds is counted again', async () => {
    await wafd.stop();
    const bytes = fs.readFileSync(`${wafd.state}/trends`);
    bytes[bytes.length - 1] ^= 1;
    fs.writeFileSync(`${wafd.state}/trends`, bytes);
    await wafd.launch();
    await counted();
    assert.match((await wafd.api('GET', '/notify/status')).notice, /trends is damaged/);
    assert.ok(fs.existsSync(`${wafd.state}/trends.damaged`));
  });
});
