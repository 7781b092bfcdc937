// The overview in a real Chromium says where no body is handed over: nginx auth_request, as it is shipped, in front of a real engine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { startUpstream } from '../support/gateway.mjs';
import { startShippedNginx } from '../support/nginx.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('no body ever seen', () => {
  let upstream;
  let wafd;
  let nginx;
  let chromium;
  let page;
  const listener = async () => (await wafd.api('GET', '/status')).listeners.find((one) => one.name === 'http');
  const open = async () => {
    await page.goto(`${wafd.console}/?view=overview`);
    await page.getByTestId('listeners').waitFor();
  };

  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'ingest.budget_ms': 20000 });
    nginx = await startShippedNginx('nginx-auth-request/forwarded.conf', { '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, '127.0.0.1:8701': wafd.settings['ingest.http.listen'] });
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(15_000);
    await setUp(page, wafd);
  });
  after(async () => {
    await chromium?.close();
    await nginx?.stop();
    await wafd?.stop();
    await upstream?.stop();
  });

  test('requests without a body say nothing', async () => {
    assert.equal((await request(nginx.url)).status, 200);
    await until('a request', async () => (await listener()).requests > 0);
    await open();
    assert.equal(await page.getByTestId('no-body').count(), 0);
  });

  test('after one that had a body the overview says it, with what to do', async () => {
    assert.equal((await request(nginx.url, { method: 'POST', body: 'a=1' })).status, 200);
    await until('counted', async () => (await listener()).bodies_missing === 1);
    assert.equal((await listener()).bodies_seen, 0);
    await open();
    const notice = page.getByTestId('no-body');
    await notice.waitFor();
    assert.match(await notice.innerText(), /No request body was ever seen on the listener http, although 1 request had one/);
    await notice.locator('summary').click();
    assert.match(await notice.innerText(), /nginx auth_request/);
    assert.deepEqual(await axeViolations(page, 'no-body'), []);
  });

  test('once a body was seen it is gone', async () => {
    await request(`${wafd.http}/check/`, { method: 'POST', body: 'a=1' });
    await until('counted', async () => (await listener()).bodies_seen === 1);
    await open();
    assert.equal(await page.getByTestId('no-body').count(), 0);
    const metrics = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
    assert.match(metrics.text, /wafd_listener_bodies_missing_total\{listener="http"\} 1\n/);
  });

  test('a site whose gateway hands over none beside others that do is named', async () => {
    const site = await wafd.api('POST', '/sites', { name: 'Lost', hosts: ['lost.example'] });
    assert.equal((await request(nginx.url, { method: 'POST', body: 'a=1', headers: { Host: 'lost.example' } })).status, 200);
    const today = async () => (await wafd.api('GET', '/status')).sites.find((one) => one.uuid === site.uuid)?.today;
    await until('counted', async () => (await today())?.bodies_missing === 1);
    assert.equal((await today()).bodies_seen, 0);
    await open();
    const notice = page.getByTestId('no-body');
    await notice.waitFor();
    assert.match(await notice.innerText(), /No request body was seen today for the site Lost, although 1 request had one/);
    await request(`${wafd.http}/check/`, { method: 'POST', body: 'a=1', headers: { Host: 'lost.example' } });
    await until('counted', async () => (await today()).bodies_seen === 1);
    await open();
    assert.equal(await page.getByTestId('no-body').count(), 0);
  });
});
