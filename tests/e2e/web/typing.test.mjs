// The cost of a filter while it is typed, in a real Chromium: requests are counted, not times. One word typed is one search;
// what stands around the list comes with one request more, and with none where the list is known to be empty.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('searching', () => {
  let wafd;
  let chromium;
  let page;
  const asked = [];
  const hook = (name) => page.getByTestId(name);
  const searches = () => asked.filter((url) => /\/api\/v1\/events(\/counts|\/top|\/histogram)?\?/.test(url)).map((url) => new URL(url)).map((url) => `${url.pathname.replace('/api/v1', '')} ${url.searchParams.get('q') ?? ''}`.trim());

  before(async () => {
    wafd = await Wafd.start();
    const lines = Array.from({ length: 30 }, (_, n) => JSON.stringify({ method: 'GET', uri: `/item/${n}?id=1%27%20OR%20%271%27=%271`, src_ip: '198.51.100.7', host: 'shop.example', headers: [['Host', 'shop.example']] }));
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` })).status, 200);
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    page.on('request', (one) => asked.push(one.url()));
    await page.goto(wafd.console);
    await hook('facet-type').locator('.facet-value').first().waitFor();
    await hook('live').click();  // no refreshing in between
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('a word that is typed starts one search when the typing rests, and one request counts what stands around it', async () => {
    asked.length = 0;
    await hook('query').pressSequentially('shop', { delay: 20 });
    await until('its counts', () => searches().includes('/events/counts shop'));
    await until('its rows', async () => (await hook('event-row').count()) > 0);
    assert.deepEqual(searches(), ['/events shop', '/events/counts shop']);
    assert.match(await hook('event-total').innerText(), /30 events/);
    assert.equal(await hook('facet-host').locator('.facet-value').count(), 1);
  });

  test('free text without a hit is looked for once', async () => {
    asked.length = 0;
    await hook('query').fill('nowhere-to-be-found');
    await hook('empty').waitFor();
    await until('the lists', async () => /Nothing yet/.test(await hook('facet-type').innerText()));
    assert.match(await hook('event-total').innerText(), /^0 events/);
    assert.deepEqual(searches(), ['/events nowhere-to-be-found']);
  });

  test('time before the oldest record is told from time in which nothing happened, and takes no room', async () => {
    await page.goto(`${wafd.console}/?range=7d`);
    await hook('ring-begins').waitFor();
    assert.match(await hook('ring-begins').innerText(), /The ring reaches back to \d{4}-/);
    const { histogram, oldest_ms } = await wafd.api('GET', `/events/counts?from=${Date.now() - 7 * 86_400_000}&to=${Date.now()}`);
    assert.ok(histogram.from <= oldest_ms && oldest_ms - histogram.from <= 60_000, `${oldest_ms - histogram.from} ms`);
    await page.goto(`${wafd.console}/?range=all`);
    await until('the whole ring', async () => /30 events/.test(await hook('event-total').innerText()));
    assert.equal(await hook('ring-begins').count(), 0);
  });

  test('a newer search of the same tab ends the one before', async () => {
    const search = (q, tab) => request(`${wafd.console}/api/v1/events/counts?q=${q}&tab=${tab}`, { headers: { Authorization: `Bearer ${wafd.token}` } });
    const answers = await Promise.all([search('item', 'a'), search('item', 'b')]);
    assert.deepEqual(answers.map((a) => a.status), [200, 200], 'of other tabs none');
    const same = await Promise.all(Array.from({ length: 8 }, () => search('item', 'c')));
    assert.equal(same.at(-1).status === 200 || same.some((a) => a.status === 200), true);
    for (const answer of same) assert.ok([200, 409].includes(answer.status), `${answer.status}: ${answer.text}`);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
