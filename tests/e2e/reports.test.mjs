// The response to a request that an attack was found in: the gateway's plugin reports the response, and ring, console,
// query language and those SIEMs that wait for it know.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { Gateway } from './support/gateway.mjs';
import { run, until, wafdPath } from './support/processes.mjs';
import { Receiver, fetchReceivers } from './support/receivers.mjs';
import { checkAttackMessage } from './support/syslog.mjs';
import { T1kClient, message, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '?id=1%27%20OR%20%271%27=%271';
const BODY = 'no such article';

// Answers /slow/… after that many ms, everything with 404 and BODY.
async function startApplication() {
  const server = http.createServer((incoming, answer) => {
    incoming.resume();
    const wait = Number(/^\/slow\/(\d+)/.exec(incoming.url)?.[1] ?? 0);
    setTimeout(() => {
      answer.writeHead(404, { 'Content-Type': 'text/plain', 'Set-Cookie': 'secret=1' });
      answer.write(BODY.slice(0, 5)); // chunked: no Content-Length
      answer.end(BODY.slice(5));
    }, wait);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    stop: () => {
      server.closeAllConnections?.();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('response reports', () => {
  let application;
  let wafd;
  let gateway;
  let receivers = {};
  let config;
  before(async () => {
    await fetchReceivers();
    application = await startApplication();
    wafd = await Wafd.start();
    gateway = await Gateway.start(application.port);
    config = { host: '127.0.0.1', port: wafd.t1kPort, budget: 5000, mode: 'monitor' };
    assert.equal((await gateway.enable(config)).status, 201);
    receivers = { waiting: await Receiver.start('rsyslog'), atOnce: await Receiver.start('syslog-ng'), cef: await Receiver.start('rsyslog'), ecs: await Receiver.start('rsyslog') };
    for (const content of ['cef', 'ecs']) {
      await wafd.addTarget({ name: content, transport: 'tcp', port: receivers[content].tcp, content, wait_for_report_ms: 30000 });
    }
    await wafd.addTarget({ name: 'waiting', transport: 'tcp', port: receivers.waiting.tcp, wait_for_report_ms: 30000 });
    await wafd.addTarget({ name: 'at-once', transport: 'tcp', port: receivers.atOnce.tcp });
  });
  after(async () => {
    await gateway?.stop();
    await wafd?.stop();
    for (const receiver of Object.values(receivers)) await receiver.stop();
    await application?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });

  // The event of a request whose path is unique.
  async function eventOf(path) {
    const q = encodeURIComponent(`path:${path}`);
    const { events } = await until(`the event of ${path}`, async () => {
      const found = await wafd.api('GET', `/events?q=${q}`);
      return found.events.length > 0 && found;
    });
    assert.equal(events.length, 1);
    return events[0].record.event_id;
  }

  test('the report reaches ring, API, command line, query and the SIEM that waits; the other gets the event without', async () => {
    const begin = Date.now();
    const answer = await request(`${gateway.proxy}/slow/300${ATTACK}`);
    assert.deepEqual([answer.status, answer.text], [404, BODY]);
    const end = Date.now();
    const id = await eventOf('/slow/300');

    const event = await until('the report', async () => {
      const found = await wafd.event(id);
      return found.detail.response && found;
    });
    const { record, detail } = event;
    assert.deepEqual(detail.response, { status: 404, size: BODY.length });
    assert.equal(record.resp_reason_phrase, 'Not Found');
    assert.ok(record.rsp_start_time >= record.req_start_time + 290, `${record.rsp_start_time} ${record.req_start_time}`);
    assert.ok(record.rsp_start_time >= begin && record.rsp_end_time >= record.rsp_start_time && record.rsp_end_time <= end + 1000);

    for (const query of ['status:404', 'status:4*', 'status:500,404', '-status:5*']) {
      const q = encodeURIComponent(`id:${id} ${query}`);
      const { events } = await wafd.api('GET', `/events?q=${q}`);
      assert.deepEqual(events.map((e) => e.record), [record], query);
      const printed = await run(wafdPath, ['events', `id:${id} ${query}`, '--json', '--state-dir', wafd.state]);
      assert.deepEqual(JSON.parse(printed.stdout), record, query);
    }
    assert.deepEqual((await wafd.api('GET', `/events?q=${encodeURIComponent(`id:${id} status:5*`)}`)).events, []);

    const [waited] = await receivers.waiting.having(id);
    assert.deepEqual(checkAttackMessage(waited).record, record);
    const [plain] = await receivers.atOnce.having(id);
    const without = checkAttackMessage(plain).record;
    assert.deepEqual(without, { ...record, rsp_start_time: null, rsp_end_time: null, resp_reason_phrase: '' });
    for (const [name, key] of [['cef', ' cn2Label=responseStatus cn2=404 '], ['ecs', '"response":{"status_code":404}']]) {
      assert.ok((await receivers[name].having(id))[0].includes(key), name);
    }
    const text = JSON.stringify(event);
    assert.ok(!text.includes('secret'), 'cookies of the response stay at the gateway');
  });

  test('the target that does not wait has the event before the response is there', async () => {
    const answer = request(`${gateway.proxy}/slow/3000${ATTACK}`);
    const id = await eventOf('/slow/3000');
    await receivers.atOnce.having(id);
    assert.ok(!receivers.waiting.lines().some((line) => line.includes(id)), 'the other one waits');
    assert.equal((await answer).status, 404);
    const [waited] = await receivers.waiting.having(id);
    assert.equal(checkAttackMessage(waited).record.resp_reason_phrase, 'Not Found');
  });

  test('clean and blocked requests are not reported, and log_resp switches reports off', async () => {
    const count = async () => {
      const metrics = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
      return Number(/^wafd_response_reports_total (\d+)$/m.exec(metrics.text)?.[1]);
    };
    const before = await count();
    assert.ok(before >= 2, `${before}`);
    assert.equal((await request(`${gateway.proxy}/clean?id=1`)).status, 404);
    await gateway.enable({ ...config, mode: 'block' });
    assert.equal((await request(`${gateway.proxy}/blocked${ATTACK}`)).status, 403);
    await gateway.enable({ ...config, log_resp: false });
    assert.equal((await request(`${gateway.proxy}/silent${ATTACK}`)).status, 404);
    const [line] = await receivers.waiting.having(await eventOf('/silent')); // announced none: not waited for
    assert.equal(checkAttackMessage(line).record.rsp_start_time, null);
    await gateway.enable(config);
    assert.equal((await request(`${gateway.proxy}/last${ATTACK}`)).status, 404);
    await until('the last report', async () => (await wafd.event(await eventOf('/last'))).detail.response);
    assert.equal(await count(), before + 1);
  });

  test('an engine that takes reports and never answers delays no client', async () => {
    assert.doesNotMatch(gateway.program.stderr, /waf: /, 'so far nothing went wrong');
    const deaf = await startDeafEngine();
    await gateway.enable({ ...config, port: deaf.port, budget: 2000 });
    const begin = Date.now();
    for (let i = 0; i < 5; ++i) assert.equal((await request(`${gateway.proxy}/deaf${ATTACK}`)).status, 404);
    assert.ok(Date.now() - begin < 2000, 'five requests in less than the time one report is waited for');
    await until('a report came', () => deaf.reports > 0);
    await gateway.enable(config);
    await deaf.stop();
  });

  test('hostile reports change nothing but their own event', async () => {
    const extra = { 0x18: '0123456789abcdef0123456789abcdef', 0x19: 'y', 0x40: 'monitor' };
    const client = await T1kClient.connect(wafd.t1kPort);
    const asked = await client.ask(requestMessage(`GET /hostile${ATTACK} HTTP/1.1\r\nHost: a\r\n\r\n`, null, extra));
    assert.equal(asked.verdict, '.');
    const context = asked.sections.get(0x25);
    assert.match(context.toString('latin1'), /^[0-9a-f]{32}$/);
    const report = (head, ctx, rspExtra) => message([
      [0x01, Buffer.from('GET / HTTP/1.1\r\n\r\n')], [0x11, Buffer.from(head, 'latin1')], [0x25, Buffer.from(ctx)],
      [0x13, Buffer.from(`\x01\n${rspExtra}`, 'latin1')], [0x20, Buffer.from('Proto:3\n')],
    ]);
    const strangers = ['', 'x', 'f'.repeat(32), '\0'.repeat(32), 'a'.repeat(60000)];
    for (const stranger of strangers) assert.equal((await client.ask(report('HTTP/1.1 200 OK\r\n\r\n', stranger, ''))).verdict, '.');
    const phrase = `","event_id":"x"}\x00\x1b[2J\xff\u2028${'<script>'.repeat(400)}`;
    const answer = await client.ask(report(`HTTP/1.1 599 ${phrase}\r\nContent-Length: 99999999999999999999\r\n\r\n`, context, '\x1d-1\nB99999999999999999999\nC-7\n'));
    assert.equal(answer.verdict, '.');
    // A second one may add and not change.
    assert.equal((await client.ask(report('HTTP/1.1 200 Fine\r\nContent-Length: 5\r\n\r\n', context, '\x1d1766000000000000\n'))).verdict, '.');
    client.close();
    const id = context.toString('latin1');
    const { record, detail } = await wafd.event(id);
    assert.equal(detail.response.status, 599);
    assert.ok(record.resp_reason_phrase.startsWith('","event_id":"x"}'));
    assert.ok(Buffer.byteLength(record.resp_reason_phrase) <= 4096);
    assert.equal(record.event_id, id);
    const [line] = await receivers.waiting.having(id);
    assert.equal(checkAttackMessage(line).record.event_id, id);
  });
});

// Says "pass, and tell me what becomes of it" to every request, takes reports and says nothing.
async function startDeafEngine() {
  const engine = { reports: 0 };
  const sockets = new Set();
  const pass = message([[0x01, Buffer.from('.')], [0x25, Buffer.from('0'.repeat(32))]]);
  const server = net.createServer((socket) => {
    sockets.add(socket);
    let buffer = Buffer.alloc(0);
    let isReport = false;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      while (buffer.length >= 5 && buffer.length >= 5 + buffer.readUInt32LE(1)) {
        const flags = buffer[0];
        isReport ||= (flags & 0x3f) === 0x11;
        buffer = buffer.subarray(5 + buffer.readUInt32LE(1));
        if (!(flags & 0x80)) continue;
        if (isReport) engine.reports += 1;
        else socket.write(pass);
        isReport = false;
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  engine.port = server.address().port;
  engine.stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return engine;
}
