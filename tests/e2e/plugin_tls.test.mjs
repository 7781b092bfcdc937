// T1K over TLS between the plugin and a real engine, with certificates on both sides.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tlsSockets from 'node:tls';
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
    ['an engine of another name', () => ({ tls_server_name: 'elsewhere.test' }), /TLS: (handshake failed, expected a certificate of elsewhere\.test|certificate host mismatch)|closed \(sending\)/], // closed: nginx' Lua, when the handshake is over at once
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

  test('certificate, key and client CA are read again when they change, and what is wrong leaves the old ones in use', async () => {
    const live = tempFolder('live');
    const at = (name) => path.join(live, name);
    const put = (name, from) => fs.copyFileSync(file(from), at(name));
    put('tls.pem', 'engine.pem');
    put('tls.key', 'engine.key');
    put('ca.pem', 'ca.pem');
    const own = await Wafd.start({ 'ingest.t1k.certificate': at('tls.pem'), 'ingest.t1k.key': at('tls.key'), 'ingest.t1k.client_ca': at('ca.pem') });
    // A heartbeat over the connection: the answer, or nothing if the engine does not take the client.
    const beat = (socket) =>
      new Promise((resolve) => {
        socket.once('data', (data) => resolve(data.toString('hex')));
        socket.once('close', () => resolve(''));
        socket.write(Buffer.from('c000000000', 'hex'));
      });
    const connect = (client) =>
      new Promise((resolve) => {
        const socket = tlsSockets.connect({ host: '127.0.0.1', port: own.t1kPort, rejectUnauthorized: false, cert: pem(`${client}.pem`), key: pem(`${client}.key`) });
        socket.on('error', () => {});
        socket.once('close', () => resolve({ name: '', answer: '' }));
        socket.once('secureConnect', async () => {
          const name = socket.getPeerCertificate().subject.CN;
          resolve({ name, answer: await beat(socket), socket });
        });
      });
    const seen = async (client) => {
      const { name, answer, socket } = await connect(client);
      socket?.destroy();
      return [name, answer];
    };
    const BEAT = 'c000000000';
    const lasting = await connect('gateway');
    assert.deepEqual([lasting.name, lasting.answer], ['engine', BEAT]);

    fs.writeFileSync(at('tls.pem'), 'nonsense');
    await until('a line', () => /certificate: expected a PEM certificate.*; those before stay in use/.test(own.program.stderr));
    assert.deepEqual(await seen('gateway'), ['engine', BEAT]);

    put('tls.pem', 'other.pem'); // its key is still the other one's
    await until('a line', () => /key: does not belong to the certificate.*; those before stay in use/.test(own.program.stderr));
    assert.deepEqual(await seen('gateway'), ['engine', BEAT]);

    put('tls.key', 'other.key');
    await until('the new certificate', async () => (await seen('gateway'))[0] === 'other');
    assert.equal((await seen('other'))[1], '');
    put('ca.pem', 'otherca.pem');
    await until('the new client CA', async () => (await seen('other'))[1] === BEAT);
    assert.equal(await beat(lasting.socket), BEAT); // opened before all of it
    lasting.socket.destroy();
    await own.stop();
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
