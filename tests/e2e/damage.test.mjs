// State files that are damaged while the daemon is down: it starts, says what it found, judges, and loses no event in
// silence. WAFD_DAMAGES kinds of random damage for each file (default 8; 200 in the long run).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { OctetReceiver } from './support/octet_receiver.mjs';
import { freePort, until } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const DAMAGES = Number(process.env.WAFD_DAMAGES ?? 8);
const WAITING = 100;
const ATTACK = requestMessage('GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: a\r\n\r\n');

const remove = (file) => fs.rmSync(file, { recursive: true, force: true });
const empty = (file) => fs.writeFileSync(file, '');
const cut = (file) => fs.truncateSync(file, 4000);
const zero = (file) => fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size));
const noise = (file) => fs.writeFileSync(file, Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 131 + 7) % 256)));

describe('cursors', () => {
  let wafd;
  let port;
  let kept;
  const ids = [];
  before(async () => {
    port = await freePort();
    wafd = await Wafd.start();
    await wafd.addTarget({ transport: 'tcp', port });
    const client = await T1kClient.connect(wafd.t1kPort);
    for (let i = 0; i < WAITING; ++i) ids.push((await client.ask(ATTACK)).id);
    client.close();
    await wafd.stop();
    kept = path.join(wafd.state, '..', `${path.basename(wafd.state)}-kept`);
    fs.cpSync(wafd.state, kept, { recursive: true });
  });
  after(async () => {
    await wafd?.stop();
    remove(kept);
  });

  for (const on of ['oldest', 'gap']) {
    for (const [name, damage] of Object.entries({ remove, empty, cut, zero, noise })) {
      for (const files of [['cursors'], ['cursors', 'cursors.copy']]) {
        test(`${files.join(' and ')}: ${name}, ${on}`, async () => {
          remove(wafd.state);
          fs.cpSync(kept, wafd.state, { recursive: true });
          for (const file of files) damage(path.join(wafd.state, file));
          wafd.settings['syslog.on_lost_cursor'] = on;
          const receiver = new OctetReceiver();
          receiver.port = port;
          await receiver.open();
          try {
            await wafd.launch();
            const lost = files.length === 2;
            if (name !== 'remove') assert.match(wafd.program.stderr, /cursors was /);
            if (lost) assert.match(wafd.program.stderr, /"siem": its cursor is lost/);
            else assert.doesNotMatch(wafd.program.stderr, /its cursor is lost/);
            if (lost && on === 'gap') {
              const [gap] = await until('the gap to be told', () => receiver.gaps.length > 0 && receiver.gaps);
              assert.deepEqual([gap.count, gap.upper_bound], [WAITING, true]);
            } else {
              await until('all waiting events to arrive', () => ids.every((id) => receiver.seen.has(id)));
            }
          } finally {
            assert.deepEqual(await wafd.stop(), { code: 0, signal: null });
            await receiver.shut();
          }
          assert.deepEqual(receiver.broken, []);
        });
      }
    }
  }
});

// Puts something into every file that the state folder may have.
async function fill(wafd, port) {
  const hook = (await wafd.api('POST', '/notify/channels', { name: 'Chat', kind: 'webhook', url: `http://127.0.0.1:${port}/`, group_s: 0 })).id;
  await wafd.api('POST', '/notify/alerts', { name: 'Any', when: 'matches', count: 0, minutes: 60, channels: [hook] });
  await wafd.api('POST', '/sites', { name: 'Shop', hosts: ['shop.example'] });
  await wafd.addTarget({ transport: 'tcp', port });
  await wafd.api('POST', '/rules', { text: JSON.stringify({ rules: [{ id: 'own', name: 'own', attack_type: 'custom', risk: 'high', location: 'query', expression: 'forbidden-word' }] }) });
  await until('the rule to be in force', async () => (await request(`${wafd.http}/check/?q=forbidden-word`)).status === 403, 120);
  const client = await T1kClient.connect(wafd.t1kPort);
  let id;
  for (let i = 0; i < 20; ++i) ({ id } = await client.ask(ATTACK));
  client.close();
  await wafd.event(id);
  await wafd.api('PUT', `/pins/${id}`);
  await wafd.api('POST', '/triage', { events: [id], note: 'looked at' });
  await until('the alert to wait', async () => (await wafd.api('GET', '/notify/status')).channels[0].waiting > 0);
}

