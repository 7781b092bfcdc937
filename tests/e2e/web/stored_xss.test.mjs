// Sixty payloads through real requests, then looked at in Chromium wherever the page shows data: none may run, load or be reported.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { payloads } from '../fixtures/xss_payloads.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

// A text as an HTTP header may carry it: no control bytes; UTF-8 as bytes.
const header = (text) => Buffer.from(text.replace(/[\0-\x1f]/g, ' ')).toString('latin1');

describe('stored markup', () => {
  let wafd;
  let chromium;
  let page;
  const ids = [];
  const ran = [];
  const reports = [];
  const foreign = [];
  const hook = (name) => page.getByTestId(name);
  const open = (query) => page.goto(`${wafd.console}/${query}`);
  const nothingHappened = async (where) => {
    // Events of loading, focus and animation come with the next frames.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
    assert.deepEqual(ran, [], `${where}: script ran`);
    assert.deepEqual(reports, [], `${where}: the content security policy was needed`);
    assert.deepEqual(foreign, [], `${where}: something was fetched from elsewhere`);
    assert.deepEqual(chromium.complaints, [], where);
    const elements = await page.evaluate(() => document.querySelectorAll('main script, main iframe, main object, main embed, main style, main link, main meta, main base, main img, main video, main audio, main math, main [onerror], main [onload], main a[href^="javascript:"], main a[href^="data:"]').length);
    const links = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map((a) => a.origin).filter((origin) => origin !== location.origin));
    assert.deepEqual(links, [], `${where}: data became a link`);
    assert.equal(elements, 0, `${where}: markup became elements`);
  };

  before(async () => {
    assert.equal(payloads.length, 60);
    wafd = await Wafd.start();
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
    await chromium.context.exposeFunction('xss', (n) => void ran.push(n));
    await chromium.context.exposeFunction('reportedByPolicy', (what) => void reports.push(what));
    await chromium.context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => void globalThis.reportedByPolicy(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
    });
    page.on('request', (made) => {
      const { protocol, origin } = new URL(made.url());
      if (protocol === 'data:' || protocol === 'blob:' || origin === wafd.console) return;
      foreign.push(made.url());
    });
    await setUp(page, wafd);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('the trap works: a page that took data as markup would be noticed', async () => {
    await page.evaluate(() => globalThis.xss(0));
    await until('the call to be seen', () => ran.length === 1);
    ran.length = 0;
    await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=xss(0)>');
      } catch { /* Trusted Types refuse it, and the policy reports it */ }
    });
    await until('the report to be seen', () => reports.length > 0);
    reports.length = 0;
    chromium.complaints.length = 0;
  });

  test('each of the sixty is recorded as an event, whole', async () => {
    for (const [kind, text] of payloads) {
      const encoded = encodeURIComponent(text);
      // An attack beside the text makes it an event for certain.
      const answer = await request(`${wafd.http}/check/${encoded}?id=1%27%20OR%20%271%27=%271&${encoded}=${encoded}`, {
        method: 'POST',
        headers: { Host: 'shop.example', 'User-Agent': header(text), Referer: header(text), Cookie: header(`c=${text}`), 'X-Any': header(text), 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `name=${encoded}&${encoded}=1`,
      });
      assert.equal(answer.status, 403, kind);
      const { record } = await wafd.event(answer.json().event_id);
      assert.ok(record.body.includes(encoded), kind);
      ids.push(record.event_id);
    }
    assert.equal(new Set(ids).size, 60);
  });

  test('list, top lists and histogram', async () => {
    await open('');
    await hook('event-row').first().waitFor();
    const seen = new Set();
    await until('all sixty rows to have been drawn', async () => {
      for (const id of await hook('event-row').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-event-id')))) seen.add(id);
      await hook('event-row').last().scrollIntoViewIfNeeded();
      await page.keyboard.press('j');
      return ids.every((id) => seen.has(id));
    });
    await nothingHappened('list');
    await hook('facets').waitFor();
    assert.ok((await hook('facets').innerText()).includes('xss('), 'top paths show them');
    await open('?view=overview');
    await hook('overview').waitFor();
    await nothingHappened('overview');
  });

  test('the detail of each, with all fields open: the text stands there as text', async () => {
    for (const [n, id] of ids.entries()) {
      const [kind, text] = payloads[n];
      await open(`?event=${id}`);
      await hook('verdict').waitFor();
      await hook('all-fields').locator('summary').click();
      await hook('all-fields').locator('tr').nth(57).waitFor();
      const shown = await hook('event-detail').evaluate((node) => node.textContent);
      const plain = text.split(/[\0-\x1f\u2028\u2029\u202a-\u202e]/).sort((a, b) => b.length - a.length)[0];
      assert.ok(shown.includes(plain), `${kind}: ${plain}`);
      await nothingHappened(`detail: ${kind}`);
    }
  });

  test('filters made of them, and the address with them', async () => {
    for (const [kind, text] of payloads) {
      await open(`?q=${encodeURIComponent(`"${text.replace(/["\\\0-\x1f]/g, '')}"`)}`);
      await hook('query').waitFor();
      await nothingHappened(`query: ${kind}`);
    }
  });

  test('the preview of a syslog target, in every content', async () => {
    for (const id of [ids[0], ids[38], ids[58]]) {
      for (const content of ['json', 'cef', 'leef', 'ecs']) {
        const { message } = await wafd.api('POST', '/syslog/preview', { transport: 'udp', host: 'h', content, event_id: id, max_message_bytes: 60000 });
        assert.ok(message.includes('xss'), content);
      }
    }
    await open('?view=settings&section=syslog&target=new');
    await hook('target-advanced').waitFor();
    for (const content of ['json', 'cef', 'leef', 'ecs']) {
      await page.evaluate(() => document.querySelector('[data-testid=target-advanced]').setAttribute('open', ''));
      await hook('target-content').selectOption(content);
      await until(`preview as ${content}`, async () => (await hook('preview-text').innerText()).includes('xss'));
      await nothingHappened(`preview: ${content}`);
    }
  });

  test('export opened in the browser is a download, never a page', async () => {
    for (const format of ['ndjson', 'csv']) {
      const answer = await request(`${wafd.console}/api/v1/events/export?format=${format}`, { headers: { Authorization: `Bearer ${wafd.token}` } });
      assert.match(answer.headers['content-disposition'], /^attachment/);
      assert.doesNotMatch(answer.headers['content-type'], /html|xml|javascript/);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.ok(ids.every((id) => answer.text.includes(id)), format);
      const download = page.waitForEvent('download');
      await page.goto(`${wafd.console}/api/v1/events/export?format=${format}`).catch((error) => assert.match(error.message, /ERR_ABORTED|Download is starting/));
      await (await download).cancel();
      await nothingHappened(`export: ${format}`);
    }
  });

  test('settings that people name so: sites, targets, exceptions, lists, users’ browsers, history, audit log', async () => {
    // Characters that names and comments may not have are refused (422).
    const clean = (text) => text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '').slice(0, 60);
    for (const [n, [, text]] of payloads.entries()) {
      const comment = clean(text);
      if (n % 4 === 0) await wafd.api('POST', '/lists', { kind: 'deny', cidr: `203.0.113.${n}`, comment });
      if (n % 4 === 1) await wafd.api('POST', '/exceptions', { path: '/x', name: comment, comment });
      if (n % 4 === 2) await wafd.api('POST', '/sites', { name: comment, hosts: [`h${n}.example`] });
      if (n % 4 === 3) await wafd.api('POST', '/syslog/targets', { name: comment, transport: 'udp', host: '127.0.0.1', enabled: false });
      await request(`${wafd.console}/api/v1/session`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'User-Agent': header(text) }, body: JSON.stringify({ username: text, password: 'x' }) });
    }
    for (const section of ['lists', 'exceptions', 'sites', 'syslog', 'history', 'audit', 'tokens', 'users', 'rules']) {
      await open(`?view=settings&section=${section}`);
      await page.locator('table, [data-testid=empty]').first().waitFor();
      await nothingHappened(section);
    }
    await open('?view=account');
    await hook('sessions').waitFor();
    await nothingHappened('account');
  });
});
