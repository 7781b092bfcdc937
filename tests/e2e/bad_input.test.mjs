// Bad input gets an error that says what, where and what was expected, and the right exit status.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';

import { freePort, run, tempFolder, wafdPath } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd } from './support/wafd.mjs';

const ATTACK = requestMessage('GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: a\r\n\r\n');

function started(...args) {
  return run(wafdPath, ['run', '--state-dir', tempFolder('state'), '--set', 'ring.size_mib=4', ...args], { timeout: 30000 });
}

describe('configuration', () => {
  const file = (text) => {
    const name = path.join(tempFolder('config'), 'wafd.json');
    fs.writeFileSync(name, text);
    return name;
  };
  const rows = [
    ['an unknown key', '{\n  "ingest": {\n    "port": 1\n  }\n}', /wafd\.json:3: ingest\.port: no such key/],
    ['a wrong type', '{\n  "workers": "two"\n}', /wafd\.json:2: workers: expected an integer/],
    ['broken JSON', '{\n  "workers": 1,,\n}', /wafd\.json:2: expected JSON/],
    ['an open listener without allow list', '{"ingest":{"http":{"listen":"0.0.0.0:1"}}}', /ingest\.http\.allow/],
    ['no address', '{"ingest":{"t1k":{"listen":"127.0.0.1"}}}', /ingest\.t1k\.listen: expected ADDR:PORT/],
    ['no address of the console', '{"console":{"listen":""}}', /console\.listen: expected ADDR:PORT, got ""/],
    ['an unknown time zone', '{"time_zone":"Mars/Olympus"}', /time_zone|Mars\/Olympus/],
  ];
  for (const [what, text, expected] of rows) {
    test(`${what} stops the start with status 2`, async () => {
      const result = await started('--config', file(text));
      assert.match(result.stderr, expected);
      assert.equal(result.code, 2);
    });
  }
  test('a named file that is missing', async () => {
    const result = await started('--config', '/nonexistent/wafd.json');
    assert.match(result.stderr, /\/nonexistent\/wafd\.json: cannot be opened/);
    assert.equal(result.code, 2);
  });
  test('usage errors are status 2', async () => {
    for (const args of [[], ['nothing'], ['run', '--nothing'], ['inspect'], ['token', 'create', '--scope', 'king', '--name', 'x', '--state-dir', tempFolder('s')]]) {
      const result = await run(wafdPath, args);
      assert.equal(result.code, 2, `${args}: ${result.stderr}`);
      assert.notEqual(result.stderr, '');
    }
  });
});

describe('ports and folders', () => {
  for (const key of ['ingest.t1k.listen', 'ingest.http.listen', 'console.listen']) {
    test(`a taken port of ${key} is named`, async () => {
      const taken = net.createServer();
      await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address();
      const sets = [];
      for (const other of ['ingest.t1k.listen', 'ingest.http.listen', 'console.listen']) {
        sets.push('--set', `${other}=127.0.0.1:${other === key ? port : await freePort()}`);
      }
      const result = await started(...sets);
      taken.close();
      assert.match(result.stderr, new RegExp(`127\\.0\\.0\\.1:${port}`));
      assert.match(result.stderr, /in use/);
      assert.equal(result.code, 1);
    });
  }

  test('a second daemon on the same state is refused', async () => {
    const wafd = await Wafd.start({}, { token: false });
    const second = await run(wafdPath, ['run', '--state-dir', wafd.state, '--set', `ingest.t1k.listen=127.0.0.1:${await freePort()}`,
      '--set', `ingest.http.listen=127.0.0.1:${await freePort()}`, '--set', `console.listen=127.0.0.1:${await freePort()}`], { timeout: 30000 });
    assert.equal(second.code, 1);
    assert.match(second.stderr, /lock/);
    await wafd.stop();
  });

  test('a state folder that cannot be', async () => {
    const file = path.join(tempFolder('x'), 'file');
    fs.writeFileSync(file, '');
    const result = await run(wafdPath, ['run', '--state-dir', path.join(file, 'state')], { timeout: 30000 });
    assert.match(result.stderr, /state/);
    assert.equal(result.code, 1);
  });
});

describe('a damaged ring', () => {
  async function filled(count) {
    const wafd = await Wafd.start({ 'ring.size_mib': 4 });
    const client = await T1kClient.connect(wafd.t1kPort);
    const ids = [];
    for (let i = 0; i < count; i += 1) ids.push((await client.ask(ATTACK)).id);
    client.close();
    await wafd.stop();
    return { wafd, ids };
  }

  test('is salvaged and the start says so', async () => {
    const { wafd, ids } = await filled(200);
    const ring = path.join(wafd.state, 'ring');
    const bytes = fs.readFileSync(ring);
    const at = bytes.indexOf(ids[150]);
    assert.ok(at > 0);
    bytes.fill(0xee, at - 20, at + 60);
    fs.writeFileSync(ring, bytes);
    await wafd.launch();
    assert.match(wafd.program.stderr, /ring/i);
    const status = await wafd.api('GET', '/status');
    assert.notEqual(status.ring.recovery, '');
    for (const id of ids.slice(0, 150)) await wafd.event(id);
    // It goes on: new events are stored.
    const client = await T1kClient.connect(wafd.t1kPort);
    await wafd.event((await client.ask(ATTACK)).id);
    client.close();
    await wafd.stop();
  });

  test('that is no ring at all is moved aside, untouched, and the start says so', async () => {
    const state = tempFolder('state');
    const foreign = 'this is the file of somebody else\n'.repeat(1000);
    fs.writeFileSync(path.join(state, 'ring'), foreign);
    const wafd = await Wafd.start({ 'ring.size_mib': 4 }, { state });
    assert.match(wafd.program.stderr, /ring held no ring and was moved to .*ring\.unreadable/);
    assert.equal(fs.readFileSync(path.join(state, 'ring.unreadable'), 'utf8'), foreign);
    await wafd.stop();
  });
});
