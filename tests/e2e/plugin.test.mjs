// The gateway plugin inside nginx with Lua, in front of a real engine: what it blocks and what it tells.
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Gateway, startUpstream } from './support/gateway.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const ATTACK_VALUE = "1' UNION SELECT username, password FROM users-- -";

function assertBlocked(answer) {
  assert.equal(answer.status, 403);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.match(
    answer.text,
    /^\{"code":403,"success":false,"message":"blocked by web application firewall","event_id":"[0-9a-f]{32}"\}$/,
  );
  return answer.json().event_id;
}

describe('the plugin with a real engine', () => {
  let upstream;
  let wafd;
  let gateway;
  let config;
  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start();
    gateway = await Gateway.start(upstream.port);
    config = { host: '127.0.0.1', port: wafd.t1kPort, budget: 5000 };
    assert.equal((await gateway.enable(config)).status, 201);
  });
  after(async () => {
    await gateway?.stop();
    await wafd?.stop();
    await upstream?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });

  test('an attack gets 403 with an event id that the console knows; a clean request passes', async () => {
    const id = assertBlocked(await request(gateway.proxy + ATTACK));
    const event = await wafd.event(id);
    assert.equal(event.record.action, 'deny');
    assert.equal(event.record.src_ip, '127.0.0.1');
    assert.equal(event.record.scheme, 'http');
    const clean = await request(`${gateway.proxy}/?id=1`);
    assert.equal(clean.status, 200);
    assert.equal(clean.json().url, '/?id=1');
  });

  test('the raw target is what the engine gets, not the normalised path', async () => {
    const target = '/shop/..%2fadmin//x?id=1%27%20OR%20%271%27=%271';
    const answer = await rawExchange(gateway.proxyPort, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 403 /);
    const event = await wafd.event(/"event_id":"([0-9a-f]{32})"/.exec(answer)[1]);
    assert.ok(event.record.req_header_raw.startsWith(`GET ${target} HTTP/1.1\r\n`));
  });

  const filler = 'a='.padEnd(600 * 1024, 'x');
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const attackBody = `${filler}&q=${encodeURIComponent(ATTACK_VALUE)}`;

  test('a body that the gateway buffered to disk is judged to its end', async () => {
    assertBlocked(await request(`${gateway.proxy}/form`, { method: 'POST', headers: { ...form, 'Content-Length': attackBody.length }, body: attackBody }));
    const clean = await request(`${gateway.proxy}/form`, { method: 'POST', headers: { ...form, 'Content-Length': filler.length }, body: filler });
    assert.deepEqual([clean.status, clean.json().bytes], [200, filler.length]);
  });

  test('a chunked body too', async () => {
    assertBlocked(await request(`${gateway.proxy}/form`, { method: 'POST', headers: { ...form, 'Transfer-Encoding': 'chunked' }, body: attackBody }));
  });

  for (const withLength of [true, false]) {
    test(`an HTTP/2 body ${withLength ? 'with' : 'without'} content-length too`, async () => {
      const answer = await http2Exchange(gateway.http2Port, {
        ':method': 'POST', ':path': '/form', 'content-type': form['Content-Type'],
        ...(withLength ? { 'content-length': `${attackBody.length}` } : {}),
      }, attackBody);
      assert.equal(answer.status, 403);
      const event = await wafd.event(JSON.parse(answer.text).event_id);
      assert.equal(event.record.location, 'body');
      assert.match(event.record.req_header_raw, /^POST \/form HTTP\/2\.0\r\n/);
    });
  }

  test('what lies beyond req_body_size is not judged, and told to be cut with a length or without: the site decides', async () => {
    assert.equal((await gateway.enable({ ...config, req_body_size: 0.5 })).status, 201);
    const post = (framing) => request(`${gateway.proxy}/form`, { method: 'POST', headers: { ...form, ...framing }, body: attackBody });
    for (const framing of [{ 'Content-Length': attackBody.length }, { 'Transfer-Encoding': 'chunked' }]) {
      const answer = await post(framing);
      assert.equal(answer.status, 403, Object.keys(framing)[0]);
      const { record } = await wafd.event(answer.json().event_id);
      assert.deepEqual([record.attack_type, record.req_http_body_is_truncate], ['http_violation', 1]);
    }
    await wafd.api('PUT', '/sites/0', { name: 'Default site', on_oversize: 'pass' });
    assert.equal((await post({ 'Content-Length': attackBody.length })).status, 200);
    await wafd.api('PUT', '/sites/0', { name: 'Default site', on_oversize: 'block' });
    await gateway.enable(config);
  });

  test('routes without buffering and upgrades are judged by their head', async () => {
    const body = `q=${encodeURIComponent(ATTACK_VALUE)}`;
    const unbuffered = await request(`${gateway.proxy}/unbuffered/`, { method: 'POST', headers: { ...form, 'Content-Length': body.length }, body });
    assert.equal(unbuffered.status, 200);
    assertBlocked(await request(`${gateway.proxy}/unbuffered${ATTACK}`));
    assertBlocked(await request(gateway.proxy + ATTACK, { headers: { 'Content-Type': 'application/grpc' } }));
  });

  test('monitor passes and tells the engine so; off does not ask', async () => {
    await gateway.enable({ ...config, mode: 'monitor' });
    const before = (await wafd.api('GET', '/events?limit=1')).events[0].seq;
    assert.equal((await request(gateway.proxy + ATTACK)).status, 200);
    const [newest] = (await wafd.api('GET', '/events?limit=1')).events;
    assert.equal(newest.seq, before + 1);
    assert.equal(newest.record.action, 'monitor');
    await gateway.enable({ ...config, mode: 'off' });
    assert.equal((await request(gateway.proxy + ATTACK)).status, 200);
    assert.equal((await wafd.api('GET', '/events?limit=1')).events[0].seq, newest.seq);
    await gateway.enable(config);
  });

  test('remote_addr takes the client from a header, counted from either side', async () => {
    for (const [setting, expected] of [['http_x_forwarded_for: 1', '198.51.100.1'], ['http_x_forwarded_for: -1', '198.51.100.3'], ['http_x_forwarded_for: 9', '127.0.0.1'], ['http_x_real_ip: 1', '127.0.0.1']]) {
      await gateway.enable({ ...config, remote_addr: setting });
      const id = assertBlocked(await request(gateway.proxy + ATTACK, { headers: { 'X-Forwarded-For': '198.51.100.1, 198.51.100.2 198.51.100.3', 'X-Real-IP': 'not-an-ip' } }));
      const { record } = await wafd.event(id);
      assert.deepEqual([record.src_ip, record.socket_ip], [expected, '127.0.0.1']);
    }
    await gateway.enable(config);
  });

  test('what was passed while the engine stood still is told to it: overview and metrics have the sum', async () => {
    const single = await Gateway.start(upstream.port, { args: ['--workers', '1'] });
    try {
      await single.enable({ ...config, budget: 100 });
      await wafd.program.pause();
      for (let i = 0; i < 3; i += 1) assert.equal((await request(single.proxy + ATTACK)).status, 200);
      wafd.program.resume();
      await single.enable(config);
      for (let i = 0; i < 2; i += 1) assertBlocked(await request(single.proxy + ATTACK));
      const metrics = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
      assert.match(metrics.text, /^wafd_requests_unjudged_by_gateways_total 3$/m);
      const { notes } = await wafd.api('GET', '/status');
      assert.ok(notes.some((note) => note.startsWith('3 requests were passed unjudged by gateways')), JSON.stringify(notes));
    } finally {
      wafd.program.resume();
      await single.stop();
    }
  });

  test('a Unix socket as host', async () => {
    const socket = path.join(wafd.state, 't1k.sock');
    await wafd?.stop();
    wafd.settings['ingest.t1k.unix_socket'] = socket;
    await wafd.launch();
    await gateway.enable({ ...config, host: `unix:${socket}` });
    assertBlocked(await request(gateway.proxy + ATTACK));
    await gateway.enable(config);
  });
});

function rawExchange(port, bytes) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(20000, () => socket.destroy(new Error('no answer in 20 s')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

function http2Exchange(port, headers, body) {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    session.on('error', reject);
    const stream = session.request(headers);
    const parts = [];
    let status;
    stream.on('response', (answer) => (status = answer[':status']));
    stream.on('data', (part) => parts.push(part));
    stream.on('error', reject);
    stream.on('end', () => {
      session.close();
      resolve({ status, text: Buffer.concat(parts).toString('utf8') });
    });
    stream.end(body);
  });
}
