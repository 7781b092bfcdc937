// Settings as versions and as a file: undo on the page, a file that is followed, export, diff and apply.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { after, before, describe, test } from 'node:test';

import { openBrowser, openConsole, setUp } from '../support/browser.mjs';
import { pictures } from '../support/pictures.mjs';
import { run, tempFolder, until, wafdPath } from '../support/processes.mjs';
import { T1kClient, requestMessage } from '../support/t1k.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('settings', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const shot = (name) => pictures(page, name);

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('every change is kept, says what it changed, and can be undone', async () => {
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '192.0.2.0/24', comment: 'a bot' });
    const target = await wafd.addTarget({ transport: 'udp', port: 5514 });
    await wafd.api('PUT', `/syslog/targets/${target.id}`, { ...target, port: 6514 });
    await wafd.api('DELETE', `/syslog/targets/${target.id}`);
    await page.goto(`${wafd.console}/?view=settings&section=history`);
    await hook('version').first().waitFor();
    assert.equal(await hook('version').count(), 5);
    const row = (version) => page.locator(`[data-version="${version}"]`);
    assert.match(await row(4).innerText(), /Removed\s+syslog target siem[\s\S]*in use/);
    assert.match(await row(3).innerText(), /Changed\s+syslog target siem\s+port 5514 → 6514/);
    assert.match(await row(1).innerText(), /Added\s+list entry 192\.0\.2\.0\/24/);
    await shot('history-changes');
    await row(3).getByTestId('restore').click();
    await hook('confirm').getByText('Added').waitFor();
    await shot('history-restore');
    await hook('confirm-yes').click();
    await hook('restored').waitFor();
    await until('the new version', async () => (await hook('version').count()) === 6);
    const { targets } = await wafd.api('GET', '/syslog/targets');
    assert.deepEqual(targets.map((one) => [one.id, one.port]), [[target.id, 6514]]);
    // Someone else saves while the page is open: nothing is overwritten unseen.
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '198.51.100.0/24' });
    await row(1).getByTestId('restore').click();
    await hook('confirm-yes').click();
    await hook('confirm').getByText('changed meanwhile').waitFor();
    assert.equal((await wafd.api('GET', '/lists')).lists.length, 2);
  });

  test('two who change one site: nothing is overwritten, and who goes away finds what the other one made', async () => {
    const site = await wafd.api('POST', '/sites', { name: 'Shop', hosts: ['shop.example'] });
    await page.goto(`${wafd.console}/?view=settings&section=sites`);
    const row = () => hook('site-row').filter({ hasText: 'shop.example' });
    await row().getByTestId('site-edit').click();
    await wafd.api('PUT', `/sites/${site.uuid}`, { ...site, name: 'Of another' });
    await hook('site-name').fill('Mine');
    await hook('save').click();
    await hook('site-dialog').getByText('changed this meanwhile').waitFor();
    assert.equal(await hook('site-name').inputValue(), 'Mine', 'what was typed stays');
    await page.keyboard.press('Escape');
    await row().getByText('Of another').waitFor();
    await row().getByTestId('site-edit').click();
    await hook('site-name').fill('Mine');
    await hook('save').click();
    await row().getByText('Mine').waitFor();
    // A host that another site has is refused, with the message at its input.
    await hook('site-add').click();
    await hook('site-name').fill('Again');
    await hook('site-hosts').fill('shop.example');
    await hook('save').click();
    await hook('site-dialog').getByText('The host shop.example belongs to another site').waitFor();
    assert.equal(await hook('site-hosts').getAttribute('aria-invalid'), 'true');
    await page.keyboard.press('Escape');
    await wafd.api('DELETE', `/sites/${site.uuid}`);
  });

  test('an entry of a list can be changed, and one that ended says so', async () => {
    const ends = Math.floor(Date.now() / 1000) + 3600;
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '203.0.113.0/24', comment: 'scans', expires_s: ends });
    await page.goto(`${wafd.console}/?view=settings&section=lists`);
    const row = hook('list-row').filter({ hasText: '203.0.113.0/24' });
    await row.getByTestId('list-edit').click();
    await hook('list-comment').fill('scans, told to stop');
    await hook('save').click();
    await row.getByText('told to stop').waitFor();
    assert.equal((await wafd.api('GET', '/lists')).lists.find((one) => one.cidr === '203.0.113.0/24').expires_s, ends, 'its end stays');
    assert.doesNotMatch(await row.innerText(), /expired/);
    await hook('list-add').click();
    await hook('list-cidr').fill('203.0.113.7/24');
    await hook('save').click();
    await hook('list-dialog').getByText('203.0.113.0/24 is on the deny list already: change that entry').waitFor();
    assert.equal(await hook('list-cidr').getAttribute('aria-invalid'), 'true');
    await page.keyboard.press('Escape');
    await page.clock.install({ time: (ends + 60) * 1000 });  // an hour later, as the page sees it
    await page.reload();
    await row.getByText(/expired/).waitFor();
    await page.clock.setSystemTime(Date.now());
  });

  test('viewers are offered nothing that they may not do', async () => {
    const password = 'a pale morning by the sea 3';
    await wafd.api('POST', '/users', { username: 'eve', role: 'viewer', password });
    await request(`${wafd.http}/v1/records`, { method: 'POST', body: JSON.stringify({ method: 'GET', uri: '/?id=1%27%20OR%20%271%27=%271', src_ip: '192.0.2.9' }) });
    const other = await chromium.browser.newContext({ ignoreHTTPSErrors: true });
    const view = await other.newPage();
    await view.goto(wafd.console);
    await view.locator('[name=username]').fill('eve');
    await view.locator('[name=password]').fill(password);
    await view.getByTestId('login-submit').click();
    await view.getByTestId('event-row').first().click();
    await view.getByTestId('verdict').waitFor();
    const offered = await view.getByTestId('triage').locator('button').evaluateAll((buttons) => buttons.filter((b) => !b.disabled).map((b) => b.textContent));
    assert.deepEqual(offered, []);
    for (const name of ['make-exception', 'pin', 'judge-again', 'nav-try']) assert.equal(await view.getByTestId(name).count(), 0, name);
    for (const section of ['sites', 'exceptions', 'lists', 'rules', 'syslog', 'system']) {
      await view.goto(`${wafd.console}/?view=settings&section=${section}`);
      await view.locator('.section table, .section [data-testid=empty], .card').first().waitFor();
      const hooks = await view.locator('main [data-testid]').evaluateAll((all) => all.map((one) => one.dataset.testid));
      assert.deepEqual(hooks.filter((name) => /-(add|edit|switch|upload|adopt|save)$|^(remove|save)$/.test(name)), [], section);
    }
    await other.close();
    await wafd.api('DELETE', '/users/eve');
  });

  const wafdCommand = (...args) => run(wafdPath, [...args, '--state-dir', wafd.state]);

  test('export, diff and apply: what was exported is no difference, secrets in files are named by their path', async () => {
    const folder = tempFolder('settings');
    const secret = path.join(folder, 'password');
    fs.writeFileSync(secret, 'a quiet broker\n');
    await wafd.addTarget({ name: 'bus', transport: 'kafka', port: 9092, enabled: false, kafka: { topic: 'waf', sasl: { mechanism: 'PLAIN', username: 'wafd', password: `file:${secret}` } } });
    await wafd.addTarget({ name: 'bus-2', transport: 'kafka', port: 9092, enabled: false, kafka: { topic: 'waf', sasl: { mechanism: 'PLAIN', username: 'wafd', password: 'in the settings' } } });
    const file = path.join(folder, 'settings.json');
    assert.equal((await wafdCommand('settings', 'export', file)).code, 0);
    const text = fs.readFileSync(file, 'utf8');
    assert.ok(text.includes(`file:${secret}`));
    assert.ok(!text.includes('in the settings'));
    assert.deepEqual(await wafdCommand('settings', 'diff', file).then(({ code, stdout }) => [code, stdout]), [0, '']);

    const settings = JSON.parse(text);
    settings.lists = settings.lists.map(({ id, kind, cidr }) => ({ id, kind, cidr })); // defaults need not be written
    settings.sites.push({ uuid: '7', name: 'Shop', hosts: ['shop.example'], mode: 'monitor' });
    fs.writeFileSync(file, JSON.stringify(settings));
    const diff = await wafdCommand('settings', 'diff', file);
    assert.equal(diff.code, 1);
    assert.match(diff.stdout, /^\+ .*"name": "Shop"/m);
    assert.equal((await wafdCommand('settings', 'apply', file)).code, 0);
    assert.equal((await wafdCommand('settings', 'diff', file)).code, 0);
    assert.equal((await wafd.api('GET', '/sites')).sites.length, 2);
    const kept = JSON.parse(fs.readFileSync(path.join(wafd.state, 'settings.json'), 'utf8')).targets.find((one) => one.name === 'bus-2');
    assert.equal(kept.kafka.sasl.password, 'in the settings', 'a secret that no export has stays');

    settings.sites[1].mode = 'loud';
    fs.writeFileSync(file, JSON.stringify(settings));
    for (const command of ['diff', 'apply']) {
      const refused = await wafdCommand('settings', command, file);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /sites\[1\]\.mode: expected/);
    }
  });

  test('settings.source: file is followed, shown read-only with its reason, and refuses changes', async () => {
    const file = path.join(tempFolder('given'), 'settings.json');
    const write = (lists) => {
      fs.writeFileSync(`${file}.new`, JSON.stringify({ format: 1, lists }));
      fs.renameSync(`${file}.new`, file);
    };
    const first = await run(wafdPath, ['run', '--state-dir', tempFolder('empty'), '--set', 'settings.source=file', '--set', `settings.file=${file}`,
      '--set', 'ingest.t1k.listen=', '--set', 'ingest.http.listen=127.0.0.1:0', '--set', 'console.listen=127.0.0.1:0', '--set', 'ring.size_mib=4']);
    assert.notEqual(first.code, 0);
    assert.match(first.stderr, /settings\.json/, 'without the file there is nothing to start with');

    write([{ id: 'a', kind: 'deny', cidr: '192.0.2.1' }]);
    const followed = await Wafd.start({ 'settings.source': 'file', 'settings.file': file });
    const other = await openBrowser();
    try {
      assert.equal((await followed.api('GET', '/lists')).lists[0].cidr, '192.0.2.1/32');
      const refused = await followed.api('POST', '/lists', { kind: 'deny', cidr: '192.0.2.9' }, [409]);
      assert.equal(refused.detail, `Settings come from the file ${file}: change them there.`);
      write([{ id: 'a', kind: 'deny', cidr: '192.0.2.2' }]);
      await until('the file to be read again', async () => (await followed.api('GET', '/lists')).lists[0].cidr === '192.0.2.2/32');
      fs.writeFileSync(file, '{"format": 1, "lists": [{"id"');
      const { settings } = await until('the notice', async () => {
        const status = await followed.api('GET', '/status');
        return status.settings.notice && status;
      });
      assert.match(settings.notice, /settings\.json: .*version 2 of the settings stays in use/);
      assert.equal((await followed.api('GET', '/lists')).lists[0].cidr, '192.0.2.2/32');

      page = other.page;
      await setUp(page, followed);
      for (const section of ['syslog', 'sites', 'exceptions', 'lists', 'history']) {
        await page.goto(`${followed.console}/?view=settings&section=${section}`);
        await hook('settings-file').waitFor();
        assert.ok((await hook('settings-file').innerText()).includes(file));
        for (const name of ['target-add', 'site-add', 'site-edit', 'exception-add', 'list-add', 'list-edit', 'remove', 'restore']) assert.equal(await hook(name).count(), 0, `${section}: ${name}`);
      }
      await shot('settings-file');
      await page.goto(`${followed.console}/?view=settings&section=users`);
      await hook('user-add').waitFor();
      assert.deepEqual(other.complaints, []);
    } finally {
      await other.close();
      await followed.stop();
    }
  });

  test('the console’s certificate: mistakes at their field, uploaded and in use at once, taken back', async () => {
    const folder = tempFolder('certificate');
    const make = async (name) => {
      const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '20', '-subj', '/CN=<b>console.example',
        '-addext', 'subjectAltName=DNS:console.example', '-keyout', path.join(folder, `${name}.key`), '-out', path.join(folder, `${name}.crt`)]);
      assert.equal(made.code, 0, made.stderr);
    };
    await make('one');
    await make('two');
    ({ page } = chromium);
    await page.goto(`${wafd.console}/?view=settings&section=system`);
    await hook('certificate-fingerprint').waitFor();
    const before = await hook('certificate-fingerprint').innerText();
    assert.match(await hook('certificate-source').innerText(), /Self-signed/);
    assert.equal(await hook('certificate-remove').count(), 0);
    await hook('certificate-upload').click();
    await hook('certificate-pem-file').setInputFiles(path.join(folder, 'one.crt'));
    await hook('certificate-key-file').setInputFiles(path.join(folder, 'two.key'));
    await until('both files to be read', async () => (await hook('certificate-pem').inputValue()).includes('BEGIN') && (await hook('certificate-key').inputValue()).includes('BEGIN'));
    await hook('save').click();
    await hook('certificate-dialog').locator('.field-error').waitFor();
    assert.match(await hook('certificate-dialog').locator('.field-error').innerText(), /^Does not belong to the certificate/);
    assert.ok((await hook('certificate-pem').inputValue()).includes('BEGIN CERTIFICATE'), 'nothing typed is lost');
    await shot('certificate-mistake');
    await hook('certificate-key-file').setInputFiles(path.join(folder, 'one.key'));
    const key = fs.readFileSync(path.join(folder, 'one.key'), 'utf8').replaceAll('\n', '');
    await until('the key to be read', async () => (await hook('certificate-key').inputValue()).replaceAll('\n', '') === key);
    await hook('save').click();
    await hook('certificate-remove').waitFor();
    const now = await hook('certificate-fingerprint').innerText();
    assert.notEqual(now, before);
    assert.match(await hook('certificate-ends').innerText(), /ends in 20 days/);
    assert.ok((await hook('system-certificate').innerText()).includes('CN=\\<b\\>console.example'));
    await shot('system-certificate');
    const seen = await new Promise((resolve, reject) => {
      const socket = tls.connect({ port: Number(new URL(wafd.console).port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      }).on('error', reject);
    });
    assert.equal(seen, now, 'new connections get it');
    assert.ok((await wafd.api('GET', '/status')).notes.some((note) => /certificate ends on/.test(note)));
    await hook('certificate-remove').click();
    await hook('confirm-yes').click();
    await until('the self-signed one', async () => (await hook('certificate-fingerprint').innerText()) === before);
  });

  test('a site’s own block answer: set on the page, given to clients over HTTP and T1K', async () => {
    ({ page } = chromium);
    await page.goto(`${wafd.console}/?view=settings&section=sites`);
    await page.locator('[data-site="0"]').getByTestId('site-edit').click();
    await hook('site-block').locator('summary').click();
    await hook('site-block-status').fill('200');
    await hook('site-block-body').fill('<!doctype html><title>Stopped</title><p>Tell support: {event_id}');
    await hook('save').click();
    await hook('site-dialog').locator('.field-error').waitFor();
    assert.match(await hook('site-dialog').locator('.field-error').innerText(), /from 400 to 599/);
    await shot('site-block');
    await hook('site-block-status').fill('451');
    await hook('save').click();
    await hook('site-dialog').waitFor({ state: 'detached' });
    const answer = await request(`${wafd.http}/check/item?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'other.example' } });
    assert.equal(answer.status, 451);
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
    const [, id] = answer.text.match(/^<!doctype html><title>Stopped<\/title><p>Tell support: ([0-9a-f]{32})$/);
    assert.equal((await wafd.event(id)).record.event_id, id);
    const t1k = await T1kClient.connect(wafd.t1kPort);
    try {
      const { verdict, status } = await t1k.ask(requestMessage("GET /item?id=1'%20OR%20'1'='1 HTTP/1.1\r\nHost: other.example\r\n\r\n"));
      assert.deepEqual([verdict, status], ['?', '451']);
    } finally {
      t1k.close();
    }
  });

  test('the configuration is shown as it is in force, without secrets', async () => {
    const row = (key) => page.locator(`[data-testid=config-key][data-key="${key}"]`);
    await page.goto(`${wafd.console}/?view=settings&section=system`);
    await hook('config').waitFor();
    assert.match(await row('ring.size_mib').innerText(), /16\s+default: 1024/);
    assert.match(await row('time_zone').innerText(), /UTC/);
    for (const key of ['ingest.http.trusted_proxies', 'geoip.database', 'console.listen', 'settings.source']) assert.equal(await row(key).count(), 1, key);
    await hook('config-search').fill('trusted');
    await until('the search', async () => (await hook('config-key').count()) === 1);
    const other = await Wafd.start({ 'ingest.http.crowdsec_api_keys': 'open sesame' });
    try {
      const { keys } = await other.api('GET', '/config');
      assert.equal(keys.find(({ key }) => key === 'ingest.http.crowdsec_api_keys').value, '***');
    } finally {
      await other.stop();
    }
  });

  test('sections stand in groups; exceptions and rules are one click from every page', async () => {
    await page.goto(`${wafd.console}/`);
    for (const section of ['exceptions', 'rules']) {
      await hook(`nav-${section}`).click();
      await until(section, () => new URL(page.url()).searchParams.get('section') === section);
      assert.equal(await hook(`nav-${section}`).getAttribute('aria-current'), 'page');
      assert.equal(await hook('nav-settings').getAttribute('aria-current'), null);
    }
    assert.deepEqual(await page.locator('.subnav-group').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))), ['Protection', 'Forwarding', 'Access', 'Node']);
    const other = await Wafd.start();
    const fresh = await openConsole(other, 20_000);
    try {
      for (const [section, words] of [['exceptions', /This is legitimate/], ['lists', /Deny an address/]]) {
        await fresh.page.goto(`${other.console}/?view=settings&section=${section}`);
        await until(section, async () => words.test(await fresh.page.getByTestId('empty').innerText()));
        await pictures(fresh.page, `${section}-empty`);
      }
    } finally {
      await fresh.close();
      await other.stop();
    }
  });

  test('audit entries say what differs, are searched and exported', async () => {
    const entry = await wafd.api('POST', '/lists', { kind: 'deny', cidr: '203.0.113.77', comment: 'first words' });
    await wafd.api('PUT', `/lists/${entry.id}`, { ...entry, comment: 'other words' });
    await page.goto(`${wafd.console}/?view=settings&section=audit`);
    await hook('audit').waitFor();
    await hook('audit-search').fill('OTHER words');
    await until('the one entry', async () => (await hook('audit').locator('tr.table-below').count()) === 1);
    const said = await hook('audit').locator('tr.table-below').innerText();
    assert.match(said, /comment\s+first words\s+→\s+other words/);
    assert.doesNotMatch(said, /203\.0\.113\.77/, 'what stayed is not repeated');
    await shot('audit-search');
    const [download] = await Promise.all([page.waitForEvent('download'), hook('audit-export').click()]);
    const parts = [];
    for await (const part of await download.createReadStream()) parts.push(part);
    const lines = Buffer.concat(parts).toString('utf8').trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.map((line) => [line.action, line.detail.after.comment]), [['list.change', 'other words']]);
    await hook('audit-search').fill('nowhere to be found');
    await until('nothing', async () => /No entry holds this text/.test(await hook('empty').innerText()));
    await wafd.api('DELETE', `/lists/${entry.id}`);
  });

  test('the token page shows how scripts use one, and where the API is described', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=tokens`);
    await hook('token-use').waitFor();
    assert.match(await hook('token-use').innerText(), new RegExp(`curl -H 'Authorization: Bearer TOKEN' '${wafd.console}/api/v1/events`));
    const [download] = await Promise.all([page.waitForEvent('download'), hook('api-document').click()]);
    assert.equal(download.suggestedFilename(), 'wafd-openapi.json');
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
