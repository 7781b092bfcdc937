// Writes configuration.md and metrics.md anew from the built wafd. tests/e2e/docs.test.mjs holds them equal.
import { writeFileSync } from 'node:fs';
import { pages_of } from '../tests/e2e/support/documents.mjs';
import { Wafd } from '../tests/e2e/support/wafd.mjs';

const wafd = await Wafd.start();
try {
  for (const [name, text] of Object.entries(await pages_of(wafd))) writeFileSync(new URL(name, import.meta.url), text);
} finally {
  await wafd.stop();
}
