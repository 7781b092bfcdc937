// Sources of attacks on the page: a row for each, what each tried, its own page, blocking it, and lists that come and go as text.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { database } from '../support/mmdb.mjs';
import { pictures } from '../support/pictures.mjs';
import { tempFolder, until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

const busy = '203.0.113.7';
const other = '2001:db8:1:2:3:4:5:6';

describe('sources', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const shot = (name) => pictures(page, name);
  const send = async (source, uri, host = 'shop.example') => (await request(`${wafd.http}/check`, {
    headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': host, 'X-Forwarded-Uri': uri, 'X-Forwarded-For': source },
  })).status;

  before(async () => {
    const folder = tempFolder('sources');
    const places = path.join(folder, 'city.mmdb');
    const networks = path.join(folder, 'asn.mmdb');
    fs.writeFileSync(places, database('GeoLite2-City', { '203.0.113': { country: { iso_code: 'DE' }, city: { names: { en: 'Leipzig' } } } }));
    fs.writeFileSync(networks, database('GeoLite2-ASN', { '203.0.113': { autonomous_system_number: 64500, autonomous_system_organization: 'Example Net' } }));
    wafd = await Wafd.start({ 'geoip.database': places, 'geoip.asn_database': networks, 'ingest.http.trusted_proxies': '127.0.0.0/8' });
    for (let i = 0; i < 3; ++i) assert.equal(await send(busy, `/item?id=1%27%20OR%20%27${i}%27=%27${i}`), 403);
    assert.equal(await send(busy, '/page?file=../../../etc/passwd', 'wiki.example'), 403);
    assert.equal(await send(other, '/search?q=%3Cscript%3Ealert(1)%3C/script%3E'), 403);
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('one row a source, the busiest first; it opens to what it tried', async () => {
    await page.goto(`${wafd.console}/?group=attackers&range=all`);
    await until('two sources', async () => (await hook('group-row').count()) === 2);
    const first = hook('group-row').first();
    assert.match(await first.innerText(), /203\.0\.113\.7/);
    assert.match(await first.innerText(), /DE/);
    assert.match(await first.locator('[data-label="Events"]').innerText(), /4/);
    await first.getByTestId('source-open').click();
    await until('its attacks', async () => (await hook('tried-row').count()) === 2);
    assert.match(await hook('tried-row').first().innerText(), /SQL injection/);
    assert.deepEqual(await axeViolations(page, 'sources'), []);
    await shot('sources');
    await first.getByTestId('source-open').click();
    await until('them to go', async () => (await hook('tried-row').count()) === 0);
  });

  test('its page: where it is, when it came, what it tried and where', async () => {
    await hook('group-row').first().getByTestId('source-page').click();
    await hook('source').waitFor();
    await until('what databases say', async () => /AS64500 Example Net/.test(await hook('source-facts').innerText()));
    assert.match(await hook('source-facts').innerText(), /DE · Leipzig/);
    await until('its attacks', async () => (await hook('tried-row').count()) === 2);
    assert.match(await hook('source-total').innerText(), /4/);
    for (const [field, wanted] of [['host', /wiki\.example/], ['path', /\/page/], ['type', /Path traversal/]]) assert.match(await hook(`top-${field}`).innerText(), wanted);
    assert.ok(await hook('source-chart').locator('.bar').count() > 0);
    assert.deepEqual(await axeViolations(page, 'sources'), []);
    await shot('source');
    await hook('source-events').click();
    await until('its events', async () => (await hook('event-row').count()) === 4);
    await page.goBack();
    await hook('source').waitFor();
  });

  test('blocked from its page with an end, seen there, and let in again', async () => {
    assert.equal(await send(busy, '/'), 200);
    await hook('source-block').click();
    assert.equal(await hook('block-cidr').inputValue(), busy);
    await hook('block-comment').fill('tries the shop');
    await shot('source-block');
    await hook('save').click();
    await until('the state', async () => /Denied until/.test(await hook('source-facts').innerText()));
    const { lists } = await wafd.api('GET', '/lists');
    assert.equal(lists.length, 1);
    assert.equal(lists[0].cidr, `${busy}/32`);
    assert.equal(lists[0].comment, 'tries the shop');
    assert.ok(Math.abs(lists[0].expires_s - Date.now() / 1000 - 86400) < 600, 'a day, where nothing else is chosen');
    await until('it to be in force', async () => (await send(busy, '/')) === 403);
    await hook('source-unblock').click();
    await hook('confirm-yes').click();
    await until('it to be let in', async () => (await send(busy, '/')) === 200);
    await until('the state to go', async () => !/Denied/.test(await hook('source-facts').innerText()));
  });

  test('blocked from an event: the network of an IPv6 address, and a word about private addresses', async () => {
    const { events } = await wafd.api('GET', `/events?q=${encodeURIComponent(`src:"${other}"`)}`);
    await page.goto(`${wafd.console}/?event=${events[0].record.event_id}&range=all`);
    await hook('event-detail').waitFor();
    await hook('block-source').click();
    assert.equal(await hook('block-private').count(), 0);
    await hook('block-what').selectOption('2001:db8:1:2::/64');
    assert.match(await hook('block-comment').inputValue(), new RegExp(events[0].record.event_id));
    await hook('save').click();
    await until('the entry', async () => (await wafd.api('GET', '/lists')).lists.some(({ cidr }) => cidr === '2001:db8:1:2::/64'));
    await hook('exception-made').waitFor();
    assert.equal(await send('2001:db8:1:2::9', '/'), 403);
    await send('10.1.2.3', '/item?id=1%27%20OR%20%271%27=%271');
    await page.goto(`${wafd.console}/?view=source&src=10.1.2.3`);
    await hook('source-block').click();
    assert.match(await hook('block-private').innerText(), /private/);
    await page.keyboard.press('Escape');
  });

  test('lists are imported after a look at what it does, and exported', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=lists`);
    await hook('list-import').click();
    await hook('import-text').fill('198.51.100.0/24 # scans\nnobody.example\n');
    await hook('import-check').click();
    await hook('import-dialog').locator('.field-error').waitFor();
    assert.match(await hook('import-dialog').locator('.field-error').innerText(), /Line 2: cidr: expected/);
    await hook('import-file').setInputFiles({ name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('198.51.100.0/24 # scans\n2001:db8:1:2::/64\n') });
    await until('the file to be read', async () => /db8/.test(await hook('import-text').inputValue()));
    await hook('import-check').click();
    await until('what it would do', async () => /1 new, 1 there already/.test(await hook('import-result').innerText()));
    await shot('lists-import');
    await hook('save').click();
    await until('the entries', async () => (await hook('list-row').count()) === 2);
    const download = page.waitForEvent('download');
    await hook('list-export').click();
    const saved = path.join(tempFolder('sources'), 'lists.csv');
    await (await download).saveAs(saved);
    const csv = fs.readFileSync(saved, 'utf8');
    assert.match(csv, /^kind,cidr,expires_s,comment\r\n/);
    assert.match(csv, /deny,198\.51\.100\.0\/24,0,scans\r\n/);
  });
});
