// The stand-in gateway itself, and what the plugin inside it survives when the engine fails.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { PASS, rawEngine } from './support/engine.mjs';
import { Gateway, startUpstream } from './support/gateway.mjs';
import { freePort, root, until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

describe('the stand-in gateway behaves as the real one', () => {
  let upstream;
  let plain;
  let trusting;
  before(async () => {
    upstream = await startUpstream();
    const plugin = path.join(root, 'tests/e2e/fixtures/probe');
    plain = await Gateway.start(upstream.port, { plugin });
    trusting = await Gateway.start(upstream.port, { plugin, args: ['--trusted-ips', '127.0.0.1'] });
    for (const gateway of [plain, trusting]) assert.equal((await gateway.enable({ host: 'x' })).status, 201);
  });
  after(async () => {
    await plain?.stop();
    await trusting?.stop();
    await upstream?.stop();
  });

  test('exit: a table is JSON, a string is text/html unless the header is set', async () => {
    const table = await request(`${plain.proxy}/?do=table`);
    assert.deepEqual([table.status, table.headers['content-type'], table.text], [418, 'application/json; charset=utf-8', '{"a":1}']);
    const text = await request(`${plain.proxy}/?do=string`);
    assert.deepEqual([text.status, text.headers['content-type'], text.text], [200, 'text/html', '<b>text</b>']);
    const typed = await request(`${plain.proxy}/?do=typed`);
    assert.equal(typed.headers['content-type'], 'application/json');
  });

  test('after an exit header_filter and log still run and the source is exit', async () => {
    const answer = await request(`${plain.proxy}/?do=table`);
    assert.equal(answer.headers['x-filtered'], 'exit');
    assert.equal((await request(`${plain.proxy}/`)).headers['x-filtered'], 'service');
    await until('the log phase', () => /probe logged exit/.test(plain.program.stderr) && /probe logged service/.test(plain.program.stderr));
  });

  test('an uncaught Lua error in access is a 500', async () => {
    assert.equal((await request(`${plain.proxy}/?do=error`)).status, 500);
  });

  test('forwarding headers count only from trusted peers', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.1, 198.51.100.2', 'X-Forwarded-Proto': 'https' };
    const distrusted = (await request(`${plain.proxy}/?do=facts`, { headers })).json();
    assert.deepEqual([distrusted.ip, distrusted.scheme, distrusted.buffering], ['127.0.0.1', 'http', true]);
    assert.ok(distrusted.host.length > 0);
    const trusted = (await request(`${trusting.proxy}/?do=facts`, { headers })).json();
    assert.deepEqual([trusted.ip, trusted.scheme], ['198.51.100.2', 'https']);
    const unbuffered = (await request(`${plain.proxy}/unbuffered/?do=facts`, { headers })).json();
    assert.equal(unbuffered.buffering, false);
  });
});

describe('the admin call judges by schema.lua', () => {
  let upstream;
  let gateway;
  before(async () => {
    upstream = await startUpstream();
    gateway = await Gateway.start(upstream.port);
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.stop();
  });

  test('refusals name the field', async () => {
    const rows = [
      [{ host: '127.0.0.1', port: 99999 }, 'schema violation (config.port: value should be between 0 and 65535)'],
      [{ port: 1 }, 'schema violation (config.host: required field missing)'],
      [{ host: 'a', mode: 'maybe' }, 'schema violation (config.mode: expected one of: block, monitor, off)'],
      [{ host: 'a', nothing: 1 }, 'schema violation (config.nothing: unknown field)'],
      [{ host: 'a', budget: 0 }, 'schema violation (config.budget: value should be between 1 and 2147483646)'],
      [{ host: 'a', port: 'x' }, 'schema violation (config.port: expected an integer)'],
      [{ host: 'a', remote_addr: 'x-forwarded-for' }, 'schema violation (config.remote_addr: invalid value: x-forwarded-for; expected http_NAME: N, the header in lower case with _ for -, and the element counted from 1 on the left or -1 on the right)'],
    ];
    for (const [config, message] of rows) {
      const answer = await gateway.create(config);
      assert.equal(answer.status, 400);
      assert.equal(answer.json().message, message);
    }
    assert.equal((await gateway.create({ host: 'a' }, 'other')).status, 400);
    assert.equal((await request(`${gateway.admin}/services/nobody/plugins`, { method: 'POST' })).status, 404);
  });

  test('defaults are filled in, a second plugin is a conflict', async () => {
    const made = await gateway.create({ host: '127.0.0.1', port: 8700 });
    assert.equal(made.status, 201);
    const { config } = made.json();
    assert.deepEqual(
      [config.mode, config.on_error, config.budget, config.req_body_size, config.keepalive_size, config.keepalive_timeout],
      ['block', 'pass', 300, 1024, 256, 60000],
    );
    assert.equal((await gateway.create({ host: '127.0.0.1' })).status, 409);
  });
});

