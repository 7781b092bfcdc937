// `wafd config check` finds every error that a start refuses, and both say it in words.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';

import { Program, run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const folder = tempFolder('start');
const file = (name, text) => {
  const at = path.join(folder, name);
  fs.writeFileSync(at, text);
  return at;
};

describe('a start that is refused', () => {
  const rows = [
    ['ingest.t1k.listen=127.0.0.1:99999', /ingest\.t1k\.listen: expected ADDR:PORT/],
    ['ingest.http.listen=nowhere', /ingest\.http\.listen/],
    ['console.listen=', /console\.listen: expected ADDR:PORT/],
    ['time_zone=Mars/Olympus', /time_zone: Mars\/Olympus/],
    [`rules.files=${path.join(folder, 'missing.json')}`, /rules\.files: .*missing\.json: cannot be opened/],
    [`rules.files=${file('rules.json', '{"rules":[{"id":"a","name":"N","attack_type":"custom","risk":"low","expression":"(("}]}')}`, /rules\.json:1: rule "a"/],
    [`geoip.database=${file('places.mmdb', 'no database')}`, /geoip\.database: .*places\.mmdb/],
    [`geoip.database=${path.join(folder, 'missing.mmdb')}`, /geoip\.database/],
    [`ingest.t1k.certificate=${file('t1k.crt', 'none')}`, `ingest.t1k.key=${file('t1k.key', 'none')}`, /ingest\.t1k TLS: certificate: expected a PEM certificate/],
    [`ingest.envoy.certificate=${path.join(folder, 'missing.crt')}`, `ingest.envoy.key=${path.join(folder, 'missing.key')}`, /ingest\.envoy\.certificate: expected a PEM file/],
    ['ingest.t1k.listen=127.0.0.1:18700', 'ingest.http.listen=127.0.0.1:18700', /ingest\.http\.listen: 127\.0\.0\.1:18700 is taken by ingest\.t1k\.listen/],
    ['ingest.t1k.listen=[::]:18700', 'ingest.t1k.allow=::1', 'console.listen=[::1]:18700', /console\.listen: \[::1\]:18700 is taken by ingest\.t1k\.listen, \[::\]:18700/],
    [`ingest.t1k.unix_socket=${path.join(folder, 'none/t1k.sock')}`, /ingest\.t1k\.unix_socket: .*none is no folder/],
    [`ingest.t1k.unix_socket=/${'a'.repeat(200)}`, /ingest\.t1k\.unix_socket: expected a path of at most 107 bytes/],
  ];
  for (const row of rows) {
    const sets = row.slice(0, -1);
    const says = row.at(-1);
    test(sets.join(' ').replaceAll(folder, ''), async () => {
      const args = ['--state-dir', tempFolder('state'), '--set', 'ring.size_mib=16', ...sets.flatMap((set) => ['--set', set])];
      const checked = await run(wafdPath, ['config', 'check', ...args]);
      assert.equal(checked.code, 2, checked.stderr);
      assert.match(checked.stderr, says);
      const ran = await run(wafdPath, ['run', ...args]);
      assert.equal(ran.code, 2, ran.stderr);
      assert.match(ran.stderr, says);
    });
  }

  test('what a run goes on without is found by the check, too', async () => {
    const args = ['--state-dir', tempFolder('state'), '--set', `console.certificate=${file('c.crt', 'none')}`, '--set', `console.key=${file('c.key', 'none')}`];
    const checked = await run(wafdPath, ['config', 'check', ...args]);
    assert.equal(checked.code, 2);
    assert.match(checked.stderr, /console\.certificate and console\.key: .*c\.crt/);
    const settings = await run(wafdPath, ['config', 'check', '--set', 'settings.source=file', '--set', `settings.file=${path.join(folder, 'none.json')}`]);
    assert.equal(settings.code, 2);
    assert.match(settings.stderr, /settings\.file: /);
    const inFile = await run(wafdPath, ['config', 'check', '--state-dir', path.join(file('plain', ''), 'state')]);
    assert.equal(inFile.code, 2);
    assert.match(inFile.stderr, /state_dir: .*plain is no folder/);
  });

  test('places that cannot be had: of another host, or of another program; its own daemon is none', async () => {
    const net = await import('node:net');
    const own = net.createServer();
    await new Promise((resolve) => own.listen(0, '127.0.0.1', resolve));
    const taken = own.address().port;
    const wafd = await Wafd.start();
    try {
      const free = Object.entries(wafd.settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      const check = (state, ...sets) => run(wafdPath, ['config', 'check', '--state-dir', state, ...free, ...sets.flatMap((set) => ['--set', set])]);
      const here = await check(wafd.state);
      assert.equal(here.stdout, 'ok\n', here.stderr);
      const elsewhere = await check(tempFolder('state'));
      assert.equal(elsewhere.code, 2);
      assert.match(elsewhere.stderr, /ingest\.t1k\.listen: listen on 127\.0\.0\.1:\d+: address already in use/);
      await wafd.stop();
      assert.equal((await check(wafd.state)).stdout, 'ok\n');
      const other = await check(wafd.state, `console.listen=127.0.0.1:${taken}`);
      assert.equal(other.code, 2);
      assert.match(other.stderr, /console\.listen: listen on 127\.0\.0\.1:\d+: address already in use/);
      const foreign = await check(wafd.state, 'ingest.http.listen=198.51.100.7:18700', 'ingest.http.allow=127.0.0.1');
      assert.equal(foreign.code, 2);
      assert.match(foreign.stderr, /ingest\.http\.listen: listen on 198\.51\.100\.7:18700: address not available/);
    } finally {
      await wafd.stop();
      own.close();
    }
  });

  test('with 24 descriptors it says so', async () => {
    const shell = new Program('/bin/sh', ['-c', `ulimit -n 24; exec "$0" run --state-dir "$1" --set ring.size_mib=16`, wafdPath, tempFolder('state')]);
    assert.equal((await shell.ended).code, 1);
    assert.match(shell.stderr, /may open 24 files, expected at least \d+: raise the limit/);
  });
});

test('the last descriptor is said in the log, and gone ones are noticed', async () => {
  const wafd = await Wafd.start();
  const sockets = [];
  try {
    const limited = spawn('prlimit', ['--pid', String(wafd.program.pid), '--nofile=90:90']);
    await new Promise((resolve) => limited.on('close', resolve));
    const net = await import('node:net');
    const port = Number(new URL(wafd.http).port);
    const connect = (count) => {
      for (let i = 0; i < count; ++i) sockets.push(net.connect(port, '127.0.0.1').on('error', () => {}));
    };
    connect(200);
    // Some may be gone before the last one comes.
    await until('it to be said', () => {
      if (sockets.length < 800) connect(5);
      return /no file descriptor is left, so connections are refused/.test(wafd.program.stderr);
    });
    for (const socket of sockets) socket.destroy();
    await until('it to answer again', async () => (await request(`${wafd.http}/readyz`)).status === 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await wafd.stop();
  }
});

test('no CBC suites; HSTS where the certificate is signed by somebody else', async () => {
  const tls = await import('node:tls');
  const openssl = async (...args) => {
    const made = await run('openssl', args, { cwd: folder });
    assert.equal(made.code, 0, made.stderr);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl('req', '-x509', ...key, '-days', '90', '-subj', '/CN=Authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  await openssl('req', ...key, '-subj', '/CN=waf.example', '-keyout', 'signed.key', '-out', 'signed.csr');
  await openssl('x509', '-req', '-in', 'signed.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '60', '-out', 'signed.crt');
  const handshake = (wafd, options) => new Promise((resolve) => {
    const socket = tls.connect({ port: Number(new URL(wafd.console).port), host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.on('error', () => resolve('refused'));
  });
  for (const signed of [false, true]) {
    const files = { 'console.certificate': path.join(folder, 'signed.crt'), 'console.key': path.join(folder, 'signed.key') };
    const wafd = await Wafd.start(signed ? files : {});
    try {
      const answer = await request(`${wafd.console}/healthz`);
      assert.equal(answer.headers['strict-transport-security'], signed ? 'max-age=31536000' : undefined);
      assert.equal(await handshake(wafd, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }), 'ECDHE-ECDSA-AES128-GCM-SHA256');
      for (const ciphers of ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'ECDHE-ECDSA-AES128-SHA']) assert.equal(await handshake(wafd, { maxVersion: 'TLSv1.2', ciphers }), 'refused', ciphers);
    } finally {
      await wafd.stop();
    }
  }
});
