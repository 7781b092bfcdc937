import assert from 'node:assert/strict';
import test from 'node:test';
import { find_payload, index_of_byte, merge_spans, narrow_span } from '../../../console/web/src/lib/highlight';

const rows: [name: string, raw: string, payload: string, marked: string | undefined][] = [
  ['as sent', "id=1' or 1=1&x", "' or 1=1", "' or 1=1"],
  ['percent', 'id=1%27%20or%201%3D1&x', "' or 1=1", '%27%20or%201%3D1'],
  ['plus', 'q=union+select&x', 'union select', 'union+select'],
  ['twice percent', 'q=%2527%2520or&x', "' or", '%2527%2520or'],
  ['UTF-8 in percent', 'q=%C3%BC%3Cb%3E&x', 'ü<b>', '%C3%BC%3Cb%3E'],
  ['character references', 'q=&lt;script&#x3e;', '<script>', '&lt;script&#x3e;'],
  ['JSON escapes', '{"a":"\\u003cscript>"}', '<script>', '\\u003cscript>'],
  ['%u', 'q=%u003cb', '<b', '%u003cb'],
  ['other case', 'q=UnIoN SeLeCt', 'union select', 'UnIoN SeLeCt'],
  ['a cut payload', 'q=abcdef', 'abc\u2026[cut 90]', 'abc'],
  ['not there', 'q=abc', 'zzz', undefined],
  ['empty payload', 'q=abc', '', undefined],
];
for (const [name, raw, payload, marked] of rows) {
  test(`highlight: ${name}`, () => {
    const span = find_payload(raw, payload);
    assert.equal(span && raw.slice(span.begin, span.end), marked);
  });
}

test('byte offsets become text offsets', () => {
  const text = 'aü漢😀b';
  assert.deepEqual([0, 1, 3, 6, 10, 11, 99].map((o) => index_of_byte(text, o)), [0, 1, 2, 3, 5, 6, 6]);
});

test('a span is narrowed to the payload inside of it', () => {
  const text = 'GET /ü?id=1%27--&y HTTP/1.1';
  const begin = 'GET /ü?id='.length + 1;  // ü has two bytes
  assert.deepEqual(narrow_span(text, { begin, end: begin + 6 }, "'--"), { begin: 11, end: 16 });
  assert.deepEqual(narrow_span(text, { begin, end: begin + 6 }, 'decoded further'), { begin: 10, end: 16 });
});

test('overlapping spans are one', () => {
  assert.deepEqual(merge_spans([{ begin: 5, end: 8 }, { begin: 1, end: 6 }, { begin: 9, end: 10 }]), [{ begin: 1, end: 8 }, { begin: 9, end: 10 }]);
});
