// axe-core in the page as it stands: what it finds, one line each, beginning with the name of the view.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function axeViolations(page, name) {
  await page.evaluate(`${axe};0`);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((v) => `${name}: ${v.id}: ${v.nodes[0].html.slice(0, 200)}`);
}
