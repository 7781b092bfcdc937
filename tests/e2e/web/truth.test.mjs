// Words that say what is so, in a real Chromium: a connection that was made is no closed port, an error belongs to what was
// sent, sites that only watch deny nothing, what is offered as an example is accepted.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { openBrowser, setUp } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('words', () => {
  let wafd;
  let chromium;
  let page;
  let closing;
  const hook = (name) => page.getByTestId(name);
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);

  before(async () => {
    wafd = await Wafd.start();
    // As a port that speaks TLS does with plain text: it takes the connection and ends it.
    closing = net.createServer((socket) => { socket.on('error', () => {}); socket.once('data', () => socket.destroy()); });
    await new Promise((done) => closing.listen(0, '127.0.0.1', done));
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
  });
  after(async () => {
    await chromium?.close();
    closing?.close();
    await wafd?.stop();
  });

  test('an error of the set-up goes when something else is typed', async () => {
    await open();
    const form = hook('setup-form');
    await form.waitFor();
    await form.locator('[name=token]').fill('not-the-token');
    for (const field of await form.locator('[type=password]:not([name=token])').all()) await field.fill('a quiet gateway at dusk 7');
    await hook('setup-submit').click();
    await until('the error', async () => /token/i.test(await page.locator('[role=alert]').first().innerText()));
    await form.locator('[name=token]').fill('something else');
    assert.equal(await page.locator('[role=alert]').count(), 0);
    await setUp(page, wafd);
  });

  test('a port that takes the connection and ends it is not called closed; stages have words, not keys', async () => {
    await open('?view=settings&section=syslog&target=new');
    await hook('target-host').fill('127.0.0.1');
    await hook('target-transport').selectOption('tcp');
    await hook('target-port').fill(`${closing.address().port}`);
    await hook('test-connection').click();
    await hook('test-verdict').waitFor();
    const said = await hook('test-verdict').innerText();
    assert.equal(await hook('stage-connect').getAttribute('data-ok'), 'true');
    assert.match(said, /Closed by the receiver/);
    assert.doesNotMatch(said, /Port closed/);
    const names = await page.locator('.stage-detail dt').allInnerTexts();
    assert.ok(names.length > 3, names.join());
    for (const name of names) assert.match(name, /^[A-Z]/, 'a word for people');
    await hook('target-port').fill('1');
    await hook('test-connection').click();
    await until('the closed one', async () => (await hook('stage-connect').getAttribute('data-ok').catch(() => '')) === 'false');
    assert.doesNotMatch(await hook('test-verdict').innerText(), /Closed by the receiver/);
  });

  test('“every event” stands at the targets whose filter is empty', async () => {
    await wafd.addTarget({ name: 'all of them', transport: 'udp', port: 9, filter: '' });
    await wafd.addTarget({ name: 'some of them', transport: 'udp', port: 9, filter: 'risk:high' });
    await open('?view=settings&section=syslog');
    const filter = async (name) => hook('target-row').filter({ hasText: name }).locator('td[data-label=Filter]').innerText();
    await hook('target-row').nth(1).waitFor();
    assert.equal(await filter('all of them'), 'every event');
    assert.equal(await filter('some of them'), 'risk:high');
    assert.doesNotMatch(await page.locator('.section-head').innerText(), /Every event is forwarded/);
  });

  test('a site that only watches counts what would have been denied; kinds of attack have a sensitivity of their own', async () => {
    await wafd.api('POST', '/sites', { name: 'Watched', hosts: ['watched.example'], mode: 'monitor' });
    assert.equal((await request(`${wafd.http}/check/item?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'watched.example' } })).status, 200);
    await open('?view=settings&section=sites');
    const row = hook('site-row').filter({ hasText: 'Watched' });
    await until('its count', async () => { await page.reload(); await row.waitFor(); return /1 would have been denied/.test(await row.innerText()); });
    assert.doesNotMatch(await row.innerText(), /\d denied/);
    await row.getByTestId('site-edit').click();
    await hook('site-by-type').locator('summary').click();
    await hook('by-type-add').click();
    await hook('by-type-row').locator('select').first().selectOption('xss');
    await hook('by-type-row').locator('select').last().selectOption('strict');
    await hook('save').click();
    await hook('site-dialog').waitFor({ state: 'detached' });
    const site = (await wafd.api('GET', '/sites')).sites.find((one) => one.name === 'Watched');
    assert.deepEqual(site.sensitivity_by_type, { xss: 'strict' });
  });

  test('the example of Add rules is accepted as it stands', async () => {
    await open('?view=settings&section=rules');
    await hook('rule-add').click();
    const example = await hook('rule-text').getAttribute('placeholder');
    await hook('rule-text').fill(example);
    await hook('save').click();
    await hook('rule-dialog').waitFor({ state: 'detached' });
    await hook('own-rule').filter({ hasText: JSON.parse(example).name }).waitFor();
  });

  test('rules have their names where they are read and chosen', async () => {
    const { rules } = await wafd.api('GET', '/rules');
    const rule = rules.find((one) => /[0-9a-f]{12}/.test(one.id)) ?? rules[0];
    await wafd.api('POST', '/exceptions', { host: 'shop.example', rule_id: rule.id });
    await open('?view=settings&section=exceptions');
    const cell = page.locator('[data-testid=exceptions] td[data-label="What it accepts"]').first();
    await until('the name', async () => (await cell.innerText()) === rule.name);
    await open();
    await hook('query').click();
    await hook('query').pressSequentially(`rule:${rule.name.split(' ')[0]}`);
    await hook('query-offer').filter({ hasText: rule.name }).first().click();
    assert.ok((await hook('query').inputValue()).includes(rule.id));
  });

  test('the scheme of a record is http or https, whatever was claimed', async () => {
    for (const [claimed, kept] of [['https', 'https'], ['HTTPS', 'https'], ['gopher', 'http'], ['', 'http']]) {
      const line = JSON.stringify({ method: 'GET', uri: `/scheme-${claimed || 'none'}?id=1%27%20OR%20%271%27=%271`, scheme: claimed, src_ip: '198.51.100.7', host: 'shop.example', headers: [['Host', 'shop.example']] });
      assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${line}\n` })).status, 200);
      const found = await until(claimed, async () => (await wafd.api('GET', `/events?q=path:/scheme-${claimed || 'none'}`)).events[0]);
      assert.equal(found.record.scheme, kept, claimed);
    }
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
