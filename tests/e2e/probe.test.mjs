// `wafd probe` through real gateways: one that hands everything over, one that hands over no body, one that asks nobody.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { startUpstream } from './support/gateway.mjs';
import { startLuaNginx, startShippedNginx } from './support/nginx.mjs';
import { freePort, run, wafdPath } from './support/processes.mjs';
import { Wafd } from './support/wafd.mjs';

const seconds = ['--timeout', '60'];
async function probe(url, { args = [], token } = {}) {
  const done = await run(wafdPath, ['probe', url, '--json', ...seconds, ...args], { env: { ...process.env, ...(token ? { WAFD_TOKEN: token } : {}) } });
  const { findings } = JSON.parse(done.stdout);
  return { code: done.code, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])), texts: Object.fromEntries(findings.map(({ check, text }) => [check, text])) };
}

describe('wafd probe', () => {
  let upstream;
  let wafd;
  const running = [];
  const started = async (promise) => {
    const program = await promise;
    running.push(program);
    return program;
  };
  before(async () => {
    upstream = await startUpstream();
    wafd = await Wafd.start({ 'ingest.budget_ms': 20000 });
  });
  after(async () => {
    for (const program of running) await program.stop();
    await wafd?.stop();
    await upstream?.stop();
  });

  test('nginx with Lua: all is blocked, bodies up to 1 MiB, and the address is right', async () => {
    const nginx = await started(startLuaNginx({ '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, 'port = 8700': `port = ${wafd.t1kPort}`, 'budget = 300': 'budget = 20000' }));
    const found = await probe(nginx.url, { args: ['--console', wafd.console, '--insecure'], token: wafd.token });
    assert.deepEqual(found.states, { query: 'ok', form: 'ok', json: 'ok', body_size: 'ok', steering: 'ok', event_id: 'ok', address: 'ok', headers: 'ok' }, JSON.stringify(found.texts));
    assert.match(found.texts.body_size, /up to 1048576 bytes/);
    assert.match(found.texts.address, /127\.0\.0\.1/);
    assert.equal(found.code, 0);
    const lines = await run(wafdPath, ['probe', nginx.url, '--max-body', '20000', ...seconds]);
    assert.equal(lines.code, 0);
    assert.match(lines.stdout, /^ok +an attack in the query: blocked \(403\)\n/);
    assert.match(lines.stdout, /^\? +the client's address: not checked/m);
  });

  test('nginx auth_request: no body is blocked', async () => {
    const nginx = await started(startShippedNginx('nginx-auth-request/forwarded.conf', { '127.0.0.1:8081': `127.0.0.1:${upstream.port}`, '127.0.0.1:8701': wafd.settings['ingest.http.listen'] }));
    const { code, states } = await probe(nginx.url);
    assert.deepEqual(states, { query: 'ok', form: 'fail', json: 'fail', body_size: 'unknown', steering: 'ok', event_id: 'ok', address: 'unknown', headers: 'ok' });
    assert.equal(code, 1);
  });

  test('a gateway that asks nobody: nothing is blocked', async () => {
    const { code, states } = await probe(`http://127.0.0.1:${upstream.port}/`);
    assert.deepEqual(states, { query: 'fail', form: 'fail', json: 'fail', body_size: 'unknown', steering: 'fail', event_id: 'unknown', address: 'unknown', headers: 'fail' });
    assert.equal(code, 1);
  });

  test('wrong use, and nobody there', async () => {
    const nobody = await probe(`http://127.0.0.1:${await freePort()}/`);
    assert.deepEqual([nobody.code, nobody.states], [2, { reached: 'fail' }]);
    assert.match(nobody.texts.reached, /: connect: Connection refused$/);
    assert.match((await probe('http://nobody.invalid/')).texts.reached, /: connect: (Name or service not known|Temporary failure in name resolution)$/);
    for (const args of [['shop.test'], ['http://a/', '--console', 'https://b/'], ['http://a/', '--max-body', '1'], []]) {
      const done = await run(wafdPath, ['probe', ...args]);
      assert.equal(done.code, 2, JSON.stringify(args));
      assert.match(done.stderr, /^wafd: /);
    }
  });
});
