// The console under pressure and after damage: floods of connections, half-written settings, a certificate without its key.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { after, before, describe, test } from 'node:test';

import { run, tempFolder, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const attempts = 10_000;
const at_a_time = 1500; // more than all of the console's places, so that strangers push out strangers

describe('the console under a flood', () => {
  let wafd;
  before(async () => {
    wafd = await Wafd.start();
  });
  after(() => wafd?.stop());

  test(`${attempts} attempts change nothing for those inside`, async () => {
    const port = Number(new URL(wafd.console).port);
    const headers = { Authorization: `Bearer ${wafd.token}` };
    // Inside: one connection kept open, a live tail, and a fresh connection now and then.
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const seen = [];
    const stream = https.get(`${wafd.console}/api/v1/events/stream`, { headers, rejectUnauthorized: false }, (answer) => answer.on('data', (data) => seen.push(data.toString())));
    let ended = '';
    stream.on('error', (error) => (ended = error.message));
    stream.on('close', () => (ended ||= 'closed'));
    await until('the tail to be open', () => seen.length > 0);

    const kinds = [
      (socket) => socket.write('GET / HTTP/1.1\r\n'), // no TLS at all
      (socket) => socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])), // a ClientHello that never ends
      () => {}, // silence
    ];
    let made = 0;
    let flooding = true;
    const one = () => new Promise((resolve) => {
      made += 1;
      const n = made;
      const from = { port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 30)}` }; // thirty strangers, each with fewer than its 64 places
      if (n % 10 === 0) { // a whole handshake, then half a request
        const socket = tls.connect({ ...from, rejectUnauthorized: false }, () => socket.write('POST /api/v1/session HTTP/1.1\r\nContent-Le'));
        socket.on('error', () => {}).on('close', resolve);
        return;
      }
      const socket = net.connect(from, () => kinds[n % kinds.length](socket));
      socket.on('error', () => {}).on('close', resolve).resume();
    });
    const flood = Promise.all(Array.from({ length: at_a_time }, async () => {
      while (made < attempts) await one();
    })).then(() => (flooding = false));

    let answered = 0;
    let fresh = 0;
    try {
      while (flooding) {
        const answer = await request(`${wafd.console}/api/v1/me`, { headers, agent });
        assert.equal(answer.status, 200);
        answered += 1;
        if (answered % 5 === 0) {
          assert.equal((await request(`${wafd.console}/api/v1/status`, { headers })).status, 200);
          fresh += 1;
        }
      }
    } finally {
      made = Math.max(made, attempts); // also when an assertion ends it: no flood into the tests that follow
      await flood;
    }
    assert.ok(made >= attempts && answered > 20 && fresh > 4, `${made} attempts, ${answered} answers, ${fresh} fresh connections`);
    assert.equal(ended, '', 'the live tail stayed');
    await request(`${wafd.http}/check/item?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'shop.example' } });
    await until('an event in the tail', () => seen.some((text) => text.includes('"sqli"')));
    stream.destroy();
    agent.destroy();
    const { console: own } = await wafd.api('GET', '/status');
    assert.ok(Object.values(own.refused).reduce((sum, n) => sum + n, 0) > attempts / 2, 'what was turned away is counted');
    assert.ok(own.connections < 1024);
  });

  test('settings that were cut in half: the last good version is used and said, and the damaged file is kept', async () => {
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '192.0.2.1' });
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '192.0.2.2' });
    const file = path.join(wafd.state, 'settings.json');
    for (const [what, damage] of [['half-written', (text) => text.slice(0, text.length / 2)], ['no text', () => Buffer.alloc(512)], ['empty', () => '']]) {
      await wafd.stop();
      fs.writeFileSync(file, damage(fs.readFileSync(file, 'utf8')));
      await wafd.launch();
      assert.match(wafd.program.stderr, /settings\.json could not be read .*: version 2 of the settings is in use/, what);
      assert.equal((await wafd.api('GET', '/lists')).lists.length, 2, what);
      const { settings, notes } = await wafd.api('GET', '/status');
      assert.match(settings.notice, /version 2 of the settings is in use/, what);
      assert.ok(notes.some((note) => note.includes('settings.json')), what);
      assert.ok(fs.existsSync(`${file}.damaged`), what);
    }
  });

  test('a certificate without its key: another one is made, and that is said', async () => {
    const before = (await wafd.api('GET', '/status')).console.fingerprint_sha256;
    await wafd.stop();
    fs.rmSync(path.join(wafd.state, 'console.key'));
    await wafd.launch();
    await until('the word of it', () => /console\.key is missing: a new self-signed certificate was made, .*console\.crt\.unpaired/.test(wafd.program.stderr));
    assert.notEqual((await wafd.api('GET', '/status')).console.fingerprint_sha256, before);
    await wafd.stop();
    await wafd.launch();
    assert.doesNotMatch(wafd.program.stderr, /console\.key is missing/);
  });

  test('certificate files: read again on SIGHUP, a bad pair leaves the old one in use, upload says where to change it', async () => {
    const folder = tempFolder('certificate');
    const make = async (name) => {
      const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90', '-subj', `/CN=${name}`,
        '-keyout', path.join(folder, 'new.key'), '-out', path.join(folder, 'new.crt')]);
      assert.equal(made.code, 0, made.stderr);
      for (const end of ['crt', 'key']) fs.renameSync(path.join(folder, `new.${end}`), path.join(folder, `console.${end}`));
    };
    const subject = async (of) => (await of.api('GET', '/certificate')).subject;
    await make('first.example');
    const other = await Wafd.start({ 'console.certificate': path.join(folder, 'console.crt'), 'console.key': path.join(folder, 'console.key') });
    try {
      assert.equal(await subject(other), 'CN=first.example');
      assert.ok(!fs.existsSync(path.join(other.state, 'console.crt')), 'none is made where files are named');
      await make('second.example');
      process.kill(other.program.pid, 'SIGHUP');
      await until('the new certificate', async () => (await subject(other)) === 'CN=second.example');
      fs.writeFileSync(path.join(folder, 'console.key'), 'half a k');
      process.kill(other.program.pid, 'SIGHUP');
      await until('the refusal to be said', () => /the new certificate is no good, the old one stays/.test(other.program.stderr));
      assert.equal(await subject(other), 'CN=second.example');
      const refused = await other.api('PUT', '/certificate', { certificate: fs.readFileSync(path.join(folder, 'console.crt'), 'utf8'), key: 'x' }, [409]);
      assert.match(refused.detail, /console\.crt: change it there/);
    } finally {
      await other.stop();
    }
  });
});
