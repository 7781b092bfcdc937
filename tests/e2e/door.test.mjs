// The door of the API, from its own OpenAPI document: every operation without a credential, with a dead one, with one of
// too low a role, with a method in disguise, and by crooked paths.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { after, before, describe, test } from 'node:test';

import { until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const PUBLIC = new Set(['GET /', 'POST /api/v1/session', 'DELETE /api/v1/session', 'GET /api/v1/session/oidc', 'POST /api/v1/session/oidc', 'PUT /api/v1/session/oidc', 'GET /api/v1/setup', 'POST /api/v1/setup', 'GET /api/v1/openapi.json', 'GET /healthz', 'GET /readyz']);
// The requests with a body that a viewer may send: they change the viewer's own things, or nothing.
const OWN = new Set(['changePassword', 'endSession', 'addView', 'removeView', 'previewTarget', 'setPreferences', 'beginSecondFactor', 'confirmSecondFactor',
  'removeSecondFactor', 'renewRecoveryCodes', 'logOutEverywhere', 'logOutOidc', 'unmaskEvent']);
const ROLES = ['read', 'write', 'admin'];

// As it stands on the wire, with nothing put right.
function raw(console_, target, { method = 'GET', headers = {} } = {}) {
  const { hostname, port } = new URL(console_);
  return new Promise((resolve, reject) => {
    const out = https.request({ hostname, port, path: target, method, headers, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    out.on('error', reject);
    out.end();
  });
}

describe('the door', () => {
  let wafd;
  const operations = [];
  const tokens = {};
  before(async () => {
    wafd = await Wafd.start();
    for (const scope of ROLES) tokens[scope] = await wafd.makeToken(scope);
    const document = (await request(`${wafd.console}/api/v1/openapi.json`)).json();
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(item)) operations.push({ method: method.toUpperCase(), path, operation });
  });
  after(() => wafd?.stop());

  const call = (operation, headers) =>
    request(`${wafd.console}${operation.path.replace(/\{[^}]*\}/g, 'ffffffffffffffffffffffffffffffff')}`, {
      method: operation.method,
      headers: { ...headers, ...(operation.operation.requestBody ? { 'Content-Type': 'application/json' } : {}) },
      body: operation.operation.requestBody ? '{}' : undefined,
    });

  test('every operation asks for a credential that is alive', async () => {
    assert.ok(operations.length > 60, `${operations.length} operations`);
    const dead = await wafd.makeToken('admin');
    wafd.token = tokens.admin;
    const newest = (await wafd.api('GET', '/tokens')).tokens.reduce((a, b) => (a.created_ms > b.created_ms ? a : b));
    await wafd.api('DELETE', `/tokens/${newest.id}`);
    const credentials = [{}, { Authorization: `Bearer ${dead}` }, { Authorization: 'Bearer wafd_nobody' }, { Authorization: 'Basic YWRtaW46YWRtaW4=' }, { Cookie: '__Host-wafd=AAAA' },
      { Authorization: ['Bearer', tokens.admin, tokens.admin].join(' ') }, { 'X-Forwarded-User': 'admin' }];
    let asked = 0;
    for (const operation of operations) {
      if (PUBLIC.has(`${operation.method} ${operation.path}`)) continue;
      for (const headers of credentials) {
        const answer = await call(operation, headers);
        assert.equal(answer.status, 401, `${operation.method} ${operation.path} ${JSON.stringify(headers)}: ${answer.text}`);
        ++asked;
      }
    }
    assert.ok(asked > 400, `${asked} asked`);
  });

  test('every operation asks for its role', async () => {
    let refused = 0;
    for (const operation of operations) {
      if (PUBLIC.has(`${operation.method} ${operation.path}`)) continue;
      if (operation.path.endsWith('/stream') || operation.path.endsWith('/export')) continue;
      const statuses = [];
      for (const scope of ROLES.slice(0, 2)) statuses.push((await call(operation, { Authorization: `Bearer ${tokens[scope]}` })).status);
      // A role that is refused stays refused below it; reading never changes anything.
      if (statuses[1] === 403) assert.equal(statuses[0], 403, `${operation.method} ${operation.path}`);
      if (operation.method !== 'GET' && !OWN.has(operation.operation.operationId)) assert.equal(statuses[0], 403, `${operation.method} ${operation.path}: a reader`);
      refused += statuses.filter((status) => status === 403).length;
      assert.ok(statuses.every((status) => status < 500), `${operation.method} ${operation.path}: ${statuses}`);
    }
    assert.ok(refused > 30, `${refused} refused`);
  });

  test('a method in disguise is the method it is', async () => {
    const headers = { Authorization: `Bearer ${tokens.read}`, 'X-HTTP-Method-Override': 'DELETE', 'X-HTTP-Method': 'DELETE', 'X-Method-Override': 'DELETE' };
    const sites = (await request(`${wafd.console}/api/v1/sites`, { headers })).json().sites.length;
    assert.equal((await request(`${wafd.console}/api/v1/sites/0`, { method: 'POST', headers })).status, 405);
    assert.equal((await request(`${wafd.console}/api/v1/sites?_method=DELETE`, { headers })).status, 400);
    for (const method of ['TRACE', 'PATCH', 'OPTIONS', 'PROPFIND']) assert.ok([404, 405].includes(await raw(wafd.console, '/api/v1/sites', { method, headers })), method);
    assert.equal((await request(`${wafd.console}/api/v1/sites`, { headers })).json().sites.length, sites);
  });

  test('crooked paths lead nowhere', async () => {
    const ways = ['/api/v1/../v1/users', '/api/v1/%2e%2e/v1/users', '//api/v1/users', '/api//v1/users', '/api/v1/users/', '/api/v1/users/..', '/api/v1/users;x', '/api/v1/users%2f', '/api/v1/%75sers%00',
      '/API/v1/users', '/api/v1/users%3f', '/healthz/../api/v1/users', '/healthz%2f..%2fapi/v1/users', '/assets/..%2f..%2fapi/v1/users', '/api/v1/users#', '\\api\\v1\\users', '/./api/v1/users', '/api/v1/users.json'];
    for (const way of ways) {
      const status = await raw(wafd.console, way).catch(() => 0);
      assert.ok([0, 400, 401, 404].includes(status), `${way}: ${status}`);
    }
    const plain = http.request({ host: '127.0.0.1', port: new URL(wafd.console).port, path: '/api/v1/users' });
    await until('plain HTTP to be refused', () => new Promise((resolve) => {
      plain.on('error', () => resolve(true)).on('response', (answer) => resolve(answer.statusCode >= 400));
      plain.end();
    }));
  });
});
