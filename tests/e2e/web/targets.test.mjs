// The form of a syslog target in Chromium against real receivers: presets, live preview, encryption, tests in stages, nothing typed is lost.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { pictures } from '../support/pictures.mjs';
import { Program, freePort, tempFolder, until, wafdPath } from '../support/processes.mjs';
import { Receiver, fetchReceivers } from '../support/receivers.mjs';
import { Wafd, request } from '../support/wafd.mjs';

// A certificate of its own for siem.example, and its SHA-256.
function makeCertificate() {
  const folder = tempFolder('tls');
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => path.join(folder, name));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=siem.example',
    '-addext', 'subjectAltName=DNS:siem.example', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const print = execFileSync('openssl', ['x509', '-in', cert, '-noout', '-fingerprint', '-sha256'], { encoding: 'utf8' });
  return { cert, key, fingerprint: print.split('=')[1].trim() };
}

describe('the form of a syslog target', () => {
  let wafd;
  let chromium;
  let page;
  let account;
  let rsyslog;
  let tls;
  let tlsPort;
  let certificate;
  const hook = (name) => page.getByTestId(name);
  const openNew = () => page.goto(`${wafd.console}/?view=settings&section=syslog&target=new`);
  const previewed = (wanted) => until(`preview ${wanted}`, async () => wanted.test(await hook('preview-text').innerText()));
  const shot = (name) => pictures(page, name);
  const run = async () => {
    // The verdict of the test before goes for a moment that may be too short to be seen: it is marked instead.
    for (const old of await hook('test-verdict').all()) await old.evaluate((node) => node.setAttribute('data-old', ''));
    await hook('test-connection').click();
    await page.locator('[data-testid=test-verdict]:not([data-old])').waitFor();
    return hook('test-verdict').locator('[data-verdict]').getAttribute('data-verdict');
  };

  before(async () => {
    await fetchReceivers();
    certificate = makeCertificate();
    tlsPort = await freePort();
    tls = new Program(wafdPath, ['receive', '--tls', `127.0.0.1:${tlsPort}`, '--cert', certificate.cert, '--key', certificate.key]);
    rsyslog = await Receiver.start('rsyslog');
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page, account } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
    await rsyslog?.stop();
    await tls?.stop();
  });

  test('a preset sets all that the receiver needs; the preview and the snippet follow', async () => {
    await openNew();
    await previewed(/^<26>1 .* waf_event - \{"scheme":"https"/);
    assert.match(await hook('preview-about').innerText(), /invented/);
    await hook('target-host').fill('wazuh.example');
    await hook('target-preset').selectOption('wazuh');
    await previewed(/^<26>[A-Z][a-z]{2} [ \d]\d .* wafd/);
    assert.deepEqual([await hook('target-transport').inputValue(), await hook('target-port').inputValue(), await hook('target-host').inputValue()], ['tcp', '514', 'wazuh.example']);
    await hook('snippet').first().waitFor();
    assert.match(await hook('snippets').innerText(), /wazuh-decoder\.xml/);
    await hook('target-preset').selectOption('sentinel');
    await previewed(/CEF:0\|/);
    await hook('target-preset').selectOption('qradar');
    await previewed(/LEEF:2\.0\|/);
    await hook('target-preset').selectOption('elastic_agent');
    await previewed(/"ecs"/);
    await shot('syslog-preset');
  });

  test('the preview is of the latest event, and says what does not fit', async () => {
    await request(`${wafd.http}/check/item?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'shop.example' } });
    await openNew();
    await previewed(/"host":"shop\.example"/);
    assert.match(await hook('preview-about').innerText(), /latest event/);
    await hook('target-transport').selectOption('tcp');
    await previewed(/^\d{3,5} <26>1 /);
    await hook('target-advanced').locator('summary').click();
    await hook('target-max').fill('10');
    await hook('preview-stale').waitFor();
    assert.match(await hook('preview-stale').innerText(), /max_message_bytes: expected an integer from 2048/);
    await hook('target-max').fill('');
    await hook('preview-stale').waitFor({ state: 'detached' });
  });

  test('TLS: an unknown certificate fails with words, its fingerprint makes it trusted, the CA too', async () => {
    await openNew();
    await hook('target-transport').selectOption('tls');
    await hook('target-host').fill('127.0.0.1');
    await hook('target-port').fill(`${tlsPort}`);
    assert.equal(await run(), 'failed');
    assert.equal(await hook('stage-connect').getAttribute('data-ok'), 'true');
    assert.equal(await hook('stage-tls').getAttribute('data-ok'), 'false');
    await shot('syslog-tls-failed');
    await hook('tls-verify').uncheck();
    await hook('tls-fingerprint').fill(certificate.fingerprint.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
    assert.equal(await run(), 'failed', 'another certificate than the one named');
    await hook('tls-fingerprint').fill(certificate.fingerprint);
    assert.equal(await run(), 'accepted', await hook('test-panel').innerText());
    assert.match(await hook('stage-tls').innerText(), /TLSv1\.3[\s\S]*siem\.example/);
    await hook('tls-fingerprint').fill('');
    await hook('tls-verify').check();
    await hook('tls-ca').fill(fs.readFileSync(certificate.cert, 'utf8'));
    await hook('tls-server-name').fill('siem.example');
    assert.equal(await run(), 'accepted');
    await until('both messages', () => tls.stdout.split('Connectivity test requested.').length === 3);
    await shot('syslog-tls');
  });

  test('a refused certificate stands at its field; saved, the key is never shown again', async () => {
    await hook('tls-ca').fill('no certificate');
    await hook('target-save').click();
    const field = page.locator('.field', { has: hook('tls-ca') });
    await field.locator('.field-error').waitFor();
    assert.match(await field.locator('.field-error').innerText(), /^Expected PEM text/);
    assert.equal(await hook('tls-ca').inputValue(), 'no certificate');
    await hook('tls-ca').fill(`file:${certificate.cert}`);
    await page.getByText('Client certificate').click();
    await hook('tls-certificate').fill(`file:${certificate.cert}`);
    await hook('tls-key').fill(`file:${certificate.key}`);
    await hook('target-more').locator('summary').click();
    await hook('target-backups').fill('127.0.0.1:1\n[::1]:nowhere');
    await hook('target-save').click();
    await page.locator('.field', { has: hook('target-backups') }).locator('.field-error').waitFor();
    await hook('target-backups').fill('siem.example:6515');
    // Its words stand under the row, where they have room.
    const port = await hook('target-port').inputValue();
    await hook('target-port').fill('65536');
    await hook('target-save').click();
    await page.locator('#port-error').waitFor();
    await shot('syslog-mistake');
    assert.match(await page.locator('#port-error').innerText(), /^Port: Expected an integer from 1 to 65535/);
    assert.equal(await hook('target-port').getAttribute('aria-invalid'), 'true');
    assert.match(await hook('target-port').getAttribute('aria-describedby'), /port-error/);
    const [input, words] = [await hook('target-port').boundingBox(), await page.locator('#port-error').boundingBox()];
    assert.ok(words.width > input.width && words.y > input.y + input.height);
    await hook('target-port').fill(port);
    await hook('target-save').click();
    await hook('saved').waitFor();
    const { targets } = await wafd.api('GET', '/syslog/targets');
    assert.deepEqual(targets[0].backups, [{ host: 'siem.example', port: 6515 }]);
    assert.equal(targets[0].tls.key_set, true);
    await hook('target-row').getByRole('link').click();
    await hook('tls-certificate').waitFor();
    assert.equal(await hook('tls-key').inputValue(), '');
    await hook('tls-key').fill('x');
    await hook('tls-key').fill('');
    await hook('target-save').click();
    await hook('saved').waitFor();
    assert.equal((await wafd.api('GET', '/syslog/targets')).targets[0].tls.key_set, true, 'the stored key stays');
  });

  test('RELP: acknowledged by the receiver', async () => {
    await openNew();
    await hook('target-transport').selectOption('relp');
    await hook('target-host').fill('127.0.0.1');
    await hook('target-port').fill(`${rsyslog.relp}`);
    assert.equal(await run(), 'acknowledged');
    await rsyslog.having('Connectivity test requested.');
  });

  test('Kafka: what it needs is asked for, the password is write-only', async () => {
    await openNew();
    await hook('target-transport').selectOption('kafka');
    await hook('target-host').fill('127.0.0.1');
    await hook('target-port').fill('1');
    await hook('target-save').click();
    const field = page.locator('.field', { has: hook('kafka-topic') });
    await field.locator('.field-error').waitFor();
    await hook('kafka-topic').fill('waf');
    await hook('kafka-sasl').selectOption('SCRAM-SHA-512');
    await hook('kafka-username').fill('wafd');
    await hook('kafka-password').fill('a quiet broker');
    await shot('syslog-kafka');
    await hook('target-save').click();
    await hook('saved').waitFor();
    const { targets } = await wafd.api('GET', '/syslog/targets');
    const kafka = targets.find((target) => target.transport === 'kafka').kafka;
    assert.deepEqual([kafka.topic, kafka.sasl.username, kafka.sasl.password_set, 'password' in kafka.sasl], ['waf', 'wafd', true, false]);
  });

  test('a form with unsaved input is not left unasked: link, key, Back, closing', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=syslog`);
    await hook('target-add').click();
    await hook('target-host').fill('half-typed.example');
    const asked = [];
    const { answer } = chromium;
    chromium.answer = (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    };
    await hook('nav-events').click();
    await page.goBack();
    await until('both questions', () => asked.length === 2);
    assert.equal(await hook('target-host').inputValue(), 'half-typed.example');
    assert.equal(new URL(page.url()).searchParams.get('target'), 'new');
    await page.reload({ timeout: 2000 }).catch(() => {});
    await until('the browser asks', () => asked.includes('beforeunload'));
    assert.equal(await hook('target-host').inputValue(), 'half-typed.example');
    chromium.answer = answer;
    await hook('target-cancel').click();
    await hook('targets').waitFor();
  });

  test('a session that ends meanwhile costs a login, not what was typed', async () => {
    await openNew();
    await hook('target-host').fill('kept.example');
    const { sessions } = await page.evaluate(async () => (await fetch('/api/v1/sessions')).json());
    const current = sessions.find((session) => session.current).id;
    assert.equal(await page.evaluate(async (id) => (await fetch(`/api/v1/sessions/${id}`, { method: 'DELETE', headers: { 'X-Wafd-Csrf': '1' } })).status, current), 204);
    await hook('login-form').waitFor();
    await page.locator('[name=username]').fill(account.username);
    await page.locator('[name=password]').fill(account.password);
    await hook('login-submit').click();
    await hook('login-form').waitFor({ state: 'detached' });
    assert.equal(await hook('target-host').inputValue(), 'kept.example');
    await hook('target-save').click();
    await hook('saved').waitFor();
  });

  test('a setting that has no effect is told in the list and at the form', async () => {
    const made = await wafd.api('POST', '/syslog/targets', { name: 'old header', host: '127.0.0.1', port: await freePort(), transport: 'tcp', header: 'rfc3164', sequence_id: true });
    const told = /^sequence_id: has no effect with header rfc3164/;
    await page.goto(`${wafd.console}/?view=settings&section=syslog`);
    const row = page.locator(`[data-target-id="${made.id}"]`);
    assert.match(await row.getByTestId('target-warning').innerText(), told);
    assert.equal(await hook('target-warning').count(), 1, 'no other target has one');
    await row.locator('.row-link').click();
    await hook('target-form').waitFor();
    assert.match(await hook('target-warning').innerText(), told);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints.filter((c) => !/^dialog: |status of 4/.test(c)), []));
});
