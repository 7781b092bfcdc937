// APISIX and Traefik are in no Debian release, so they are not started here: what they ask is, made from the shipped files by the rules of
// their forward-auth plugins (APISIX: the five X-Forwarded headers and those that request_headers names; Traefik: the client's own
// headers, X-Forwarded ones replaced), and what they do with the answer. And the files have no setting that those plugins do not know.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { root } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const file = (name) => fs.readFileSync(path.join(root, 'packaging/gateways', name), 'utf8');

// The settings below the line `NAME:`, one a line.
function settings(text, name) {
  const lines = text.split('\n').filter((line) => /^ *[^# ]/.test(line));
  const at = lines.findIndex((line) => line.trim() === `${name}:`);
  assert.notEqual(at, -1, name);
  const indent = lines[at].search(/\S/);
  const end = lines.findIndex((line, i) => i > at && line.search(/\S/) <= indent);
  return Object.fromEntries(lines.slice(at + 1, end < 0 ? lines.length : end).map((line) => line.trim().match(/^(\w+): (.*)$/).slice(1)));
}

const list = (text) => text.slice(1, -1).split(',').map((one) => one.trim()).filter(Boolean);
const forwarded = (client) => ({
  'X-Forwarded-Method': client.method,
  'X-Forwarded-Proto': 'http',
  'X-Forwarded-Host': client.headers.Host,
  'X-Forwarded-Uri': client.uri,
  'X-Forwarded-For': client.address,
});

// Settings of apisix/plugins/forward-auth.lua (3.x) and of forwardAuth in Traefik's reference (2.x and 3.x).
const GATEWAYS = {
  'apisix.yaml': {
    plugin: 'forward-auth',
    known: ['uri', 'allow_degradation', 'status_on_error', 'ssl_verify', 'request_method', 'request_headers', 'upstream_headers', 'client_headers', 'timeout', 'keepalive', 'keepalive_timeout', 'keepalive_pool'],
    url: (set) => set.uri,
    question: (set, client) => {
      const wanted = list(set.request_headers).filter((name) => client.headers[name] !== undefined);
      return { ...forwarded(client), ...Object.fromEntries(wanted.map((name) => [name, client.headers[name]])) };
    },
    told: (set) => list(set.client_headers),
  },
  'traefik.yaml': {
    plugin: 'forwardAuth',
    known: ['address', 'trustForwardHeader', 'authResponseHeaders', 'authResponseHeadersRegex', 'authRequestHeaders', 'addAuthCookiesToResponse', 'tls', 'headerField', 'forwardBody', 'maxBodySize', 'preserveLocationHeader', 'preserveRequestMethod'],
    url: (set) => set.address,
    question: (set, client) => {
      assert.equal(set.trustForwardHeader, 'false');
      const { Host: _host, ...own } = client.headers;
      return { ...own, ...forwarded(client) };
    },
    told: () => ['Content-Type', 'X-WAF-Event-Id'], // it hands on the whole answer
  },
};

for (const [name, gateway] of Object.entries(GATEWAYS)) {
  describe(name, () => {
    const set = settings(file(name), gateway.plugin);
    let wafd;
    before(async () => {
      wafd = await Wafd.start({ 'ingest.http.check_dialect': 'forwarded', 'ingest.budget_ms': 20000 });
    });
    after(() => wafd?.stop());

    const ask = (client) => {
      const { pathname } = new URL(gateway.url(set));
      const whole = { method: 'GET', address: '203.0.113.7', ...client, headers: { Host: 'shop.example', 'User-Agent': 'probe/1.0', ...client.headers } };
      return request(wafd.http + pathname, { headers: gateway.question(set, whole) });
    };

    test('its settings are known to the plugin', () => {
      for (const key of Object.keys(set)) assert.ok(gateway.known.includes(key), key);
    });

    test('a clean request passes, an attack in the URI does not, and the event knows who asked', async () => {
      assert.equal((await ask({ uri: '/clean?a=1' })).status, 200);
      const blocked = await ask({ uri: ATTACK, method: 'POST' });
      assert.equal(blocked.status, 403);
      for (const header of gateway.told(set)) assert.ok(blocked.headers[header.toLowerCase()], header);
      const { record } = await wafd.event(blocked.json().event_id);
      assert.deepEqual(
        [record.action, record.method, record.host, record.user_agent, record.src_ip],
        ['deny', 'POST', 'shop.example', 'probe/1.0', '203.0.113.7'],
      );
    });

    test('attacks in a cookie and in Referer are seen', async () => {
      assert.equal((await ask({ uri: '/', headers: { Cookie: "id=1' OR '1'='1" } })).status, 403);
      assert.equal((await ask({ uri: '/', headers: { Referer: `http://shop.example${ATTACK}` } })).status, 403);
    });

    test('a client cannot steer', async () => {
      const headers = { 'X-Forwarded-Uri': '/clean', 'X-Forwarded-Method': 'GET', 'X-Forwarded-For': '198.51.100.9', 'X-Original-URI': '/clean' };
      const blocked = await ask({ uri: ATTACK, headers });
      assert.equal(blocked.status, 403);
      assert.equal((await wafd.event(blocked.json().event_id)).record.src_ip, '203.0.113.7');
    });
  });
}