describe('the plugin with engines that fail', () => {
  let upstream;
  let gateway;
  before(async () => {
    upstream = await startUpstream();
    gateway = await Gateway.start(upstream.port);
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });

  test('a dead engine: requests pass, the breaker skips, and the skips are reported once it is back', async () => {
    // Each worker of nginx has a breaker of its own; with one worker the counts below are exact.
    const single = await Gateway.start(upstream.port, { args: ['--workers', '1'] });
    try {
      const port = await freePort();
      await single.enable({ host: '127.0.0.1', port });
      let sent = 0;
      const send = async () => {
        sent += 1;
        assert.equal((await request(`${single.proxy}/n${sent}`)).status, 200);
      };
      for (let i = 0; i < 30; i += 1) await send();
      const engine = await rawEngine((socket) => socket.write(PASS), port);
      await until('the breaker closes', async () => {
        await send();
        return engine.messages > 0;
      });
      for (let i = 0; i < 5; i += 1) await send();
      const refused = [...single.program.stderr.matchAll(/waf: 127\.0\.0\.1:\d+: connection refused/g)].length;
      assert.ok(refused >= 3 && refused <= 5, `${refused} attempts to connect`);
      assert.equal(engine.messages, 6);
      assert.equal(engine.skipped, sent - refused - engine.messages, 'every skipped request is reported');
      await engine.stop();
    } finally {
      await single.stop();
    }
  });

  test('a slow answer costs the budget alone and never opens the breaker', async () => {
    const engine = await rawEngine((socket, head) => {
      if (!head.startsWith('GET /slow')) socket.write(PASS);
    });
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 50 });
    for (let i = 0; i < 8; i += 1) assert.equal((await request(`${gateway.proxy}/slow${i}`)).status, 200);
    const asked = engine.messages;
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 5000 });
    for (let i = 0; i < 4; i += 1) assert.equal((await request(`${gateway.proxy}/fast${i}`)).status, 200);
    assert.equal(engine.messages, asked + 4);
    assert.equal(engine.skipped, 0);
    await engine.stop();
  });

  test('on_error block answers with its status', async () => {
    const port = await freePort();
    await gateway.enable({ host: '127.0.0.1', port, on_error: 'block', on_error_status: 502 });
    const answer = await request(`${gateway.proxy}/`);
    assert.deepEqual([answer.status, answer.headers['content-type'], answer.json().success], [502, 'application/json', false]);
  });

  test('answers that are no T1K do no harm', async () => {
    const answers = [
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      Buffer.from([0x01, 1, 0, 0, 0, 0x2e]), // FIRST is missing
      Buffer.from([0xc1, 0, 0, 0, 0]), // no verdict
      Buffer.from([0xc1, 1, 0, 0, 0, 0x21]), // unknown verdict
      Buffer.from([0xc1, 0xff, 0xff, 0xff, 0xff]), // a length that is a lie
      Buffer.alloc(5 * 40, Buffer.from([0x41, 0, 0, 0, 0])), // FIRST again and again
      Buffer.from([0x41]),
    ];
    for (const bytes of answers) {
      const engine = await rawEngine((socket) => socket.end(bytes));
      await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 2000 });
      assert.equal((await request(`${gateway.proxy}/`)).status, 200);
      assert.equal(engine.messages >= 1, true);
      await engine.stop();
    }
  });

  test('a block without a usable status or id still blocks', async () => {
    const engine = await rawEngine((socket) => socket.write(Buffer.from([0x41, 1, 0, 0, 0, 0x3f, 0x82, 3, 0, 0, 0, 0x61, 0x62, 0x63])));
    await gateway.enable({ host: '127.0.0.1', port: engine.port });
    const answer = await request(`${gateway.proxy}/`);
    assert.deepEqual([answer.status, answer.json().event_id], [403, '']);
    await engine.stop();
  });

  test('a pooled connection that the engine closed meanwhile is replaced, unseen by the client', async () => {
    const engine = await rawEngine((socket) => socket.write(PASS));
    await gateway.enable({ host: '127.0.0.1', port: engine.port, on_error: 'block' });
    for (let i = 0; i < 6; i += 1) {
      assert.equal((await request(`${gateway.proxy}/`)).status, 200);
      for (const socket of engine.sockets) socket.destroy();
    }
    await engine.stop();
  });
});
