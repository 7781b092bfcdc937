// T1K over TLS between the plugin and a real engine, with certificates on both sides.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Gateway, startUpstream } from './support/gateway.mjs';
import { run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';

async function openssl(folder, ...args) {
  const done = await run('openssl', args, { cwd: folder });
  assert.equal(done.code, 0, done.stderr);
}

// ca.pem, and NAME.pem with NAME.key for an engine called engine.test and a gateway; other.pem is of nobody's.
async function certificates() {
  const folder = tempFolder('certificates');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  for (const ca of ['ca', 'otherca']) await openssl(folder, 'req', '-x509', ...key, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-subj', `/CN=${ca}`);
  for (const [name, ca, names] of [['engine', 'ca', 'DNS:engine.test,IP:127.0.0.1'], ['gateway', 'ca', 'DNS:gateway.test'], ['other', 'otherca', 'DNS:gateway.test']]) {
    fs.writeFileSync(path.join(folder, `${name}.ext`), `subjectAltName=${names}`);
    await openssl(folder, 'req', ...key.slice(0, -2), '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    await openssl(folder, 'x509', '-req', '-in', `${name}.csr`, '-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`);
  }
  return folder;
}

describe('T1K over TLS', () => {
  let folder;
  let upstream;
  let wafd;
  let gateway;
  let tls;
  const file = (name) => path.join(folder, name);
  const pem = (name) => fs.readFileSync(file(name), 'utf8');
  before(async () => {
    folder = await certificates();
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'ingest.t1k.certificate': file('engine.pem'), 'ingest.t1k.key': file('engine.key'), 'ingest.t1k.client_ca': file('ca.pem') });
    gateway = await Gateway.start(upstream.port, { args: ['--trusted-ca', file('ca.pem'), '--workers', '1'] });
    tls = { host: '127.0.0.1', port: wafd.t1kPort, budget: 5000, on_error: 'block', tls: true, tls_server_name: 'engine.test', tls_certificate: pem('gateway.pem'), tls_key: pem('gateway.key') };
  });
  after(async () => {
    await gateway?.stop();
    await wafd?.stop();
    await upstream?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });
  const statuses = async (config) => {
    const made = await gateway.enableJson(config);
    assert.equal(made.status, 201, made.text);
    return [(await request(gateway.proxy + ATTACK)).status, (await request(`${gateway.proxy}/?id=1`)).status];
  };

  test('attacks are blocked, and the connection is used again', async () => {
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await statuses(tls), [403, 200]);
  });

  test('bodies go through too', async () => {
    const body = `${'a='.padEnd(900 * 1024, 'x')}&q=${encodeURIComponent("1' UNION SELECT username, password FROM users-- -")}`;
    const answer = await request(`${gateway.proxy}/`, { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length }, body });
    assert.equal(answer.status, 403);
  });

  for (const [what, change, line] of [
    ['a key that is none', () => ({ tls_key: 'nonsense' }), /TLS: tls_key: /],
    ['an engine of another name', () => ({ tls_server_name: 'elsewhere.test' }), /TLS: (handshake failed, expected a certificate of elsewhere\.test|certificate host mismatch)/],
    ['no certificate of the gateway', () => ({ tls_certificate: null, tls_key: null }), /waf: 127\.0\.0\.1:/],
    ['a certificate of another CA', () => ({ tls_certificate: pem('other.pem'), tls_key: pem('other.key') }), /waf: 127\.0\.0\.1:/],
    ['no TLS at all', () => ({ tls: false }), /waf: 127\.0\.0\.1:/],
  ]) {
    test(`${what} is no engine: on_error decides`, async () => {
      assert.deepEqual(await statuses({ ...tls, ...change() }), [503, 503]);
      await until('a line', () => line.test(gateway.program.stderr));
    });
  }

  test('an engine that never shakes hands leaves time for another', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => {}));
    const sockets = [];
    silent.on('connection', (socket) => sockets.push(socket));
    await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const config = { ...tls, port: silent.address().port, budget: 2000, nodes: [{ host: '127.0.0.1', port: wafd.t1kPort }] };
    await until('an answer', async () => (await statuses(tls))[0] === 403); // no open circuit
    for (let i = 0; i < 3; i += 1) assert.deepEqual(await statuses(config), [403, 200]);
    await until('a line', () => gateway.program.stderr.includes('the TLS handshake was not over after'));
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('the circuit closes again', async () => {
    await until('an answer', async () => (await statuses(tls))[0] === 403);
  });

  test('without tls_verify any engine will do', async () => {
    assert.deepEqual(await statuses({ ...tls, tls_server_name: 'elsewhere.test', tls_verify: false }), [403, 200]);
  });

  test('wafd says what is wrong with its files', async () => {
    for (const [settings, text] of [
      [{ 'ingest.t1k.certificate': file('engine.pem') }, 'ingest.t1k.certificate and ingest.t1k.key: expected both or neither'],
      [{ 'ingest.t1k.client_ca': file('ca.pem') }, 'ingest.t1k.client_ca: expected ingest.t1k.certificate beside it'],
      [{ 'ingest.t1k.certificate': file('nothing.pem'), 'ingest.t1k.key': file('engine.key') }, 'ingest.t1k.certificate: expected a PEM file'],
      [{ 'ingest.t1k.certificate': folder, 'ingest.t1k.key': file('engine.key') }, 'ingest.t1k.certificate: expected a PEM file'],
      [{ 'ingest.t1k.certificate': file('engine.pem'), 'ingest.t1k.key': file('gateway.key') }, 'ingest.t1k TLS: '],
    ]) {
      const state = tempFolder('state');
      const sets = Object.entries({ 'ingest.t1k.listen': '127.0.0.1:0', 'ingest.http.listen': '', 'console.listen': '127.0.0.1:0', 'ring.size_mib': 16, ...settings });
      const done = await run(wafdPath, ['run', '--state-dir', state, ...sets.flatMap(([key, value]) => ['--set', `${key}=${value}`])]);
      assert.notEqual(done.code, 0);
      assert.ok((done.stderr + done.stdout).includes(text), `${text}: ${done.stderr}`);
    }
  });
});
