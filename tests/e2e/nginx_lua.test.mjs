// packaging/gateways/nginx-lua as it is, addresses and folders replaced, in nginx with its Lua module in front of a real engine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startUpstream } from './support/gateway.mjs';
import { luaNginx, startLuaNginx } from './support/nginx.mjs';
import { freePort, run, tempFolder, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('nginx with Lua', () => {
  let upstream;
  let wafd;
  let nginx;
  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'ingest.budget_ms': 20000 });
    nginx = await startLuaNginx({ '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, 'port = 8700': `port = ${wafd.t1kPort}`, 'budget = 300': 'budget = 20000' });
  });
  after(async () => {
    await nginx?.stop();
    await wafd?.stop();
    await upstream?.stop();
    assert.doesNotMatch(nginx.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });

  test('a query, a header and a body are blocked, and the event says who asked', async () => {
    const blocked = await request(nginx.url + ATTACK, { headers: { 'X-Forwarded-For': '198.51.100.9' } });
    assert.deepEqual([blocked.status, blocked.headers['content-type']], [403, 'application/json']);
    const { record } = await wafd.event(blocked.json().event_id);
    assert.deepEqual([record.action, record.src_ip, record.socket_ip], ['deny', '127.0.0.1', '127.0.0.1']);
    const value = encodeURIComponent("1' UNION SELECT username, password FROM users-- -");
    for (const body of [`q=${value}`, `${'a='.padEnd(600 * 1024, 'x')}&q=${value}`]) {
      for (const framing of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }, { 'Content-Length': body.length, Upgrade: 'foo' }]) {
        assert.equal((await request(nginx.url, { method: 'POST', headers: { ...FORM, ...framing }, body })).status, 403);
      }
    }
  });

  test('what is clean arrives as it was', async () => {
    const body = 'a='.padEnd(100 * 1024, 'x');
    const answer = await request(`${nginx.url}/x?id=1`, { method: 'POST', headers: { ...FORM, 'Content-Length': body.length }, body });
    assert.deepEqual([answer.status, answer.json()], [200, { method: 'POST', url: '/x?id=1', bytes: body.length }]);
  });

  test('wafd down: passes with a line, or, failing closed, 503', async () => {
    const dead = { '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, 'port = 8700': `port = ${await freePort()}` };
    const open = await startLuaNginx(dead);
    assert.equal((await request(open.url + ATTACK)).status, 200);
    await until('a line', () => /connection refused \(connecting\); the request was passed unjudged/.test(open.stderr));
    await open.stop();
    const closed = await startLuaNginx({ ...dead, 'on_error = "pass"': 'on_error = "block"' });
    assert.equal((await request(`${closed.url}/`)).status, 503);
    await closed.stop();
  });

  test('a wrong setting keeps nginx from starting and is named', async () => {
    const folder = tempFolder('nginx');
    const done = await run(...luaNginx(folder, { 'budget = 300': 'budget = "soon"' }));
    assert.notEqual(done.code, 0);
    assert.match(done.stderr, /wafd: config\.budget: expected an integer, got a string/);
  });
});
