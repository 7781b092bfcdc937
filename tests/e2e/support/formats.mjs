// Strict readers of CEF 0 and LEEF 2.0, written against the formats' descriptions alone. Values come back unescaped.
import assert from 'node:assert/strict';

// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/;

// CEF:0|vendor|product|version|signature|name|severity|key=value key=value
export function parseCef(text) {
  assert.doesNotMatch(text, /\t/);
  assert.doesNotMatch(text, CONTROLS);
  const head = /^CEF:0((?:\|(?:[^|\\]|\\[|\\])*){6})\|/.exec(text);
  assert.ok(head, text);
  const header = head[1].slice(1).split(/(?<=(?:^|[^\\])(?:\\\\)*)\|/).map((field) => field.replace(/\\([|\\])/g, '$1'));
  const extension = text.slice(head[0].length);
  assert.match(extension, /^(?:[^\\]|\\[\\=nr])*$/, 'an escape that CEF does not know');
  const keys = {};
  // A key is what stands before a bare `=`, at the beginning or behind a space.
  const at = [...extension.matchAll(/(?:^| )([A-Za-z0-9]+)=/g)].filter((match) => !/\\$/.test(match[0].slice(0, -1)));
  assert.equal(at[0].index, 0);
  at.forEach((match, i) => {
    const value = extension.slice(match.index + match[0].length, at[i + 1]?.index);
    assert.doesNotMatch(value.replace(/\\./g, ''), /=/, 'a bare = in a value');
    assert.ok(!(match[1] in keys), `${match[1]} stands twice`);
    keys[match[1]] = value.replace(/\\(.)/g, (_, c) => ({ n: '\n', r: '\r' })[c] ?? c);
  });
  return { header, keys };
}

// LEEF:2.0|vendor|product|version|event id|x09|key=value<TAB>key=value
export function parseLeef(text) {
  assert.doesNotMatch(text, CONTROLS);
  const head = /^LEEF:2\.0\|([^|\t]*)\|([^|\t]*)\|([^|\t]*)\|([^|\t]*)\|x09\|/.exec(text);
  assert.ok(head, text);
  const keys = {};
  for (const pair of text.slice(head[0].length).split('\t')) {
    const match = /^([A-Za-z0-9]+)=(.+)$/.exec(pair);
    assert.ok(match, pair);
    assert.ok(!(match[1] in keys), `${match[1]} stands twice`);
    keys[match[1]] = match[2];
  }
  return { header: head.slice(1), keys };
}
