// State folders of earlier versions (fixtures/state-VERSION, made by support/state_fixture.mjs; 0.1.0 as built on 2026-11-28; made anew at each
// release): this program opens them, shows what is in them and delivers what waits. And back: what docs/upgrade.md says of a downgrade. (Its
// systemctl and apt-get lines are not run.)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';

import { OctetReceiver } from './support/octet_receiver.mjs';
import { root, run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { fixtures, unpack } from './support/state_fixture.mjs';
import { Wafd, request } from './support/wafd.mjs';

const versions = fs.readdirSync(fixtures).filter((name) => name.startsWith('state-')).map((name) => name.slice('state-'.length));

test('every version that the changelog names has a state', () => {
  const named = [...fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## \[?(\d+\.\d+\.\d+)/gm)].map(([, version]) => version);
  assert.ok(named.length > 0);
  assert.deepEqual(versions.toSorted(), named.toSorted());
});

for (const version of versions) {
  describe(`the state of ${version}`, () => {
    const state = tempFolder('state');
    const expected = unpack(version, state);
    const receiver = new OctetReceiver();
    let wafd;
    after(async () => {
      await wafd?.stop();
      await receiver.shut();
    });

    test('opens, and nothing in it is called damaged', async () => {
      wafd = await Wafd.start({}, { state, token: false });
      wafd.token = expected.token;
      assert.doesNotMatch(wafd.program.stderr, /damaged|put aside|cannot|could not|missing|lost/);
      assert.ok(!fs.readdirSync(state).some((name) => /damaged|unreadable/.test(name)));
    });

    test('events, settings, marks and accounts are there', async () => {
      for (const id of [...expected.delivered, ...expected.pending]) {
        const event = await wafd.api('GET', `/events/${id}`);
        assert.equal(event.record.event_id, id);
      }
      const there = { '/exceptions': expected.exception, '/lists': expected.list, '/notify/channels': expected.channel, '/notify/alerts': expected.alert, '/syslog/targets': expected.target };
      for (const [where, id] of Object.entries(there)) assert.deepEqual((await wafd.list(where)).map((one) => one.id), [id], where);
      assert.deepEqual((await wafd.list('/sites')).map((one) => one.uuid), ['0', expected.site]);
      assert.deepEqual((await wafd.list('/pins')).map((one) => one.event_id), [expected.pinned]);
      assert.match(JSON.stringify(await wafd.api('GET', `/triage?events=${expected.noted}`)), /looked at/);
      const session = await request(`${wafd.console}/api/v1/session`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username: expected.user, password: expected.password }) });
      assert.equal(session.status, 200, session.text);
      const audit = await run(wafdPath, ['audit', 'check', '--state-dir', state]);
      assert.equal(audit.code, 0, audit.stdout + audit.stderr);
      assert.match(JSON.stringify(await wafd.api('GET', '/audit')), new RegExp(`syslog\\.target\\.create","object":"${expected.target}`));
    });

    test('what waited is delivered, once and in order; what was delivered is not sent again', async () => {
      await receiver.open();
      const target = await wafd.api('GET', `/syslog/targets/${expected.target}`);
      await wafd.api('PUT', `/syslog/targets/${expected.target}`, { ...target, enabled: true, port: receiver.port, status: undefined, warnings: undefined, etag: undefined });
      await until('what waited', () => receiver.seen.size >= expected.pending.length);
      await wafd.settled(expected.target);
      assert.deepEqual([...receiver.seen.keys()], expected.pending);
      assert.equal(receiver.repeated, 0);
    });
  });
}

// CRC-32C, bit by bit.
function crc32c(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

describe('a downgrade', () => {
  test('a ring of a later format and settings with unknown members: refused or put aside in words, and the commands of docs/upgrade.md help', async () => {
    const page = fs.readFileSync(path.join(root, 'docs/upgrade.md'), 'utf8');
    const commands = /^```sh root state_fixtures\.test\.mjs\n([\s\S]*?)^```$/m.exec(page)[1];
    const state = tempFolder('state');
    const expected = unpack(versions.at(-1), state);
    const copies = tempFolder('copies');
    for (const name of ['settings.json', 'credentials.json']) fs.copyFileSync(path.join(state, name), path.join(copies, name));

    // Files as a later version would leave them. Settings of which a member is not known are put aside for the newest kept version.
    const settings = JSON.parse(fs.readFileSync(path.join(state, 'settings.json'), 'utf8'));
    const later_settings = () => fs.writeFileSync(path.join(state, 'settings.json'), JSON.stringify({ ...settings, member_of_later: 1 }));
    later_settings();
    const aside = await Wafd.start({}, { state, token: false });
    assert.deepEqual(await aside.stop(), { code: 0, signal: null });
    assert.match(aside.program.stderr, /settings\.json could not be read \(.*member_of_later.*\): version \d+ of the settings is in use/);
    later_settings();

    // And a ring of a later format.
    const ring = path.join(state, 'ring');
    const head = Buffer.alloc(48);
    const file = fs.openSync(ring, 'r+');
    fs.readSync(file, head, 0, 48, 0);
    head.writeUInt32LE(2, 8);
    head.writeUInt32LE(crc32c(head.subarray(0, 44)), 44);
    fs.writeSync(file, head, 0, 48, 0);
    fs.closeSync(file);
    const refused = await run(wafdPath, ['run', '--state-dir', state, ...['ingest.t1k', 'ingest.http', 'console'].flatMap((one) => ['--set', `${one}.listen=127.0.0.1:0`])]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /ring of format 2, this program reads format 1; move the file away or use the program that wrote it/);

    const here = commands.split('\n').filter((line) => /^(cp|mv) /.test(line)).join('\n').replaceAll('/var/lib/wafd', state).replaceAll('/root/before', copies);
    const ran = spawnSync('bash', ['-euc', here], { encoding: 'utf8' });
    assert.equal(ran.status, 0, `${here}\n${ran.stderr}`);
    const wafd = await Wafd.start({}, { state, token: false });
    wafd.token = expected.token;
    try {
      assert.deepEqual((await wafd.list('/sites')).map((one) => one.uuid), ['0', expected.site]);
      assert.ok((await wafd.api('GET', `/syslog/targets/${expected.target}`)).name);
      assert.doesNotMatch(wafd.program.stderr, /settings\.json could not be read/);
      assert.ok(fs.existsSync(path.join(state, 'ring')) && fs.existsSync(path.join(state, 'ring-later')));
    } finally {
      await wafd.stop();
    }
  });
});
