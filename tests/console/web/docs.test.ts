// The documents below /docs/: each file is there, every link of theirs and of the page leads to one of them, and no Markdown is left over.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { documents, html_of, make_documents } from '../../../console/web/docs.mjs';

const root = path.join(process.cwd(), '../..');
const made = new Map<string, string>(make_documents(root, '/assets/docs.css', '/assets/icon.svg') as [string, string][]);

test('links lead to documents that are there', () => {
  assert.ok(made.size >= 12, `${made.size} documents`);
  for (const [name, html] of made) {
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map((m) => m[1] as string);
    assert.ok(targets.length > made.size, name);
    for (const target of targets) assert.ok(target === '/' || target.startsWith('/assets/') || made.has(target.replace(/^\/docs\//, '').replace(/#.*$/, '')), `${name}: ${target}`);
    assert.doesNotMatch(html.replace(/<pre[\s\S]*?<\/pre>|<code>[\s\S]*?<\/code>/g, ''), /\]\(|^\||```|`/m, name);
    assert.match(html, /<h1 id=/, name);
  }
});

test('the page links to documents alone that are there', () => {
  const source = fs.readdirSync('src', { recursive: true }).map(String).filter((name) => name.endsWith('.tsx')).map((name) => fs.readFileSync(path.join('src', name), 'utf8')).join('\n');
  const direct = [...source.matchAll(/<DocLink name="([^"]+)"/g)].map((m) => m[1] as string);
  const table = /const documents: Record<string, string> = \{([\s\S]*?)\};/.exec(source)?.[1] ?? '';
  const wanted = [...direct, ...[...table.matchAll(/'([^']+)'/g)].map((m) => m[1] as string)];
  assert.ok(wanted.length > 10, `${wanted.length} links`);
  for (const name of wanted) assert.ok(name in documents, name);
});

test('what Markdown means is what is drawn, and text stays text', () => {
  const html = html_of('# A & <b>\n\nOne `<x>` **two**\nthree [four](FORMATS.md) [five](https://example.org).\n\n- a\n  b\n- c\n\n| `a` | b |\n|---|---|\n| `x|y` | <i> |\n\n```\n<pre> | `\n```\n', 'forward/format/X.md');
  assert.equal(html, [
    '<h1 id="a--b">A &amp; &lt;b&gt;</h1>',
    '<p>One <code>&lt;x&gt;</code> <strong>two</strong> three <a href="/docs/formats">four</a> five.</p>',
    '<ul><li>a b</li><li>c</li></ul>',
    '<div class="table" tabindex="0"><table><thead><tr><th><code>a</code></th><th>b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>&lt;i&gt;</td></tr></tbody></table></div>',
    '<pre tabindex="0"><code>&lt;pre&gt; | `</code></pre>',
  ].join('\n'));
});
