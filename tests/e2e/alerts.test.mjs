// Alerts about the node itself, met for real: a receiver that is gone, a gateway that says nothing any more, requests for which there
// was no time, a ring that reaches back less than it should. A webhook is told when each begins, and when it ends.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { freePort, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

// The whole minute that such an alert asks for, and as much again on a busy machine.
const patience_s = 150;

describe('alerts about the node', () => {
  let wafd;
  let hook;
  const told = [];
  const check = (uri, options = {}) => request(`${wafd.http}/check`, { ...options, headers: { 'X-Forwarded-Method': options.method ?? 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': uri, ...options.headers } });
  const told_of = (when, state) => until(`${when} ${state}`, async () => told.find((one) => one.when === when && one.state === state), patience_s);

  before(async () => {
    hook = http.createServer((incoming, answer) => {
      const parts = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => {
        told.push(...JSON.parse(Buffer.concat(parts).toString('utf8')).notifications);
        answer.end('{}');
      });
    });
    const port = await freePort();
    await new Promise((done) => hook.listen(port, '127.0.0.1', done));
    wafd = await Wafd.start({ 'ring.size_mib': 1, 'ingest.budget_ms': 1, workers: 1 });
    const channel = await wafd.api('POST', '/notify/channels', { name: 'Hook', kind: 'webhook', url: `http://127.0.0.1:${port}/`, group_s: 0 });
    for (const alert of [{ when: 'target_dead', minutes: 1 }, { when: 'gateway_silent', minutes: 1 }, { when: 'overload', minutes: 1, count: 0 }, { when: 'ring_reach', hours: 24 }])
      await wafd.api('POST', '/notify/alerts', { name: alert.when, ...alert, channels: [channel.id] });
  });
  after(async () => {
    await wafd?.stop();
    hook?.closeAllConnections();
    hook?.close();
  });

  test('a receiver that is gone, and one that is back', async () => {
    const port = await freePort();
    await wafd.addTarget({ name: 'siem', transport: 'tcp', port });
    const began = await told_of('target_dead', 'began');
    assert.match(began.title, /siem/);
    const server = net.createServer((socket) => socket.resume());
    await new Promise((done) => server.listen(port, '127.0.0.1', done));
    try {
      await told_of('target_dead', 'ended');
    } finally {
      server.close();
    }
  });

  test('a gateway that says nothing any more', async () => {
    assert.equal((await check('/')).status, 200);
    const began = await told_of('gateway_silent', 'began');
    assert.match(began.title, /no request at listener/);
    await until('requests again, and the end told', async () => {
      await check('/');
      return told.some((one) => one.when === 'gateway_silent' && one.state === 'ended');
    }, patience_s);
  });

  test('requests for which there was no time', async () => {
    const body = `a=${'%3Cimg+src%3Dx+alt%3D1%3E+select+1+'.repeat(4000)}`;
    await until('a request that is not judged whole', async () => {
      await Promise.all(Array.from({ length: 8 }, () => check('/', { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })));
      return told.some((one) => one.when === 'overload' && one.state === 'began');
    }, patience_s);
    assert.match(told.find((one) => one.when === 'overload').title, /not judged/);
  });

  test('a ring that reaches back less than it should', async () => {
    await until('the ring to be told of', async () => {
      for (let i = 0; i < 20; ++i) await check(`/item?id=1%27%20UNION%20SELECT%20${i}--%20`);
      return told.some((one) => one.when === 'ring_reach' && one.state === 'began');
    }, patience_s);
    assert.match(told.find((one) => one.when === 'ring_reach').title, /reaches back/);
  });
});
