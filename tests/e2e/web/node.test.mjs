// Settings of the whole node (time zone, trusted proxies, database of source locations): set over the API, by a file and on the page, in force at
// once.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { openBrowser, openConsole, setUp } from '../support/browser.mjs';
import { database } from '../support/mmdb.mjs';
import { pictures } from '../support/pictures.mjs';
import { run, tempFolder, until, wafdPath } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

// An attack through a proxy on loopback that says whom it came from; its record.
async function attack(wafd, source = '203.0.113.200') {
  const answer = await request(`${wafd.http}/check`, {
    headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/item?id=1%27%20OR%20%271%27=%271', 'X-Forwarded-For': source },
  });
  assert.equal(answer.status, 403);
  return (await wafd.event(answer.json().event_id)).record;
}

// Hours that the text of the event's time is ahead of UTC.
const ahead = (record) => Math.round((Date.parse(`${record.timestamp_human.replace(' ', 'T')}Z`) - record.timestamp * 1000) / 3_600_000);
const offset = async (wafd, id) => (await wafd.api('GET', `/events/${id}/syslog`)).message.match(/T[\d:.]+([+-]\d\d:\d\d) /)[1];

describe('what holds for the whole node', () => {
  const folder = tempFolder('node');
  const places = (name, city) => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, database('GeoLite2-City', { '203.0.113': { country: { iso_code: 'DE' }, subdivisions: [{ names: { en: 'Saxony' } }], city: { names: { en: city } } } }));
    return file;
  };
  const first = places('first.mmdb', 'Leipzig');
  const second = places('second.mmdb', 'Dresden');
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const set = (body, expect) => wafd.api('PUT', '/system', body, expect);

  before(async () => {
    wafd = await Wafd.start({ time_zone: 'Asia/Tokyo', 'geoip.database': first, 'ingest.http.trusted_proxies': '127.0.0.0/8' });
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    await page.goto('about:blank'); // it has nothing to say while wafd is restarted
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('a fresh start is as the configuration has it', async () => {
    const { configured, ...values } = await wafd.api('GET', '/system');
    assert.deepEqual(configured, { time_zone: 'Asia/Tokyo', trusted_proxies: ['127.0.0.0/8'], geoip_database: first });
    assert.deepEqual([values.time_zone, values.trusted_proxies, values.geoip_database], [null, null, null]);
    const record = await attack(wafd);
    assert.deepEqual([record.src_ip, record.city, ahead(record)], ['203.0.113.200', 'Leipzig', 9]);
    assert.equal(await offset(wafd, record.event_id), '+09:00');
  });

  test('each is in force at once, in records, in messages shown and in messages sent', async () => {
    await set({ time_zone: 'America/Caracas', geoip_database: second });
    let record = await attack(wafd);
    assert.deepEqual([record.src_ip, record.city, ahead(record)], ['203.0.113.200', 'Dresden', -4]);
    assert.equal(await offset(wafd, record.event_id), '-04:00');
    const preview = await wafd.api('POST', '/syslog/preview', { transport: 'tcp', host: 'siem.example' });
    assert.match(preview.message, /T[\d:.]+-04:00 /);
    assert.equal((await wafd.api('GET', '/status')).geoip.database, second);

    await set({ trusted_proxies: ['192.0.2.0/24'] }); // not loopback: what it says of the source is no longer believed
    record = await attack(wafd);
    assert.deepEqual([record.src_ip, record.city, ahead(record)], ['127.0.0.1', '', 9]);
    await set({ trusted_proxies: [] }); // none named: loopback
    assert.equal((await attack(wafd)).src_ip, '203.0.113.200');
    await set({ geoip_database: '' });
    assert.equal((await attack(wafd)).city, '');
    assert.equal((await wafd.api('GET', '/status')).geoip.type, '');
    await set({});
    assert.equal((await attack(wafd)).city, 'Leipzig');
  });

  test('a target goes over to the new time zone, and nothing is lost', async () => {
    const received = [];
    const { createServer } = await import('node:net');
    const receiver = createServer((socket) => socket.setEncoding('utf8').on('data', (text) => received.push(text)));
    await new Promise((resolve) => { receiver.listen(0, '127.0.0.1', resolve); });
    try {
      const target = await wafd.addTarget({ name: 'zone', transport: 'tcp', port: receiver.address().port, framing: 'lf' });
      await attack(wafd);
      await until('the first', () => received.join('').split('\n').length === 2);
      await set({ time_zone: 'America/Caracas' });
      await attack(wafd);
      const lines = await until('the second', () => { const all = received.join('').split('\n'); return all.length >= 3 && all; });
      assert.match(lines[0], /^<\d+>1 \S+\+09:00 /);
      assert.match(lines.at(-2), /^<\d+>1 \S+-04:00 /);
      // The shell's test says the same time as the daemon would.
      assert.match((await run(wafdPath, ['send-test', '--target', 'zone', '--state-dir', wafd.state])).stdout, /T[\d:.]+-04:00 /);
      await wafd.api('DELETE', `/syslog/targets/${target.id}`);
      await set({});
    } finally {
      receiver.close();
    }
  });

  test('a restart keeps what was set; a database that is gone meanwhile is said and stops nothing', async () => {
    const gone = places('gone.mmdb', 'Meissen');
    await set({ time_zone: 'America/Caracas', geoip_database: gone });
    await wafd.stop();
    await wafd.launch();
    const record = await attack(wafd);
    assert.deepEqual([record.city, ahead(record)], ['Meissen', -4]);
    await wafd.stop();
    fs.rmSync(gone);
    await wafd.launch();
    const { geoip, notes } = await wafd.api('GET', '/status');
    assert.match(geoip.error, /gone\.mmdb: No such file or directory; expected a MaxMind DB file/);
    assert.ok(notes.includes(geoip.error));
    assert.equal((await attack(wafd)).city, '');
    // Another change is not stopped by it.
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '198.51.100.0/24' });
    await set({});
    assert.equal((await attack(wafd)).city, 'Leipzig');
  });

  test('mistakes name the member and change nothing; a pipe is no database', async () => {
    const pipe = path.join(folder, 'pipe');
    assert.equal((await run('mkfifo', [pipe])).code, 0);
    const text = path.join(folder, 'text');
    fs.writeFileSync(text, 'no database');
    for (const [body, member, says] of [
      [{ time_zone: 'Mars/Olympus' }, 'time_zone', /IANA name/],
      [{ trusted_proxies: ['10.0.0.0/8', 'proxy.example'] }, 'trusted_proxies[1]', /expected an address or a network/],
      [{ geoip_database: 'relative.mmdb' }, 'geoip_database', /begins with \//],
      [{ geoip_database: pipe }, 'geoip_database', /no regular file; expected a MaxMind DB file/],
      [{ geoip_database: text }, 'geoip_database', /expected a MaxMind DB file/],
      [{ geoip_database: '/no/such/file' }, 'geoip_database', /No such file/],
    ]) {
      const refused = await set(body, [422]);
      assert.equal(refused.member, member);
      assert.match(refused.detail, says);
    }
    assert.equal((await attack(wafd)).city, 'Leipzig');
  });

  test('as code: export, diff, apply; versions and undo; the audit log', async () => {
    const file = path.join(folder, 'settings.json');
    const command = (...args) => run(wafdPath, ['settings', ...args, '--state-dir', wafd.state]);
    assert.equal((await command('export', file)).code, 0);
    const settings = JSON.parse(fs.readFileSync(file, 'utf8'));
    assert.deepEqual(settings.system, { trusted_proxies: null, time_zone: null, geoip_database: null, second_factor_roles: null });
    settings.system = { time_zone: 'America/Caracas' };
    fs.writeFileSync(file, JSON.stringify(settings));
    const diff = await command('diff', file);
    assert.equal(diff.code, 1);
    assert.match(diff.stdout, /^\+ .*America\/Caracas/m);
    assert.equal((await command('apply', file)).code, 0);
    assert.equal(ahead(await attack(wafd)), -4);
    settings.system = { time_zone: 'Nowhere/Else' };
    fs.writeFileSync(file, JSON.stringify(settings));
    const refused = await command('apply', file);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /time_zone: expected an IANA name/);
    const { versions } = await wafd.api('GET', '/settings/versions');
    assert.deepEqual(versions[0].changes, [{ collection: 'system', id: 'system', name: '', change: 'changed', members: [{ member: 'time_zone', before: null, after: 'America/Caracas' }] }]);
    await wafd.api('POST', '/settings/restore', { version: versions[1].version });
    assert.equal(ahead(await attack(wafd)), 9);
    await set({ time_zone: 'UTC' });
    assert.equal((await wafd.api('GET', '/audit')).entries[0].action, 'system.change');
    await set({});
  });

  test('on the page: shown with where it comes from, mistakes at their field, nothing typed is lost, in force at once', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=system`);
    await hook('node-value-zone').waitFor();
    assert.match(await hook('node-value-zone').innerText(), /Asia\/Tokyo \(as configured\)/);
    assert.match(await hook('node-value-places').innerText(), /first\.mmdb \(as configured\)/);
    await hook('node-edit').click();
    await hook('node-zone-configured').uncheck();
    await hook('node-proxies-configured').uncheck();
    await hook('node-places-configured').uncheck();
    await hook('node-zone').fill('America/Caracas');
    await hook('node-proxies').fill('127.0.0.0/8\n10.0.0.0/33');
    await hook('node-places').fill(second);
    await hook('save').click();
    await hook('node-dialog').locator('.field-error').waitFor();
    assert.match(await hook('node-dialog').locator('.field-error').innerText(), /Expected an address or a network such as 10\.0\.0\.0\/8, got "10\.0\.0\.0\/33"/);
    await pictures(page, 'system-node');
    assert.equal(await hook('node-zone').inputValue(), 'America/Caracas');
    await hook('node-proxies').fill('127.0.0.0/8\n10.0.0.0/8');
    await hook('save').click();
    await hook('node-dialog').waitFor({ state: 'detached' });
    await until('the new values', async () => /America\/Caracas \(set here\)/.test(await hook('node-value-zone').innerText()));
    assert.match(await hook('node-value-proxies').innerText(), /127\.0\.0\.0\/8\s+10\.0\.0\.0\/8\s+\(set here\)/);
    const record = await attack(wafd);
    assert.deepEqual([record.city, ahead(record)], ['Dresden', -4]);
    // The list says the same time as the record, and which zone's it is.
    await hook('nav-events').click();
    const row = page.locator(`[data-event-id="${record.event_id}"]`);
    assert.match(await row.locator('time').getAttribute('title'), new RegExp(`^${record.timestamp_human}\\.\\d{3} -04:00$`));
    assert.match(await row.locator('time').innerText(), new RegExp(`${record.timestamp_human.slice(11)}$`));
    assert.equal(await hook('time-zone').innerText(), 'Times: America/Caracas');
    await page.goto(`${wafd.console}/?view=settings&section=system`);

    // Whom everybody's word is taken from is said.
    await hook('node-edit').click();
    await hook('node-proxies').fill('127.0.0.0/8\n0.0.0.0/0');
    await hook('save').click();
    await hook('node-dialog').waitFor({ state: 'detached' });
    await hook('node-warning').waitFor();
    assert.match(await hook('node-warning').innerText(), /0\.0\.0\.0\/0 holds all IPv4 addresses: whoever asks from one of them/);

    // Another administrator changes it while the dialog is open: refused, said, and nothing is overwritten.
    await hook('node-edit').click();
    await set({ time_zone: 'UTC' });
    await hook('node-zone').fill('Europe/Lisbon');
    await hook('save').click();
    await hook('node-dialog').getByText(/changed/i).first().waitFor();
    assert.equal(await hook('node-zone').inputValue(), 'Europe/Lisbon');
    assert.equal((await wafd.api('GET', '/system')).time_zone, 'UTC');
    await page.keyboard.press('Escape');
    await until('what the other one set', async () => /^UTC \(set here\)/.test(await hook('node-value-zone').innerText()));
    await page.goto(`${wafd.console}/?view=settings&section=history`);
    await hook('version').first().waitFor();
    assert.match(await hook('version').first().innerText(), /this node’s settings[\s\S]*time_zone America\/Caracas → UTC/);
    assert.deepEqual(chromium.complaints, []);
  });

  test('settings.source: file has it too, and the page says that it cannot be changed here', async () => {
    const file = path.join(folder, 'followed.json');
    const write = (system) => {
      fs.writeFileSync(`${file}.new`, JSON.stringify({ format: 1, system }));
      fs.renameSync(`${file}.new`, file);
    };
    write({ time_zone: 'America/Caracas' });
    const followed = await Wafd.start({ 'settings.source': 'file', 'settings.file': file });
    const other = await openBrowser();
    try {
      assert.equal(ahead(await attack(followed)), -4);
      await followed.api('PUT', '/system', { time_zone: 'UTC' }, [409]);
      write({ time_zone: 'Asia/Tokyo', geoip_database: second });
      await until('the file to be read again', async () => (await followed.api('GET', '/system')).time_zone === 'Asia/Tokyo');
      const record = await attack(followed);
      assert.deepEqual([record.city, ahead(record)], ['Dresden', 9]);
      write({ time_zone: 'Nowhere/Else' });
      const { settings } = await until('the notice', async () => {
        const status = await followed.api('GET', '/status');
        return status.settings.notice && status;
      });
      assert.match(settings.notice, /time_zone: expected an IANA name.*stays in use/);
      await setUp(other.page, followed);
      await other.page.goto(`${followed.console}/?view=settings&section=system`);
      await other.page.getByTestId('node-of-file').waitFor();
      assert.ok((await other.page.getByTestId('node-of-file').innerText()).includes(file));
      assert.equal(await other.page.getByTestId('node-edit').count(), 0);
      assert.deepEqual(other.complaints, []);
    } finally {
      await other.close();
      await followed.stop();
    }
  });
});
