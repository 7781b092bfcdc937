// Loss as the live tail shows it, in a real Chromium: records that a filter does not ask for are not lost when they are
// passed over; another filter begins at the top with nothing counted.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('a live filter', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const record = (uri) => JSON.stringify({ method: 'GET', uri, src_ip: '198.51.100.7', host: 'shop.example', headers: [['Host', 'shop.example']] });
  const mirror = async (uris) => {
    const answer = await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${uris.map(record).join('\n')}\n` });
    assert.equal(answer.status, 200, answer.text);
  };
  const sqli = (path) => `${path}?id=1%27%20OR%20%271%27=%271`;
  const xss = (path) => `${path}?q=%3Cscript%3Ealert(1)%3C/script%3E`;
  const live = () => until('live', async () => /live-open/.test(await hook('live').getAttribute('class')));
  const others = 1_500;  // more than a resumed tail gives again

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    await mirror([xss('/needle/0')]);
    for (let turn = 0; turn < 3; turn += 1) await mirror(Array.from({ length: others / 3 }, (_, n) => sqli(`/hay/${turn}/${n}`)));
    await until('all of them', async () => (await wafd.api('GET', '/status')).ring.end_seq > others);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('whose newest match lies far back loses nothing and says nothing of loss', async () => {
    for (const [n, q] of ['type:xss', 'needle'].entries()) {
      await page.goto(`${wafd.console}/?q=${encodeURIComponent(q)}`);
      await live();
      const count = await hook('event-row').count();
      await mirror([xss(`/needle/new-${n}`)]);
      await until('the new match', async () => (await hook('event-row').count()) === count + 1);
      assert.equal(await hook('skipped').count(), 0, `${q}: ${await page.locator('.live').innerText()}`);
    }
  });

  test('changed while scrolled: the list stands at its top, nothing is said to be new or skipped', async () => {
    await page.goto(`${wafd.console}/?q=path:/hay*`);
    await live();
    await hook('event-list').evaluate((box) => { box.scrollTop = 34 * 40; });
    await mirror(Array.from({ length: 20 }, (_, n) => sqli(`/hay/again/${n}`)));
    await hook('fresh').waitFor();
    await hook('query').fill('path:/hay/again*');
    await until('the new filter', async () => new URL(page.url()).searchParams.get('q') === 'path:/hay/again*');
    await until('its rows', async () => (await hook('event-row').count()) === 20);
    assert.equal(await hook('event-list').evaluate((box) => box.scrollTop), 0);
    assert.equal(await hook('fresh').count(), 0);
    assert.equal(await hook('skipped').count(), 0);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
