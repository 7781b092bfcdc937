// A slow server: what the page asks for again and again still arrives, and a failing answer is followed by a good one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('a slow server', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd, 20_000);
    ({ page } = chromium);
    for (let n = 0; n < 4; n += 1) assert.equal((await request(`${wafd.http}/check/item?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'shop.example' } })).status, 403);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('an answer that takes longer than its repetition arrives: it is not cut off by being asked for again', async () => {
    let asked = 0;
    await page.route(/\/api\/v1\/events\/counts/, async (route) => {
      asked += 1;
      await new Promise((resolve) => { setTimeout(resolve, 7_000); }); // the page repeats it every 5 s while live
      await route.continue().catch(() => undefined);
    });
    await page.goto(`${wafd.console}/`);
    await until('the total', async () => /\b4\b/.test(await hook('event-total').innerText()));
    assert.ok(asked <= 2, `asked ${asked} times`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('a histogram that failed once is there the next time, without the reader doing anything', async () => {
    let left = 1;
    await page.route(/\/api\/v1\/events\/counts/, (route) => {
      left -= 1;
      return left >= 0 ? route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"type":"urn:wafd:problem:unavailable","title":"Unavailable","status":503,"detail":"Too much at once: try again."}' }) : route.continue();
    });
    await page.goto(`${wafd.console}/?q=type:sqli`);
    await until('the total', async () => /\b4\b/.test(await hook('event-total').innerText()));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('groups that the server has not counted whole are shown as far as they are, and asked for again', async () => {
    let left = 1;
    await page.route(/\/api\/v1\/events\/groups/, async (route) => {
      const answer = await route.fetch();
      left -= 1;
      if (left < 0) await new Promise((resolve) => { setTimeout(resolve, 1_500); });
      await route.fulfill(left >= 0 ? { response: answer, json: { ...(await answer.json()), unread: 1234 } } : { response: answer });
    });
    await page.goto(`${wafd.console}/?group=tuning`);
    await hook('groups-unread').waitFor();
    assert.match(await hook('groups-unread').innerText(), /Counted so far: 4 of 1,238 events/);
    assert.ok((await hook('group-row').count()) > 0, 'the first rows are there');
    await until('all of them', async () => (await hook('groups-unread').count()) === 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('settings that are not there yet have a place, too', async () => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route(/\/api\/v1\/lists/, async (route) => { await held; await route.continue().catch(() => undefined); });
    await page.goto(`${wafd.console}/?view=settings&section=lists`);
    await hook('skeleton').waitFor();
    release();
    await hook('empty').waitFor();
    await until('no skeleton', async () => (await hook('skeleton').count()) === 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('while rows are not there yet their places are shown, and what is loading is said', async () => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route(/\/api\/v1\/events\?/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.goto(`${wafd.console}/?q=type:sqli`);
    await hook('skeleton').waitFor();
    assert.equal(await page.getByRole('status', { name: 'Loading' }).count(), 1);
    assert.equal(await hook('empty').count(), 0);
    release();
    await hook('event-row').first().waitFor();
    assert.equal(await hook('skeleton').count(), 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
