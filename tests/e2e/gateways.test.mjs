// The shipped gateway configurations (packaging/gateways) in the gateways they are for, and the HTTP dialects by plain HTTP.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startUpstream } from './support/gateway.mjs';
import { startShippedNginx } from './support/nginx.mjs';
import { Program, freePort, root, run, tempFolder, until } from './support/processes.mjs';
import { shipped } from './support/shipped.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const FAIL_OPEN = /^ *error_page 500 502 503 504 = @wafd_down;\n/m;

async function answers(url) {
  return (await request(url)).status > 0;
}

const startNginx = (name, { upstream, wafd, change }) => startShippedNginx(name, { '127.0.0.1:8081': `127.0.0.1:${upstream}`, '127.0.0.1:8701': wafd }, { change });

async function startCaddy({ upstream, wafd }) {
  const home = path.join(root, 'build/caddy');
  const fetched = await run(path.join(root, 'tests/support/fetch_caddy'), [home]);
  assert.equal(fetched.code, 0, fetched.stderr);
  const folder = tempFolder('caddy');
  const port = await freePort();
  fs.writeFileSync(
    path.join(folder, 'Caddyfile'),
    shipped('caddy/Caddyfile', { 'http://:8080': `http://:${port}`, '127.0.0.1:8081': `127.0.0.1:${upstream}`, '127.0.0.1:8701': wafd }),
  );
  const program = new Program(path.join(home, 'usr/bin/caddy'), ['run', '--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  program.url = `http://127.0.0.1:${port}`;
  await program.ready('answers', () => answers(`${program.url}/-start`));
  return program;
}

// Bytes as they are, for what no client library sends; the status of the first answer.
function raw(url, bytes) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    socket.setTimeout(20000, () => socket.destroy(new Error('no answer in 20 s')));
    socket.on('error', reject);
    socket.on('data', (data) => {
      got += data.toString('latin1');
      const status = /^HTTP\/1\.[01] (\d{3}) /.exec(got);
      if (status) {
        socket.destroy();
        resolve(Number(status[1]));
      }
    });
    socket.on('close', () => resolve(0));
  });
}

// Headers by which a client tries to pass for somebody else, or its request for another one.
const STEERING = {
  'X-Original-URI': '/clean',
  'X-Original-Method': 'GET',
  'X-Forwarded-Uri': '/clean',
  'X-Forwarded-Method': 'GET',
  'X-Forwarded-Host': 'elsewhere.example',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-For': '198.51.100.9',
  'X-Real-IP': '198.51.100.9',
  'X-Request-Id': 'of-the-client',
};

// 32 hex digits of nginx, a UUID of Caddy.
const GATEWAYS_ID = /^[0-9a-f-]{32,36}$/;

function inFront(title, { dialect, start, failOpen }) {
  describe(title, () => {
    let upstream;
    let wafd;
    let gateway;
    before(async () => {
      upstream = await startUpstream();
      wafd = await Wafd.start({ 'ingest.http.check_dialect': dialect, 'ingest.budget_ms': 20000, 'log.events': 'all' });
      gateway = await start({ upstream: upstream.port, wafd: wafd.settings['ingest.http.listen'] });
    });
    after(async () => {
      await gateway?.stop();
      await wafd?.stop();
      await upstream?.stop();
    });

    test('a clean request passes, an attack in the URI does not', async () => {
      const clean = await request(`${gateway.url}/clean?a=1`, { headers: { Host: 'shop.example' } });
      assert.equal(clean.status, 200);
      assert.equal(clean.json().url, '/clean?a=1');

      const seen = upstream.seen.length;
      const blocked = await request(gateway.url + ATTACK, { headers: { Host: 'shop.example', 'User-Agent': 'probe/1.0' } });
      assert.equal(blocked.status, 403);
      assert.match(blocked.headers['content-type'], /^application\/json/);
      const answer = blocked.json();
      assert.deepEqual(Object.keys(answer), ['code', 'success', 'message', 'event_id']);
      assert.equal(upstream.seen.length, seen);
      const { record } = await wafd.event(answer.event_id);
      assert.deepEqual(
        [record.action, record.attack_type, record.method, record.host, record.user_agent, record.src_ip],
        ['deny', 'sqli', 'GET', 'shop.example', 'probe/1.0', '127.0.0.1'],
      );
    });

    test('a client cannot steer', async () => {
      const blocked = await request(gateway.url + ATTACK, { headers: { Host: 'shop.example', ...STEERING } });
      assert.equal(blocked.status, 403);
      const { record } = await wafd.event(blocked.json().event_id);
      assert.deepEqual([record.src_ip, record.host, record.scheme], ['127.0.0.1', 'shop.example', 'http']);
      assert.match(await wafd.requestId(blocked.json().event_id), GATEWAYS_ID);
      assert.equal((await request(`${gateway.url}/clean`, { headers: STEERING })).status, 200);
      assert.match(upstream.headers['x-request-id'], GATEWAYS_ID, 'nobody judged what the client wrote there');
  
      // Nor by writing them twice, nor another way round: a clean request stays clean.
      const { hostname, port } = new URL(gateway.url);
      const doubled = Object.entries(STEERING).flatMap(([name, value]) => [`${name}: ${value}`, `${name}: ${value}`]).join('\r\n');
      assert.equal(await raw(gateway.url, `GET ${ATTACK} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${doubled}\r\n\r\n`), 403);
      assert.equal(await raw(gateway.url, `GET /clean HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${doubled}\r\n\r\n`), 200);
    });

    test('the method is the client\'s, with a body of either framing', async () => {
      for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
        const posted = await request(`${gateway.url}/form`, { method: 'POST', headers: { 'Content-Type': 'text/plain', ...headers }, body: 'a=1' });
        assert.deepEqual([posted.status, posted.json().method, posted.json().bytes], [200, 'POST', 3]);
        const blocked = await request(gateway.url + ATTACK, { method: 'POST', headers, body: 'a=1' });
        assert.equal(blocked.status, 403);
        assert.equal((await wafd.event(blocked.json().event_id)).record.method, 'POST');
      }
    });

    test('an attack in a header or cookie is seen', async () => {
      assert.equal((await request(`${gateway.url}/clean`, { headers: { Cookie: "id=1' OR '1'='1" } })).status, 403);
      assert.equal((await request(`${gateway.url}/clean`, { headers: { Referer: `http://shop.example${ATTACK}` } })).status, 403);
    });

    test('without wafd', async () => {
      await wafd.stop();
      assert.equal((await request(`${gateway.url}/clean`)).status, failOpen);
    });
  });
}

