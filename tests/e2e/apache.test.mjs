// packaging/gateways/apache as it is, addresses and folders replaced, in Debian's Apache with mod_lua in front of a real engine.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startUpstream } from './support/gateway.mjs';
import { Program, freePort, root, tempFolder, until } from './support/processes.mjs';
import { shipped } from './support/shipped.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const VALUE = encodeURIComponent("1' UNION SELECT username, password FROM users-- -");
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
// Modules that `a2enmod lua proxy proxy_http rewrite remoteip unique_id` enables, and those that Debian enables by default.
const MODULES = ['mpm_event', 'authz_core', 'lua', 'proxy', 'proxy_http', 'rewrite', 'remoteip', 'unique_id'];

// `settings`: replaced in wafd.lua, `lines`: in wafd.conf.
async function startApache(upstreamPort, { settings = {}, lines = {}, more = '' } = {}) {
  const folder = tempFolder('apache');
  const port = await freePort();
  fs.writeFileSync(path.join(folder, 'wafd.lua'), shipped('apache/wafd.lua', settings));
  const site = shipped('apache/wafd.conf', {
    '/usr/share/wafd/gateways/apache/wafd.lua': path.join(folder, 'wafd.lua'),
    '/usr/share/wafd': path.join(root, 'packaging'),
    '127.0.0.1:8080': `127.0.0.1:${port}`,
    '127.0.0.1:8081': `127.0.0.1:${upstreamPort}`,
    ...lines,
  });
  const load = MODULES.map((one) => `LoadModule ${one}_module /usr/lib/apache2/modules/mod_${one}.so`).join('\n');
  const file = path.join(folder, 'apache2.conf');
  fs.writeFileSync(file, `ServerRoot ${folder}\nDefaultRuntimeDir ${folder}\nPidFile ${folder}/pid\nServerName localhost\nErrorLog ${folder}/log\n${load}
User www-data\nGroup www-data\nStartServers 1\nServerLimit 1\nThreadsPerChild 25\nMaxRequestWorkers 25\n${site}${more}`);
  // Apache's threads are no root: they read the folders.
  fs.chmodSync(folder, 0o755);
  const program = new Program('/usr/sbin/apache2', ['-f', file, '-DFOREGROUND']);
  program.url = `http://127.0.0.1:${port}`;
  program.log = () => fs.readFileSync(path.join(folder, 'log'), 'latin1');
  await program.ready('answers', async () => (await request(`${program.url}/-start`)).status > 0);
  return program;
}

// Time decides nothing here, because the machine may be busy.
const asking = (port) => ({ 'port = 8700': `port = ${port}`, 'budget = 300': 'budget = 20000' });

// Bytes as they are, for what no client library sends; what came back by the time that `enough` is in it.
async function raw(url, bytes, enough = /\r\n\r\n/) {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (data) => (answer += data));
  socket.on('error', () => {});
  socket.write(bytes);
  await until('an answer', () => enough.test(answer));
  socket.destroy();
  return answer;
}

function framings(body) {
  return [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }];
}

