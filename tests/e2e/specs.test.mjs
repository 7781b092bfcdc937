// The specs that the plugin brings for Kong's Pongo, run with busted in nginx' Lua against the stand-in.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { root, run, tempFolder } from './support/processes.mjs';

const plugin = path.join(root, 'packaging/gateway-waf');
const specs = (folder) => run(path.join(root, 'tests/support/gateway/specs'), [folder, tempFolder('specs')]);

test('every spec of the plugin passes', async () => {
  const done = await specs(plugin);
  assert.deepEqual([done.code, done.stdout.match(/^not ok .*/gm)], [0, null], done.stdout + done.stderr);
  const planned = Number(/^1\.\.(\d+)$/m.exec(done.stdout)[1]);
  assert.ok(planned >= 50, `${planned} ran`);
  assert.equal(done.stdout.match(/^ok /gm).length, planned);
});

test('a spec that fails, and a file that is no Lua, are told', async () => {
  for (const text of ["describe('x', function() it('y', function() assert.equal(1, 2) end) end)", 'this is no Lua']) {
    const folder = tempFolder('plugin');
    fs.mkdirSync(path.join(folder, 'spec'));
    fs.writeFileSync(path.join(folder, 'spec/one_spec.lua'), text);
    const done = await specs(folder);
    assert.deepEqual([done.code, done.stdout.match(/^not ok /gm)?.length], [1, 1], done.stdout + done.stderr);
  }
});
