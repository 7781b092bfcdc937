// The section Notifications: a channel is tried and saved, an alert is made, what was sent is shown; secrets never come back.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { pictures } from '../support/pictures.mjs';
import { freePort, until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('notifications on the page', () => {
  let wafd;
  let chromium;
  let page;
  let server;
  let port;
  const got = [];
  const hook = (name) => page.getByTestId(name);
  before(async () => {
    server = http.createServer((incoming, answer) => {
      incoming.on('data', (part) => got.push(part.toString('utf8')));
      incoming.on('end', () => answer.end());
    });
    port = await freePort();
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    await page.goto(`${wafd.console}/?view=settings&section=notify`);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
    server?.closeAllConnections();
    server?.close();
  });

  test('a channel is tried as the form stands, and what is wrong stands at its field', async () => {
    await hook('channel-add').click();
    await hook('channel-name').fill('Chat');
    await hook('channel-kind').selectOption('webhook');
    await hook('channel-url').fill('ftp://127.0.0.1/');
    await hook('save').click();
    await hook('channel-dialog').locator('.field-error').waitFor();
    await hook('channel-url').fill(`http://127.0.0.1:${await freePort()}/hook`);
    await hook('channel-test-run').click();
    await hook('channel-verdict').locator('[data-verdict=failed]').waitFor();
    assert.equal(await hook('stage-connect').getAttribute('data-ok'), 'false');
    await hook('channel-url').fill(`http://127.0.0.1:${port}/hook?token=very-secret`);
    await hook('channel-test-run').click();
    await hook('channel-verdict').locator('[data-verdict=accepted]').waitFor();
    assert.match(got.at(-1), /test of the channel Chat/);
    const on_top = await hook('channel-verdict').evaluate((one) => {
      const { left, top, height } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(left + 20, top + height / 2));
    });
    assert.equal(on_top, true, 'what came of the test is in sight');
    assert.deepEqual(await axeViolations(page, 'channel'), []);
    await pictures(page, 'notify-channel');
    await hook('channel-group').fill('0');
    await hook('save').click();
    await hook('channel-row').waitFor();
    assert.ok(!(await page.content()).includes('very-secret'));
  });

  test('an edit keeps the secrets that nobody is shown', async () => {
    await hook('channel-edit').click();
    assert.equal(await hook('channel-url').inputValue(), '');
    await hook('channel-name').fill('Chat of the team');
    await hook('save').click();
    await until('the new name', async () => /Chat of the team/.test(await hook('channel-row').innerText()));
    const [channel] = (await wafd.api('GET', '/notify/channels')).channels;
    assert.ok(channel.url_set && channel.origin === `http://127.0.0.1:${port}`);
  });

  test('an alert is made, met and shown, with what was sent', async () => {
    await hook('alert-add').click();
    await hook('alert-name').fill('Injection');
    await hook('alert-query').fill('type:');
    await hook('save').click();
    await hook('alert-dialog').locator('.field-error').waitFor();
    await hook('alert-query').fill('type:sqli');
    await hook('alert-count').fill('0');
    await hook('save').click();
    await hook('alert-row').waitFor();
    assert.match(await hook('alert-row').innerText(), /More than 0 events in 5 min: type:sqli/);
    const answer = await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'a', 'X-Forwarded-Uri': '/?id=1%27%20OR%20%271%27=%271' } });
    assert.equal(answer.status, 403);
    await hook('sending').waitFor({ timeout: 20_000 });
    assert.match(await hook('sending').innerText(), /Injection: 1 event in 5 minutes/);
    await until('it holds', async () => /Holds now/.test(await hook('alert-row').innerText()));
    assert.deepEqual(await axeViolations(page, 'notify'), []);
    await pictures(page, 'notify');
  });

  test('at 320 px every function is in reach', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    const wide = () => page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
    await until('the tables to stack', async () => (await wide()) === 320);
    await hook('channel-edit').click();
    await hook('channel-dialog').waitFor();
    await until('the dialog to fit', async () => (await wide()) === 320);
    for (const name of ['channel-name', 'channel-url', 'channel-test-run', 'save']) {
      const box = await hook(name).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 320, name);
    }
    assert.deepEqual(chromium.complaints, []);
  });
});

describe('the report on the page', () => {
  let wafd;
  let chromium;
  before(async () => {
    wafd = await Wafd.start();
    for (let i = 0; i < 4; ++i) await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'a', 'X-Forwarded-Uri': '/?id=1%27%20OR%20%271%27=%271' } });
    chromium = await openConsole(wafd);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('shows what was counted, names its sites and rules, and prints without the frame', async () => {
    const { page } = chromium;
    const hook = (name) => page.getByTestId(name);
    await until('counted', async () => (await wafd.api('GET', '/report')).totals.deny === 4);
    await page.goto(`${wafd.console}/?view=overview`);
    await hook('report-open').click();
    await until('the sum', async () => (await hook('report-deny').innerText()) === '4');
    assert.match(await hook('report-types-row').first().innerText(), /SQL injection/);
    assert.match(await hook('report-sites-row').first().innerText(), /Default site/);
    assert.deepEqual(await axeViolations(page, 'report'), []);
    await pictures(page, 'report');
    await page.locator('[data-value="365"]').click();
    await until('the address', () => page.url().includes('days=365'));
    await until('the year', async () => (await hook('report-deny').innerText()) === '4');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.topbar').isVisible(), false);
    assert.equal(await hook('report-print').isVisible(), false);
    assert.equal(await hook('report-sums').isVisible(), true);
    assert.deepEqual(chromium.complaints, []);
  });
});
