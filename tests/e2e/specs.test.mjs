// The specs that the plugin brings for Kong's Pongo, run in nginx' Lua against the stand-in.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { root, run, tempFolder } from './support/processes.mjs';

test('every spec of the plugin passes', async () => {
  const work = tempFolder('specs');
  const done = await run(path.join(root, 'tests/support/gateway/specs'), [path.join(root, 'packaging/gateway-waf'), work]);
  const lines = fs.readFileSync(path.join(work, 'result'), 'utf8').trim().split('\n');
  assert.equal(lines.pop(), 'end', done.stderr);
  assert.deepEqual(lines.filter((line) => !line.startsWith('ok ')), []);
  assert.ok(lines.length >= 40, `${lines.length} ran`);
});
