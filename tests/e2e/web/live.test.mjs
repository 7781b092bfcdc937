// The live tail in a real Chromium: one connection for all tabs that follow the same query, no event lost or doubled
// when the reading tab goes, no layout jump, a bounded number of rows in the document. Counts, never times.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('the live tail', () => {
  let wafd;
  let chromium;
  let page;
  let made = 0;
  const hook = (on, name) => on.getByTestId(name);

  // So many mirrored attacks; their paths count up from /item/0.
  const attacks = async (count) => {
    const lines = [];
    for (let n = 0; n < count; n += 1, made += 1) {
      lines.push(JSON.stringify({ method: 'GET', uri: `/item/${made}?id=1%27%20OR%20%271%27=%271`, src_ip: '198.51.100.7', host: 'shop.example', headers: [['Host', 'shop.example']] }));
    }
    const answer = await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` });
    assert.equal(answer.status, 200, answer.text);
  };
  const streams = async () => (await wafd.api('GET', '/status')).console.streams;
  const live = (on) => until('the tail to be open', async () => /live-open/.test(await hook(on, 'live').getAttribute('class')));
  const paths = (on) => on.locator('.cell-path .cell-text').allInnerTexts();
  const shows = (on, number) => until(`/item/${number}`, async () => (await paths(on))[0]?.startsWith(`/item/${number}?`));

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('three tabs of one browser share one connection; when its tab goes, the next takes over and nothing is lost', async () => {
    await page.goto(wafd.console);
    await live(page);
    await attacks(1);
    await shows(page, 0);
    const others = [await page.context().newPage(), await page.context().newPage()];
    for (const other of others) {
      await other.goto(wafd.console);
      await live(other);
    }
    await until('one connection', async () => (await streams()) === 1);
    await attacks(2);
    for (const tab of [page, ...others]) await shows(tab, 2);
    await page.close();
    await attacks(3);
    for (const tab of others) await shows(tab, 5);
    await until('one connection again', async () => (await streams()) === 1);
    for (const tab of others) {
      assert.deepEqual((await paths(tab)).map((text) => Number(/\d+/.exec(text)[0])), [5, 4, 3, 2, 1, 0]);
    }
    const third = await page.context().newPage();
    await third.goto(`${wafd.console}/?q=type:xss`);
    await live(third);
    await until('another query to be another tail', async () => (await streams()) === 2);
    await third.close();
    await others[1].close();
    [page] = others;
    await until('one', async () => (await streams()) === 1);
  });

  test('a tab that answers late does not leave two connections behind', async () => {
    const other = await page.context().newPage();
    await other.goto('about:blank');
    const busy = page.evaluate(() => { for (const end = performance.now() + 4000; performance.now() < end;); });
    await other.goto(wafd.console);
    await until('the second tab to read for itself', async () => (await streams()) === 2);
    await busy;
    await until('one connection', async () => (await streams()) === 1);
    await attacks(1);
    for (const tab of [page, other]) await shows(tab, made - 1);
    await other.close();
  });

  test('while rows arrive above, what is read stays where it is', async () => {
    await attacks(200);
    await shows(page, made - 1);
    const box = hook(page, 'event-list');
    await box.evaluate((element) => { element.scrollTop = 34 * 50; });
    const place = () => page.evaluate(() => {
      const row = [...document.querySelectorAll('.row[data-event-id]')].find((r) => r.getBoundingClientRect().top >= document.querySelector('.vlist').getBoundingClientRect().top + 34);
      return { id: row.dataset.eventId, y: Math.round(row.getBoundingClientRect().top) };
    });
    await until('the row to stand', async () => (await place()).id === (await place()).id);
    const then = await place();
    await attacks(150);
    await hook(page, 'fresh').waitFor();
    await until('all of them', async () => /150 events/.test(await hook(page, 'fresh').innerText()));
    const now = await page.evaluate((id) => Math.round(document.querySelector(`[data-event-id="${id}"]`).getBoundingClientRect().top), then.id);
    assert.equal(now, then.y);
    const frame = await page.evaluate(() => ['.toolbar', '.histogram', '.events-body'].map((s) => Math.round(document.querySelector(s).getBoundingClientRect().top)));
    await hook(page, 'fresh').click();
    await shows(page, made - 1);
    assert.deepEqual(await page.evaluate(() => ['.toolbar', '.histogram', '.events-body'].map((s) => Math.round(document.querySelector(s).getBoundingClientRect().top))), frame);
  });

  test('the document holds the rows in sight, however many there are', async () => {
    for (let turn = 0; turn < 6; turn += 1) await attacks(500);
    await shows(page, made - 1);
    const rows = await hook(page, 'event-row').count();
    const height = await page.evaluate(() => document.querySelector('.vlist').clientHeight);
    assert.ok(rows > 10 && rows <= height / 34 + 30, `${rows} rows in ${height} pixels`);
    assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 3000);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
