// Refused in the page's own code: ways from text to markup, to script, or to a style attribute.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const source = path.resolve('src'); // run in the page's folder
const refused: [string, RegExp][] = [
  ['markup from text', /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|srcdoc|createContextualFragment|DOMParser)\b|document\.write|setHTMLUnsafe/],
  ['script from text', /\beval\s*\(|new Function\b|setTimeout\(\s*['"`]|createElement\(\s*['"`]script/],
  ['a style attribute as text; as an object it is set member by member', /\sstyle=(?!\{\{)/],
  ['another origin', /\b(src|href)=["'{`]+https?:/],
  ['a policy of its own for Trusted Types', /trustedTypes/],
];

test('no file of the page has a way from text to markup or script', () => {
  const files = fs.readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tsx?|css)$/.test(name));
  assert.ok(files.length > 40, `${files.length} files`);
  for (const name of files) {
    const code = fs.readFileSync(path.join(source, name), 'utf8').replace(/^\s*\/\/.*$/gm, '');
    for (const [what, pattern] of refused) assert.doesNotMatch(code, pattern, `${name}: ${what}`);
  }
});