inFront('nginx auth_request, dialect forwarded', {
  dialect: 'forwarded',
  failOpen: 200,
  start: (where) => startNginx('nginx-auth-request/forwarded.conf', where),
});
inFront('nginx auth_request, dialect original', {
  dialect: 'original',
  failOpen: 200,
  start: (where) => startNginx('nginx-auth-request/original.conf', where),
});
inFront('nginx auth_request, failing closed', {
  dialect: 'forwarded',
  failOpen: 500,
  start: (where) =>
    startNginx('nginx-auth-request/forwarded.conf', {
      ...where,
      change: (text) => {
        assert.match(text, FAIL_OPEN);
        return text.replace(FAIL_OPEN, '');
      },
    }),
});
inFront('Caddy forward_auth', { dialect: 'forwarded', failOpen: 502, start: startCaddy });

describe('nginx mirror', () => {
  let upstream;
  let wafd;
  let nginx;
  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'log.events': 'all' });
    nginx = await startNginx('nginx-mirror/nginx.conf', { upstream: upstream.port, wafd: wafd.settings['ingest.http.listen'] });
  });
  after(async () => {
    await nginx?.stop();
    await wafd?.stop();
    await upstream?.stop();
  });

  test('an attack in the body is answered by the application and recorded with action monitor', async () => {
    const body = `q=${'a'.repeat(20000)}&id=1%27%20OR%20%271%27=%271`;
    const answer = await request(`${nginx.url}/form?page=7`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Host: 'shop.example', 'X-Forwarded-For': '198.51.100.9', 'X-Request-Id': 'of-the-client' },
      body,
    });
    assert.deepEqual([answer.status, answer.json().bytes], [200, body.length]);
    const record = await until('the event', async () => {
      const { events } = await wafd.api('GET', `/events?q=${encodeURIComponent('type:sqli path:/form')}`);
      return events[0]?.record;
    });
    assert.deepEqual(
      [record.action, record.method, record.host, record.src_ip],
      ['monitor', 'POST', 'shop.example', '127.0.0.1'],
    );
    const id = await wafd.requestId(record.event_id);
    assert.match(id, GATEWAYS_ID);
    assert.equal(upstream.headers['x-request-id'], id, 'the application has the same');
    assert.equal((await request(`${nginx.url}/-wafd-mirror`)).status, 404); // nobody asks it from outside
  });

  test('without wafd the application answers', async () => {
    await wafd.stop();
    assert.equal((await request(`${nginx.url}/clean`)).status, 200);
  });
});