describe('Apache with mod_lua', () => {
  let upstream;
  let wafd;
  let apache;
  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'log.events': 'denied', 'ingest.budget_ms': 20000 });
    apache = await startApache(upstream.port, { settings: asking(wafd.t1kPort) });
  });
  after(async () => {
    await apache?.stop();
    await wafd?.stop();
    await upstream?.stop();
    if (apache) assert.doesNotMatch(apache.log(), /Error in|attempt to|stack traceback|exit signal/);
  });

  test('a query, a header and a body are blocked with JSON, and the event says who asked', async () => {
    const blocked = await request(apache.url + ATTACK, { headers: { 'X-Request-Id': 'of-the-client', 'X-Forwarded-For': '198.51.100.9', Host: 'shop.example' } });
    assert.deepEqual([blocked.status, blocked.headers['content-type']], [403, 'application/json']);
    assert.equal(blocked.json().success, false);
    assert.match(await wafd.requestId(blocked.json().event_id), /^[\w@-]{20,}$/);
    const { record } = await wafd.event(blocked.json().event_id);
    assert.deepEqual([record.action, record.src_ip, record.socket_ip, record.scheme, record.host], ['deny', '127.0.0.1', '127.0.0.1', 'http', 'shop.example']);
    assert.ok(record.src_port > 0);
    assert.equal((await request(apache.url, { headers: { 'X-A': '${jndi:ldap://198.51.100.1/a}' } })).status, 403);
    for (const body of [`q=${VALUE}`, `${'a='.padEnd(600 * 1024, 'x')}&q=${VALUE}`]) {
      for (const framing of framings(body)) {
        const answer = await request(apache.url, { method: 'POST', headers: { ...FORM, ...framing, 'X-Forwarded-For': '198.51.100.9' }, body });
        assert.equal(answer.status, 403, `${body.length} ${Object.keys(framing)}`);
        assert.equal((await wafd.event(answer.json().event_id)).record.src_ip, '127.0.0.1');
      }
    }
  });

  test('what is clean arrives as it was, target and every byte of the body', async () => {
    await wafd.api('PUT', '/sites/0', { name: 'Default site', on_oversize: 'pass' }); // bodies beyond what the gateway hands over
    for (const size of [1, 8192, 100000, 3 * 1024 * 1024, 16 * 1024 * 1024]) {
      const body = Buffer.from(Array.from({ length: size / 10 + 1 }, (_, line) => String(line).padStart(9, 'x')).join('\n')).subarray(0, size);
      for (const framing of framings(body)) {
        const answer = await request(`${apache.url}/a%2fb/%C3%A4;x=%3f?id=1&u=%2541?`, { method: 'POST', headers: { 'Content-Type': 'application/octet-stream', ...framing }, body });
        assert.deepEqual([answer.status, answer.json()], [200, { method: 'POST', url: '/a%2fb/%C3%A4;x=%3f?id=1&u=%2541?', bytes: size }], Object.keys(framing)[0]);
        assert.ok(upstream.body.equals(body));
      }
    }
    assert.equal((await request(`${apache.url}/`, { method: 'PUT', headers: { 'Content-Length': 0 } })).json().bytes, 0);
  });

  test('a body beyond LimitRequestBody is refused', async () => {
    assert.match(await raw(apache.url, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * 1024 * 1024 + 1}\r\n\r\n`), /^HTTP\/1\.1 413 /);
    const before = upstream.seen.length;
    // Apache may close before all of it was sent.
    const chunked = await request(apache.url, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body: Buffer.alloc(17 * 1024 * 1024, 'a') }).catch((error) => ({ status: error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 413 : error.code }));
    assert.equal(chunked.status, 413);
    assert.equal(upstream.seen.length, before);
  });

  test('on one connection, bodies and verdicts stay with their requests, also beside others', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const body = `n=${'x'.repeat(i)}${i % 3 ? '' : `&q=${VALUE}`}`;
        return request(`${apache.url}/${i}`, { method: 'POST', headers: { ...FORM, ...framings(body)[i % 2] }, body, agent });
      }),
    );
    assert.deepEqual(all.map(({ status }) => status), all.map((_, i) => (i % 3 ? 200 : 403)));
    for (const [i, answer] of all.entries()) if (i % 3) assert.deepEqual(answer.json(), { method: 'POST', url: `/${i}`, bytes: i + 2 });
    assert.equal(new Set(all.filter((_, i) => i % 3 === 0).map((one) => one.json().event_id)).size, 67);
    agent.destroy();
  });

  test('bodies of every method are judged, and arrive', async () => {
    const body = `q=${VALUE}`;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'PROPFIND', 'REPORT']) {
      for (const framing of framings(body)) {
        assert.equal((await request(apache.url, { method, headers: { ...FORM, ...framing }, body })).status, 403, method);
        const answer = await request(apache.url, { method, headers: { 'Content-Type': 'text/plain', ...framing }, body: body.replace(VALUE, 'x'.repeat(VALUE.length)) });
        assert.deepEqual([answer.status, answer.json()], [200, { method, url: '/', bytes: body.length }]);
      }
    }
  });

  test('over HTTP/2 too, without a length', async () => {
    const two = await startApache(upstream.port, { settings: asking(wafd.t1kPort), more: 'LoadModule http2_module /usr/lib/apache2/modules/mod_http2.so\nProtocols h2c http/1.1\n' });
    const client = http2.connect(two.url);
    const ask = (headers, body) =>
      new Promise((resolve, reject) => {
        const stream = client.request({ ':path': '/', ...headers });
        const parts = [];
        let status;
        stream.on('response', (answer) => (status = answer[':status']));
        stream.on('data', (part) => parts.push(part));
        stream.on('end', () => resolve([status, JSON.parse(Buffer.concat(parts))]));
        stream.on('error', reject);
        stream.end(body);
      });
    const form = { ':method': 'POST', 'content-type': FORM['Content-Type'] };
    assert.deepEqual(await ask({}), [200, { method: 'GET', url: '/', bytes: 0 }]);
    assert.equal((await ask({ ':path': ATTACK }))[0], 403);
    for (let i = 0; i < 20; ++i) {
      const all = await Promise.all([ask(form, `q=${VALUE}`), ask(form, 'a=1'), ask(form, 'a='.padEnd(300000, 'x')), ask({ ...form, ':method': 'PATCH' }, `q=${VALUE}`)]);
      assert.deepEqual(all.map(([status, { bytes }]) => [status, bytes]), [[403, undefined], [200, 3], [200, 300000], [403, undefined]]);
    }
    client.close();
    await two.stop();
  });

  test('no way of writing a request keeps its body from being judged', async () => {
    const body = `q=${VALUE}`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const host = 'Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\n';
    const before = upstream.seen.length;
    for (const [bytes, status] of [
      [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunked}`, 403],
      [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n${chunked}`, 4],
      [`POST http://a/ HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunked}`, 403],
      [`POST http://a/ HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`, 403],
      [`OPTIONS * HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunked}`, 200], // by Apache itself
      [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`, 403],
      [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: identity\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 4],
      [`POST / HTTP/1.1\r\n${host}Transfer-Encoding:\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 4],
      [`GET / HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`, 403],
      [`POST / HTTP/1.0\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`, 403],
      [`POST / HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 403],
      [`POST / HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 403],
    ]) {
      const answer = await raw(apache.url, bytes, /HTTP\/1\.[01] [2-5]\d\d /);
      assert.match(answer, new RegExp(`HTTP/1\\.1 ${status}`), `${bytes}\n${answer}`);
    }
    assert.equal(upstream.seen.length, before);
    assert.match(await raw(apache.url, `GET ${ATTACK}\r\n\r\n`, /event_id|HTTP/), /event_id|HTTP\/1\.1 400/); // HTTP/0.9
  });

  test('it goes on for thousands of requests', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    for (let i = 0; i < 60; ++i) {
      const all = await Promise.all(Array.from({ length: 50 }, (_, n) => request(`${apache.url}/${n}`, { agent, ...(n % 5 ? {} : { method: 'POST', body: 'a=1' }) })));
      assert.ok(all.every(({ status }) => status === 200));
    }
    agent.destroy();
  });

  test('what Apache itself answers does not leave a body for the next request', async () => {
    const guarded = await startApache(upstream.port, {
      settings: asking(wafd.t1kPort),
      more: '<Location /denied>\n  Require all denied\n</Location>\n',
    });
    for (let i = 0; i < 40; ++i) {
      assert.equal((await request(`${guarded.url}/denied`, { method: 'POST', headers: { ...FORM, 'Content-Length': 8 }, body: 'secret=1' })).status, 403);
      assert.equal((await request(`${guarded.url}/x`)).json().bytes, 0);
    }
    await guarded.stop();
  });

  test('a client that goes away in the middle of its body does no harm', async () => {
    const { hostname, port } = new URL(apache.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(`POST /gone HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc`);
    await request(`${apache.url}/meanwhile`);
    socket.destroy();
    await until('a line', () => /the body did not come whole, the request is answered with 400/.test(apache.log()));
    assert.ok(!upstream.seen.some((one) => one.url === '/gone'));
    assert.equal((await request(`${apache.url}/`)).status, 200);
  });

  test('wafd down: passes with a line, bodies whole, or, failing closed, 503, until it is back', async () => {
    const dead = await freePort();
    const open = await startApache(upstream.port, { settings: asking(dead) });
    const body = `q=${VALUE}`;
    for (const framing of framings(body)) {
      const answer = await request(open.url + ATTACK, { method: 'POST', headers: { ...FORM, ...framing }, body });
      assert.deepEqual([answer.status, answer.json().bytes], [200, body.length]);
    }
    await until('a line', () => /connection refused \(connecting\); the request was passed unjudged/.test(open.log()));
    await open.stop();
    const closed = await startApache(upstream.port, { settings: { ...asking(dead), 'on_error = "pass"': 'on_error = "block"' } });
    for (const framing of framings(body)) {
      const answer = await request(closed.url, { method: 'POST', headers: { ...FORM, ...framing }, body });
      assert.deepEqual([answer.status, answer.json().success], [503, false]);
    }
    const back = await Wafd.start({ 'ingest.budget_ms': 20000, 'ingest.t1k.listen': `127.0.0.1:${dead}` });
    await until('it is asked again', async () => (await request(closed.url)).status === 200);
    assert.equal((await request(closed.url + ATTACK)).status, 403);
    await closed.stop();
    await back.stop();
  });

  test('behind a proxy that is trusted, the client is who its header says, and the peer is told besides', async () => {
    const line = 'RewriteEngine On';
    for (const [trusted, expected] of [['127.0.0.1', '198.51.100.9'], ['10.0.0.1', '127.0.0.1']]) {
      const behind = await startApache(upstream.port, {
        settings: asking(wafd.t1kPort),
        lines: { [line]: `RemoteIPHeader X-Forwarded-For\n  RemoteIPInternalProxy ${trusted}\n  ${line}` },
      });
      for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
        const answer = await request(behind.url + ATTACK, { method: 'POST', headers: { 'X-Forwarded-For': '203.0.113.1, 198.51.100.9', ...headers }, body: 'a=1' });
        const { record } = await wafd.event(answer.json().event_id);
        assert.equal(record.src_ip, expected, Object.keys(headers)[0]);
        assert.equal(record.socket_ip, '127.0.0.1');
      }
      await behind.stop();
    }
  });

  test('a wrong setting answers everything with 500 and is named', async () => {
    const wrong = await startApache(upstream.port, { settings: { 'budget = 300': 'budget = "soon"' } });
    assert.equal((await request(`${wrong.url}/`)).status, 500);
    await until('a line', () => /wafd: config\.budget: expected an integer, got a string/.test(wrong.log()));
    await wrong.stop();
  });
});
