// The configurations of packaging/gateways as they are shipped.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { root } from './processes.mjs';

// A shipped file with examples replaced; each must stand there outside its comments, unless it is a comment itself.
export function shipped(name, changes) {
  let text = fs.readFileSync(path.join(root, 'packaging/gateways', name), 'utf8');
  for (const [example, real] of Object.entries(changes)) {
    const settings = text.replace(/^\s*#(?!\S).*$/gm, '');
    assert.ok(settings.includes(example), `${name} has ${example}`);
    text = text.replaceAll(example, real);
  }
  return text;
}
