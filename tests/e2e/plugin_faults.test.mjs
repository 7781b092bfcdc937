// Nothing of this may make the plugin pass a request: settings that are null or wrong, headers of a client, engines that drip, hang or talk nonsense.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { EVENT_ID, PASS, block, judging, rawEngine, section } from './support/engine.mjs';
import { Gateway, startUpstream } from './support/gateway.mjs';
import { until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('the plugin and what may go wrong around it', () => {
  let upstream;
  let gateway;
  before(async () => {
    upstream = await startUpstream();
    gateway = await Gateway.start(upstream.port, { args: ['--workers', '1'] });
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });

  const DEFAULTS = {
    port: 8700, mode: 'block', on_error: 'pass', on_error_status: 503, budget: 300, connect_timeout: 1000, send_timeout: 1000,
    read_timeout: 1000, req_body_size: 1024, keepalive_size: 256, keepalive_timeout: 60000, log_resp: true,
  };

  test('null is refused in every field that has a default', async () => {
    assert.equal((await gateway.enable({ host: '127.0.0.1' })).status, 201);
    for (const name of ['host', ...Object.keys(DEFAULTS)]) {
      const answer = await gateway.change({ [name]: null });
      assert.deepEqual([answer.status, answer.json().message], [400, `schema violation (config.${name}: required field missing)`]);
    }
    const form = await request(`${gateway.admin}/services/shop/plugins/shop-waf`, { method: 'PATCH', headers: FORM, body: 'config.mode=' });
    assert.equal(form.status, 400);
    assert.equal((await gateway.change({ mode: 'monitor', remote_addr: null })).json().config.mode, 'monitor');
  });

  test('null in a stored configuration is the default', async () => {
    const engine = await rawEngine(judging);
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]));
    await gateway.store({ ...nulls, host: '127.0.0.1', port: engine.port });
    assert.equal((await request(`${gateway.proxy}/?attack`)).status, 403);
    assert.equal((await request(`${gateway.proxy}/`)).status, 200);
    await engine.stop();
  });

  test('whatever else a stored configuration holds, on_error decides and a line names the field', async () => {
    for (const [name, value] of [['host', null], ['host', 'a b'], ['port', 'x'], ['port', {}], ['budget', -1], ['budget', 'soon'], ['req_body_size', []],
      ['mode', 'maybe'], ['mode', 7], ['read_timeout', 0.5], ['keepalive_size', 0], ['remote_addr', 'nonsense'], ['nodes', 'x'], ['nodes', [{ port: 1 }]],
      ['match', 3], ['match', { exclude: { paths: 'x' } }], ['log_resp', 'yes']]) {
      await gateway.store({ host: '127.0.0.1', port: 1, on_error: 'block', on_error_status: 502, [name]: value });
      assert.equal((await request(`${gateway.proxy}/`)).status, 502, `${name} ${JSON.stringify(value)}`);
      await until(`a line about ${name}`, () => gateway.lines(`waf: the settings: config.${name}`).length > 0);
    }
    await gateway.store({ host: 'a b', on_error: 'sometimes' });
    assert.equal((await request(`${gateway.proxy}/`)).status, 200);
  });

  test('no header of a client keeps a body from being judged', async () => {
    const engine = await rawEngine(judging);
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 5000 });
    const body = 'q=attack';
    for (const headers of [
      { Upgrade: 'foo' }, { Upgrade: 'foo', Connection: 'Upgrade' }, { Upgrade: 'websocket', Connection: 'Upgrade' }, { Upgrade: 'h2c' },
      { 'Content-Type': 'application/x-www-form-urlencoded; a=application/grpc' }, { 'Content-Type': 'application/grpc' },
      { 'Content-Type': 'application/grpc+proto' }, { 'Content-Type': 'application/grpc-web' }, { 'Content-Type': 'application/json; x="application/grpc"' },
      { 'Content-Type': 'multipart/form-data; boundary=application/grpc' }, { TE: 'trailers' }, { Expect: '100-continue' },
    ]) {
      const answer = await request(`${gateway.proxy}/`, { method: 'POST', headers: { ...FORM, 'Content-Length': body.length, ...headers }, body });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      const chunked = await request(`${gateway.proxy}/`, { method: 'POST', headers: { ...FORM, 'Transfer-Encoding': 'chunked', ...headers }, body });
      assert.equal(chunked.status, 403, `chunked, ${JSON.stringify(headers)}`);
    }
    await engine.stop();
  });

  test('what the gateway itself takes for gRPC goes by its head, a form on the same route does not', async () => {
    const engine = await rawEngine(judging);
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 5000 });
    const send = (type) => request(`${gateway.proxy}/grpc/`, { method: 'POST', headers: { 'Content-Type': type, 'Content-Length': 6 }, body: 'attack' });
    assert.equal((await send('application/grpc')).status, 200);
    assert.equal((await send('application/grpc+proto')).status, 200);
    assert.equal((await send('application/grpcfoo')).status, 403);
    assert.equal((await send('application/x-www-form-urlencoded; a=application/grpc')).status, 403);
    await engine.stop();
  });

  test('the budget is a total: an engine that drips its answer gains no time', async () => {
    const engine = await rawEngine((socket) => {
      const answer = Buffer.concat([section(0x41, '.'), ...Array.from({ length: 20 }, () => section(0x05, 'xxxxx')), section(0x85, 'x')]);
      let at = 0;
      const timer = setInterval(() => {
        if (at === answer.length || socket.destroyed) return clearInterval(timer);
        socket.write(answer.subarray(at, (at += 1)));
      }, 100);
    });
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 1000 });
    const begin = Date.now();
    assert.equal((await request(`${gateway.proxy}/`)).status, 200);
    const took = Date.now() - begin;
    assert.ok(took >= 900 && took < 6000, `${took} ms`); // without the deadline: 23 s
    assert.equal(gateway.lines('the answer was not over within the budget of 1000 ms; the request was passed unjudged').length, 1);
    await engine.stop();
  });

  test('nor does one that drips its reading', async () => {
    const sockets = [];
    const server = net.createServer({ highWaterMark: 1024 }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 100);
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await gateway.enable({ host: '127.0.0.1', port: server.address().port, budget: 1000, req_body_size: 65536 });
    const body = Buffer.alloc(32 * 1024 * 1024, 'a');
    const begin = Date.now();
    const answer = await request(`${gateway.proxy}/`, { method: 'POST', headers: { ...FORM, 'Content-Length': body.length }, body });
    assert.equal(answer.status, 200);
    assert.ok(Date.now() - begin < 10000, `${Date.now() - begin} ms`);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('requests without body do not wait behind bodies that nobody answers', async () => {
    const engine = await rawEngine((socket, head, sections) => {
      if (!sections[2]) socket.write(PASS);
    });
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 60000, read_timeout: 60000, keepalive_size: 2 });
    const waiting = Array.from({ length: 40 }, () =>
      request(`${gateway.proxy}/`, { method: 'POST', headers: { ...FORM, 'Content-Length': 3 }, body: 'a=1' }));
    await until('the bodies are there', () => engine.messages >= 40);
    for (let i = 0; i < 5; i += 1) assert.equal((await request(`${gateway.proxy}/n${i}`)).status, 200);
    assert.equal(engine.messages, 45);
    for (const socket of engine.sockets) socket.destroy();
    for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 200);
    await engine.stop();
  });

  test('an engine that hangs: two lines instead of one for every request, all counted and told to the engine later', async () => {
    let answers = false;
    const engine = await rawEngine((socket) => answers && socket.write(PASS));
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 50 });
    for (let i = 0; i < 60; i += 1) assert.equal((await request(`${gateway.proxy}/`)).status, 200);
    const mine = () => gateway.lines(`waf: 127.0.0.1:${engine.port}: the answer was not over within the budget of 50 ms`);
    assert.equal(mine().length, 1);
    await until('the count', () => mine().some((line) => /59 more such lines within 10 s/.test(line)));
    assert.equal(mine().length, 2);
    answers = true;
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 5000 });
    for (let i = 0; i < 2; i += 1) assert.equal((await request(`${gateway.proxy}/`)).status, 200);
    assert.equal(engine.unjudged, 60);
    await engine.stop();
  });

  test('a line says what was expected and what came', async () => {
    const first = section(0xc1, '.');
    for (const [bytes, text] of [
      ['HTTP/1.1 400 Bad Request\r\n\r\n', 'expected a section of at most 65536 bytes, got one of 793793620'],
      [Buffer.from([0x01, 1, 0, 0, 0, 0x2e]), 'expected a first section as number 1 of the answer, got the header \\x01\\x01\\x00\\x00\\x00'],
      [Buffer.from([0xc1, 0, 0, 0, 0]), 'expected the verdict . or ?, got an empty one'],
      [section(0xc2, ''), 'expected the verdict . or ?, got none'],
      [section(0xc1, '!'), 'expected the verdict . or ?, got \\x21'],
      [Buffer.concat([section(0x41, '.'), section(0x41, '.')]), 'expected another section as number 2 of the answer'],
      [Buffer.concat([section(0x41, '.'), ...Array.from({ length: 40 }, () => section(0x05, ''))]), 'expected a last section, got 32 others'],
      [Buffer.from([0x41]), 'closed (the answer)'],
      [Buffer.concat([first, first]), 'expected nothing after the answer, got 6 more bytes; the connection is closed'],
    ]) {
      const engine = await rawEngine((socket) => socket.end(bytes));
      await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 2000 });
      const before = gateway.lines(text).length;
      assert.equal((await request(`${gateway.proxy}/`)).status, 200);
      await until(text, () => gateway.lines(text).length > before);
      await engine.stop();
    }
  });

  test('a status outside 400 to 599 does not become the answer', async () => {
    for (const [status, expected] of [['200', 403], ['302', 403], ['600', 403], ['0x193', 403], ['403.0', 403], ['', 403], ['406', 406], ['503', 503]]) {
      const engine = await rawEngine((socket) => socket.write(block(status)));
      await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 2000 });
      const answer = await request(`${gateway.proxy}/`);
      assert.deepEqual([answer.status, answer.json().code, answer.json().event_id], [expected, expected, EVENT_ID], status);
      await engine.stop();
    }
    assert.ok(gateway.lines('expected a status of 400 to 599 beside a block, got').length > 0);
  });

  test('host and remote_addr: what is none is refused with the format', async () => {
    await request(`${gateway.admin}/services/shop/plugins`, { method: 'DELETE' });
    for (const host of [' ', 'http://1.2.3.4:80', 'a b', 'unix:', 'unix:relative', '-', 'a..b', '1.2.3', '1.2.3.256', '::1::', 'a:80', '[::1', 'x'.repeat(64), '{vault://env}x']) {
      const answer = await gateway.create({ host });
      assert.equal(answer.status, 400, host);
      assert.match(answer.json().message, /expected a host name, an IPv4 or IPv6 address, or unix:\/PATH, without scheme and port/);
    }
    for (const remote_addr of ['http_x_forwarded_for: 0', 'http_x_forwarded_for', 'x-forwarded-for: 1', 'http_: 1', 'http_a: 1.5']) {
      const answer = await gateway.create({ host: 'a', remote_addr });
      assert.equal(answer.status, 400, remote_addr);
      assert.match(answer.json().message, /expected http_NAME: N/);
    }
    for (const host of ['engine', 'engine.example.com', 'my_engine', '10.0.0.1', '::1', '[::1]', '2001:db8::ffff:1.2.3.4', 'unix:/run/wafd.sock', '{vault://env/waf-host}']) {
      const answer = await gateway.enable({ host });
      assert.equal(answer.status, 201, `${host}: ${answer.text}`);
    }
  });

  test('a reference that the gateway did not resolve is no host', async () => {
    await gateway.store({ host: '{vault://env/waf-host}', on_error: 'block' });
    assert.equal((await request(`${gateway.proxy}/`)).status, 503);
  });

  test('the client stands in remote_addr, the peer beside it; what is no address is not taken', async () => {
    const seen = [];
    const engine = await rawEngine((socket, head, sections) => {
      seen.push(sections[3].toString('latin1'));
      socket.write(PASS);
    });
    await gateway.enable({ host: '127.0.0.1', port: engine.port, budget: 5000, remote_addr: 'http_x_forwarded_for: 1' });
    for (const [header, expected] of [['198.51.100.7', '198.51.100.7'], ['not-an-ip', '127.0.0.1'], ['999.1.1.1', '127.0.0.1'], ['198.51.100.7:4711', '198.51.100.7'],
      ['[2001:db8::1]:443', '2001:db8::1'], ['unknown, 198.51.100.7', '127.0.0.1'], ["1' OR '1'='1", '127.0.0.1'], ['', '127.0.0.1']]) {
      assert.equal((await request(`${gateway.proxy}/`, { headers: { 'X-Forwarded-For': header } })).status, 200);
      const extra = seen.pop();
      assert.ok(extra.includes(`\n\x13${expected}\n`), `${header}: ${JSON.stringify(extra)}`);
      assert.ok(extra.includes('\n\x45127.0.0.1\n'), 'the peer');
    }
    await engine.stop();
  });
});