const RUNTIME = ['lock', 'admin.sock'];
const EXPECTED = ['ring', 'cursors', 'cursors.copy', 'settings.json', 'settings-versions', 'credentials.json', 'setup-token', 'hits.json', 'audit.log', 'audit.head', 'console.crt', 'console.key', 'compiled-rules', 'etag-key', 'notifications.json',
  'trends', 'triage.json', 'pins.json', 'known-clients.json'];

describe('every file of the state folder', () => {
  let wafd;
  let kept;
  before(async () => {
    wafd = await Wafd.start();
    await fill(wafd, await freePort());
    await wafd.stop();
    kept = `${wafd.state}-kept`;
    fs.cpSync(wafd.state, kept, { recursive: true });
    // Written once somebody has logged in: a form of it that nothing else would make.
    fs.writeFileSync(path.join(kept, 'known-clients.json'), '{}');
  });
  after(async () => {
    await wafd?.stop();
    remove(kept);
  });

  async function damage(name, n) {
    remove(wafd.state);
    fs.cpSync(kept, wafd.state, { recursive: true });
    const file = path.join(wafd.state, name);
    const bytes = fs.readFileSync(file);
    const at = (n * 7919) % Math.max(1, bytes.length);
    if (n % 4 === 0) fs.truncateSync(file, at);
    else if (n % 4 === 1) bytes.fill(0, at, Math.min(bytes.length, at + 4096));
    else if (n % 4 === 2) for (let i = at; i < Math.min(bytes.length, at + 64); ++i) bytes[i] = (bytes[i] * 31 + n) % 256;
    else bytes[at] = bytes[at] ^ (1 << n % 8);
    if (n % 4 !== 0) fs.writeFileSync(file, bytes);
    await wafd.launch(false);
    assert.ok(await wafd.started(), wafd.program.stderr.slice(-2000));
    if (fs.existsSync(`${file}.damaged`) && name === 'credentials.json') {
      // Said, and open to who has the token alone.
      assert.match(wafd.program.stderr, /credentials\.json cannot be read: put aside/);
      const asked = await request(`${wafd.console}/api/v1/setup`, { method: 'POST', body: JSON.stringify({ token: '', username: 'admin', password: 'violet-otter-41' }) });
      assert.ok(asked.status >= 400, `${asked.status}`);
    }
    const client = await T1kClient.connect(wafd.t1kPort);
    assert.equal((await client.ask(ATTACK)).verdict, '?', `${name} ${n}`);
    client.close();
    assert.equal((await request(`${wafd.console}/healthz`)).status, 200, `${name} ${n}`);
    assert.deepEqual(await wafd.stop(), { code: 0, signal: null }, wafd.program.stderr.slice(-2000));
  }

  test(`${DAMAGES} times each`, async (t) => {
    const files = fs.readdirSync(kept, { recursive: true }).filter((name) => !RUNTIME.includes(name) && fs.statSync(path.join(kept, name)).isFile());
    for (const name of EXPECTED) assert.ok(files.some((file) => file === name || file.startsWith(`${name}/`)), `no ${name} among ${files}`);
    // Of a folder of like files the newest stands for all.
    const newest = files.filter((name) => path.dirname(name) === '.' || !files.some((other) => path.dirname(other) === path.dirname(name) && other > name));
    for (const name of newest)
      await t.test(name, async () => {
        for (let n = 0; n < DAMAGES; ++n) await damage(name, n);
      });
  });

  test('a folder in the place of each file', async () => {
    for (const name of EXPECTED.filter((one) => one !== 'settings-versions')) {
      remove(wafd.state);
      fs.cpSync(kept, wafd.state, { recursive: true });
      remove(path.join(wafd.state, name));
      fs.mkdirSync(path.join(wafd.state, name));
      await wafd.launch(false);
      if (await wafd.started()) assert.deepEqual(await wafd.stop(), { code: 0, signal: null }, name);
      else assert.match(wafd.program.stderr, new RegExp(name.replace('.copy', '')), name); // in words, of the file
    }
  });
});
