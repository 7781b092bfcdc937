// The rock of the plugin: made, installed both ways without any network, and run from where it was installed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { Gateway, startUpstream } from './support/gateway.mjs';
import { root, run, tempFolder } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

const MODULES = ['address', 'breaker', 'capture', 'engine', 'handler', 'inspection', 'limiter', 'match', 'pool', 'report', 'say', 'schema', 'settings', 'standalone', 't1k', 'template'];
// No way out: a look-up that left the machine would fail on these proxies.
const env = { ...process.env, HOME: tempFolder('home'), http_proxy: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1', ALL_PROXY: 'http://127.0.0.1:1' };
let folder;

before(async () => {
  folder = tempFolder('rock');
  const made = await run(path.join(root, 'packaging/gateway-waf/make-rock'), [folder], { env });
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /gateway-waf-0\.1\.0-1\.all\.rock/);
});

function installed(tree) {
  const base = path.join(tree, 'share/lua/5.1/kong/plugins/waf');
  return fs.readdirSync(base).sort();
}

test('luarocks install of the file', async () => {
  const tree = tempFolder('tree');
  const result = await run('luarocks', ['--lua-version', '5.1', '--tree', tree, 'install', path.join(folder, 'gateway-waf-0.1.0-1.all.rock')], { env });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(installed(tree), MODULES.map((name) => `${name}.lua`));
});

test('luarocks install --only-server of the folder, and the gateway runs what it installed', async () => {
  const tree = tempFolder('tree');
  const result = await run('luarocks', ['--lua-version', '5.1', '--tree', tree, 'install', '--only-server', folder, 'gateway-waf'], { env });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(installed(tree), MODULES.map((name) => `${name}.lua`));

  const upstream = await startUpstream();
  const gateway = await Gateway.start(upstream.port, { plugin: path.join(tree, 'share/lua/5.1') });
  try {
    assert.equal((await gateway.create({ host: '127.0.0.1', port: 1 })).status, 201);
    assert.equal((await request(`${gateway.proxy}/`)).status, 200);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
});

test('README and LICENSE are in the rock, also when it is made and packed by hand', async () => {
  const folders = [folder];
  const tree = tempFolder('tree');
  const packed = tempFolder('packed');
  const at = path.join(root, 'packaging/gateway-waf');
  const made = await run('luarocks', ['--lua-version', '5.1', '--tree', tree, 'make', path.join(at, 'gateway-waf-0.1.0-1.rockspec')], { env, cwd: at });
  assert.equal(made.code, 0, made.stderr);
  const pack = await run('luarocks', ['--lua-version', '5.1', '--tree', tree, 'pack', 'gateway-waf'], { env, cwd: packed });
  assert.equal(pack.code, 0, pack.stderr);
  folders.push(packed);
  for (const one of folders) {
    const listed = await run('unzip', ['-Z1', path.join(one, 'gateway-waf-0.1.0-1.all.rock')]);
    for (const file of ['doc/README.md', 'doc/LICENSE']) assert.ok(listed.stdout.split('\n').includes(file), `${one}: ${file}`);
  }
});

test('the source rock builds', async () => {
  const tree = tempFolder('tree');
  const result = await run('luarocks', ['--lua-version', '5.1', '--tree', tree, 'install', path.join(folder, 'source/gateway-waf-0.1.0-1.src.rock')], { env });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(installed(tree), MODULES.map((name) => `${name}.lua`));
});

test('every file of the plugin is in the rock', () => {
  const source = fs.readdirSync(path.join(root, 'packaging/gateway-waf/kong/plugins/waf')).sort();
  assert.deepEqual(source, MODULES.map((name) => `${name}.lua`));
});
