// kill -9 at any moment: every event id that a client received in a 403 is in the ring afterwards and arrives at the
// receiver; what arrives twice is within the replay window. WAFD_KILLS rounds (default 100).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';

import { OctetReceiver } from './support/octet_receiver.mjs';
import { run, until, wafdPath } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd } from './support/wafd.mjs';

const ROUNDS = Number(process.env.WAFD_KILLS ?? 100);
const CLIENTS = 4;
// Of what was acknowledged, at most the replay window is sent again: max(1 MiB, 2 x the largest window the peer ever
// advertised), beside what was not acknowledged yet; the kernel lets a peer advertise tcp_rmem[2] at most.
const WINDOW = Math.max(1 << 20, 3 * Number(fs.readFileSync('/proc/sys/net/ipv4/tcp_rmem', 'utf8').trim().split(/\s+/)[2]));
const ATTACK = (n) => requestMessage(`GET /round?id=${n}%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: shop.example\r\n\r\n`);

describe('kill -9 under load', () => {
  let wafd;
  let receiver;
  before(async () => {
    receiver = new OctetReceiver();
    await receiver.open();
    wafd = await Wafd.start({ 'ring.size_mib': 256, workers: 2 });
    await wafd.addTarget({ transport: 'tcp', port: receiver.port });
  });
  after(async () => {
    await wafd?.stop();
    await receiver?.shut();
  });

  test(`${ROUNDS} times`, { timeout: 15 * 60 * 1000 }, async (t) => {
    const told = new Set();
    // Sends attacks one after the other until the connection ends; every id in an answer counts as told to a client.
    const load = async () => {
      const client = await T1kClient.connect(wafd.t1kPort);
      for (let n = 0; ; n += 1) {
        const answer = await client.ask(ATTACK(n));
        if (!answer) break;
        assert.equal(answer.verdict, '?');
        told.add(answer.id);
      }
      client.close();
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const clients = Promise.all(Array.from({ length: CLIENTS }, load));
      const enough = told.size + 1 + Math.floor(Math.random() * 200);
      await until('events under way', () => told.size >= enough);
      await wafd.program.kill('SIGKILL');
      await clients;
      await wafd.launch();
    }

    const events = await run(wafdPath, ['events', '--json', '--limit', '1000000', '--state-dir', wafd.state]);
    assert.equal(events.code, 0, events.stderr);
    const stored = events.stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line).event_id);
    const ring = new Set(stored);
    assert.equal(ring.size, stored.length, 'no event is stored twice');
    const lost = [...told].filter((id) => !ring.has(id));
    assert.deepEqual(lost, [], 'told to a client and not in the ring');

    await until('everything at the receiver', () => stored.every((id) => receiver.seen.has(id)), 60);
    assert.deepEqual(receiver.broken, [], 'a frame began in the middle of another');
    const received = receiver.seen.size + receiver.repeated;
    const again = (receiver.repeated * receiver.bytes) / received;
    assert.ok(again <= ROUNDS * WINDOW, `${again} bytes came again in ${ROUNDS} rounds`);
    t.diagnostic(`${ROUNDS} kills, ${told.size} ids told, ${ring.size} in the ring, ${received} received, ${receiver.repeated} of them again`);
  });
});