describe('by plain HTTP', () => {
  let wafd;
  const KEY = 'a-key-of-this-test';
  before(async () => {
    wafd = await Wafd.start({ 'ingest.http.check_dialect': 'crowdsec', 'ingest.http.crowdsec_api_keys': KEY, 'ingest.budget_ms': 20000 });
  });
  after(() => wafd?.stop());

  const crowdsec = (uri, more = {}) => ({
    'X-Crowdsec-Appsec-Ip': '203.0.113.7',
    'X-Crowdsec-Appsec-Uri': uri,
    'X-Crowdsec-Appsec-Host': 'shop.example',
    'X-Crowdsec-Appsec-Verb': 'GET',
    'X-Crowdsec-Appsec-Api-Key': KEY,
    'X-Crowdsec-Appsec-User-Agent': 'probe/1.0',
    'X-Crowdsec-Appsec-Http-Version': '11',
    ...more,
  });

  test('crowdsec: allow, ban, a wrong key, a missing header', async () => {
    const allowed = await request(`${wafd.http}/check`, { headers: crowdsec('/clean') });
    assert.equal(allowed.status, 200);
    assert.equal(allowed.json().action, 'allow');
    assert.equal(allowed.headers['x-waf-action'], 'allow');

    const banned = await request(`${wafd.http}/check`, { headers: crowdsec(ATTACK) });
    assert.equal(banned.status, 403);
    assert.deepEqual(banned.json(), { action: 'ban', http_status: 403 });
    const { record } = await wafd.event(banned.headers['x-waf-event-id']);
    assert.deepEqual([record.src_ip, record.host, record.user_agent], ['203.0.113.7', 'shop.example', 'probe/1.0']);

    const posted = await request(`${wafd.http}/check`, {
      method: 'POST',
      headers: { ...crowdsec('/form', { 'X-Crowdsec-Appsec-Verb': 'POST' }), 'Content-Type': 'application/x-www-form-urlencoded' },
      body: "id=1%27%20OR%20%271%27=%271",
    });
    assert.equal(posted.status, 403);

    assert.equal((await request(`${wafd.http}/check`, { headers: crowdsec('/clean', { 'X-Crowdsec-Appsec-Api-Key': 'other' }) })).status, 401);
    const without = crowdsec('/clean');
    delete without['X-Crowdsec-Appsec-Uri'];
    const missing = await request(`${wafd.http}/check`, { headers: without });
    assert.equal(missing.status, 400);
    assert.match(missing.text, /X-Crowdsec-Appsec-Uri/);
  });

  test('/check/<target>: the request itself; steering headers are data', async () => {
    const agent = { 'User-Agent': 'probe/1.0', Host: 'shop.example' };
    assert.equal((await request(`${wafd.http}/check/clean?a=1`, { headers: agent })).status, 200);
    const denied = await request(`${wafd.http}/check${ATTACK}`, { headers: { ...agent, ...STEERING } });
    assert.equal(denied.status, 403);
    assert.equal(denied.headers['x-waf-action'], 'deny');
    assert.equal(denied.json().event_id, denied.headers['x-waf-event-id']);
    assert.equal((await wafd.event(denied.json().event_id)).record.host, 'shop.example');
    assert.equal((await request(`${wafd.http}/check/clean`, { headers: { ...agent, 'X-Original-URI': ATTACK } })).status, 403);
    const body = await request(`${wafd.http}/check/form`, {
      method: 'POST',
      headers: { ...agent, 'Content-Type': 'application/json', 'x-envoy-auth-partial-body': 'false' },
      body: JSON.stringify({ id: "1' OR '1'='1" }),
    });
    assert.equal(body.status, 403);
  });

  test('/v1/records: a bad line is named and the rest goes on', async () => {
    const lines = [
      JSON.stringify({ method: 'GET', uri: '/clean', src_ip: '203.0.113.1' }),
      '{"method": "GET", "uri": ',
      JSON.stringify({ method: 'GET', uri: `/records${ATTACK}`, src_ip: '203.0.113.2', host: 'shop.example', headers: [['User-Agent', 'shipper/1']] }),
      JSON.stringify({ uri: '/no-method' }),
      JSON.stringify({ method: 'POST', uri: '/records/body', body_base64: Buffer.from("id=1' OR '1'='1").toString('base64'), headers: [['Content-Type', 'application/x-www-form-urlencoded']] }),
    ];
    const answer = await request(`${wafd.http}/v1/records`, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: lines.join('\n') });
    assert.equal(answer.status, 200);
    const told = answer.json();
    assert.deepEqual([told.accepted, told.refused], [3, 2]);
    assert.deepEqual(told.errors.map((error) => error.line), [2, 4]);
    for (const error of told.errors) assert.ok(error.error.length > 5, error.error);
    const { events } = await wafd.api('GET', `/events?q=${encodeURIComponent('path:/records*')}`);
    assert.equal(events.length, 2);
    for (const { record } of events) assert.equal(record.action, 'monitor');
  });
});
