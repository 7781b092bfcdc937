// Connections that send a little and wait, on each listener in turn: memory is bounded, and attacks are still judged,
// health still told and the console still reached. WAFD_SLOW of them on each listener (default 2,000; 10,000 in the long
// run).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { freePort, until } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const SLOW = Number(process.env.WAFD_SLOW ?? 2000);
const ATTACK = requestMessage('GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: a\r\n\r\n');
const HALF = {
  t1k: [requestMessage('POST / HTTP/1.1\r\nHost: a\r\n\r\n', 'x'.repeat(1000)).subarray(0, 300), ATTACK.subarray(0, 3), Buffer.alloc(0)],
  http: ['POST /check/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf', 'GET /check/ HTTP/1.1\r\nHo', 'POST /v1/records HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"me'],
  spop: [Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 1]), Buffer.from([0, 0]), Buffer.alloc(0)],
  // HTTP/2: half a preface; a call whose message does not come; nothing.
  envoy: ['PRI * HTTP/2.0\r\n', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x05\x01\x04\0\0\0\x01\x83\x86\x84\x01\x01a', 'latin1'), ''],
  console: ['\x16\x03\x01\x02\x00\x01', 'GET / HTTP/1.1\r\n', ''],
};
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024; // MiB

describe(`${SLOW} slow connections on each listener`, () => {
  let wafd;
  let spop;
  let envoy;
  const sockets = [];
  before(async () => {
    // Fewer places than come, so that room has to be made.
    spop = await freePort();
    envoy = await freePort();
    wafd = await Wafd.start({ 'ingest.max_connections': Math.max(32, SLOW), 'ingest.spop.listen': `127.0.0.1:${spop}`, 'ingest.envoy.listen': `127.0.0.1:${envoy}` });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await wafd?.stop();
  });

  for (const [index, listener] of ['t1k', 'http', 'spop', 'envoy', 'console'].entries()) {
    test(`${listener}: attacks are judged, health is told, the console answers`, async () => {
      const before_ = memory(wafd.program.pid);
      const port = [wafd.t1kPort, Number(new URL(wafd.http).port), spop, envoy, Number(new URL(wafd.console).port)][index];
      for (let i = 0; i < SLOW; ++i) {
        const socket = net.connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (i % 200)}` });
        socket.on('error', () => {}).on('connect', () => socket.write(HALF[listener][i % 3])).resume();
        sockets.push(socket);
        if (i % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
      }
      if (listener !== 'console') {
        await until('room to be made', async () => {
          const status = await wafd.api('GET', '/status');
          return JSON.stringify(status.listeners.find((one) => one.name === listener).refused).includes('made_room');
        });
      }
      for (let i = 0; i < 20; ++i) {
        const client = await T1kClient.connect(wafd.t1kPort);
        assert.equal((await client.ask(ATTACK)).verdict, '?');
        client.close();
        assert.equal((await request(`${wafd.http}/check/?id=1%27%20OR%20%271%27=%271`)).status, 403);
        assert.equal((await request(`${wafd.http}/readyz`)).status, 200);
        assert.equal((await request(`${wafd.console}/healthz`)).status, 200);
      }
      const grown = memory(wafd.program.pid) - before_;
      assert.ok(grown < 64 + (SLOW * 32) / 1024, `${grown.toFixed(0)} MiB more`); // 32 KiB a connection at most
      for (const socket of sockets.splice(0)) socket.destroy();
    });
  }
});
