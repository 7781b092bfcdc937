// Every operation on a file of the state folder fails, is short or slow in turn, finds the disk full or read-only from there on, or is where the
// process is killed (tests/support/faults, preloaded). Nothing that was promised is lost; the daemon says what happened and goes on,
// or refuses to start in words. WAFD_FAULTS rounds (default 28; 1,000 in the long run).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { check, full_audit_log, launch, use } from './support/faults.mjs';
import { OctetReceiver } from './support/octet_receiver.mjs';
import { Wafd } from './support/wafd.mjs';

const ROUNDS = Number(process.env.WAFD_FAULTS ?? 28);
const FIRST = Number(process.env.WAFD_FAULTS_FIRST ?? 0);
const KINDS = ['eio', 'kill', 'short', 'full', 'torn', 'readonly', 'slow'];
// The state that a life begins with: files as they are after use; a log of changes that the next line moves away; nothing at all.
const BEGINNINGS = ['used', 'log full', 'used', 'new'];

describe('faults of files', () => {
  let wafd;
  let receiver;
  const kept = {};
  const operations = {};

  const restore = (beginning) => {
    fs.rmSync(wafd.state, { recursive: true, force: true });
    fs.cpSync(kept[beginning], wafd.state, { recursive: true });
  };
  // A life, and the next one.
  const round = async (why, beginning, fault) => {
    restore(beginning);
    const ready = await launch(wafd, fault);
    const told = ready ? await use(wafd, receiver.port) : { events: [], made: [], refused: [], notes: [] };
    const exit = await wafd.program.stop(60);
    const words = wafd.program.stderr;
    const killed = exit.signal === 'SIGKILL' && ['kill', 'torn'].includes(fault.kind);
    assert.ok(killed || exit.signal === null, `${why}: ended by ${exit.signal}: ${words.slice(-2000)}`);
    if (!ready && !killed) assert.match(words, new RegExp(`wafd: .*${wafd.state}.*: [A-Z]`), `${why}: refuses in words, of the file; ${JSON.stringify(exit)}: ${words}`);
    if (ready && !killed) assert.equal(exit.code, 0, `${why}: ${words.slice(-2000)}`);
    for (const [where, status, text] of told.refused) assert.ok(killed || (status >= 500 && JSON.parse(text).detail !== ''), `${why}: ${where} ${status} ${text}`);
    const again = await launch(wafd);
    assert.ok(again, `${why}: the next start: ${wafd.program.stderr.slice(-2000)}`);
    try {
      await check(wafd, told, receiver, why, beginning !== 'new');
    } finally {
      const end = await wafd.program.stop(60);
      assert.deepEqual(end, { code: 0, signal: null }, `${why}: ${wafd.program.stderr.slice(-2000)}`);
    }
    return { ready, killed, told };
  };

  before(async () => {
    receiver = new OctetReceiver();
    await receiver.open();
    wafd = await Wafd.start({ 'ring.sync_interval_ms': 300 });
    await wafd.addTarget({ transport: 'tcp', port: receiver.port, filter: '' });
    await use(wafd, receiver.port);
    await wafd.stop();
    for (const name of new Set(BEGINNINGS)) kept[name] = `${wafd.state}-${name.replace(' ', '-')}`;
    fs.cpSync(wafd.state, kept.used, { recursive: true });
    fs.cpSync(kept.used, kept['log full'], { recursive: true });
    full_audit_log(kept['log full']);
    fs.mkdirSync(kept.new);
    for (const name of ['credentials.json', 'compiled-rules']) fs.cpSync(`${kept.used}/${name}`, `${kept.new}/${name}`);
    for (const name of Object.keys(kept)) {
      const log = `${kept[name]}.operations`;
      const { ready, told } = await round(`${name}, nothing fails`, name, { kind: 'none', at: 0, log });
      assert.ok(ready, `${name}, nothing fails`);
      assert.deepEqual(told.refused, [], `${name}, nothing fails`);
      assert.equal(told.events.length, 8, `${name}, nothing fails`);
      operations[name] = fs.readFileSync(log, 'utf8').trim().split('\n').length;
    }
  });
  after(async () => {
    await wafd?.program?.kill();
    await receiver?.shut();
    if (!process.env.WAFD_KEEP_FOLDERS) for (const folder of Object.values(kept)) for (const name of [folder, `${folder}.operations`]) fs.rmSync(name, { recursive: true, force: true });
  });

  test(`${ROUNDS} rounds`, { timeout: 4 * 3600 * 1000 }, async (t) => {
    const seen = { ready: 0, refused: 0, killed: 0, failures: [] };
    for (let n = FIRST; n < FIRST + ROUNDS; n += 1) {
      const beginning = BEGINNINGS[Math.floor(n / KINDS.length) % BEGINNINGS.length];
      const kind = KINDS[n % KINDS.length];
      const at = 1 + ((n * 7919) % operations[beginning]);
      const why = `round ${n}: ${beginning}, ${kind} at ${at} of ${operations[beginning]}`;
      try {
        const { ready, killed } = await round(why, beginning, { kind, at });
        seen[killed ? 'killed' : ready ? 'ready' : 'refused'] += 1;
      } catch (error) {
        await wafd.program.kill();
        seen.failures.push(error.message);
        console.log(error.message);
      }
    }
    t.diagnostic(`operations ${JSON.stringify(operations)}; went on ${seen.ready}, refused ${seen.refused}, killed ${seen.killed}`);
    assert.deepEqual(seen.failures, []);
    if (ROUNDS >= KINDS.length) assert.ok(seen.killed > 0);
  });
});
