import assert from 'node:assert/strict';
import test from 'node:test';
import { accept, index_of_byte, is_unfinished, spot_at, suggestions, wrong_part, type QueryField } from '../../../console/web/src/lib/complete';

const fields: QueryField[] = [
  { name: 'type', help: '', values: ['sqli', 'xss', 'ssti'] },
  { name: 'src', help: '', values: [] },
  { name: 'risk', help: '', values: ['low', 'medium', 'high'] },
  { name: 'path', help: '', values: [] },
];
const known = [{ value: '10.0.0.1', count: 9 }, { value: '192.0.2.7', count: 3 }, { value: 'a b', count: 1 }, { value: '', count: 1 }];

// `|` is the caret; the right side is what is replaced in brackets, the field, and what is offered.
const rows: [text: string, dump: string][] = [
  ['|', '[] fields: type: src: risk: path:'],
  ['ty|', '[ty] fields: type:'],
  ['-ty|', '-[ty] fields: type:'],
  ['s|', '[s] fields: src: risk:'],
  ['a |', 'a [] fields: type: src: risk: path: or '],
  ['type:sqli o|', 'type:sqli [o] fields: or '],
  ['(|', '([] fields: type: src: risk: path:'],
  ['ty|pe:sqli', '[type:]sqli fields: type:'],
  ['type:|', 'type:[] type: sqli xss ssti'],
  ['type:s|', 'type:[s] type: sqli ssti xss'],
  ['TYPE:x|', 'TYPE:[x] type: xss'],
  ['type:xss,s| risk:high', 'type:xss,[s] risk:high type: sqli ssti xss'],
  ['-risk:h|', '-risk:[h] risk: high'],
  ['src:192|', 'src:[192] src: 192.0.2.7'],
  ['src:"a |', 'src:["a ] src: "a b"'],
  ['src:"a |b" x', 'src:["a b"] x src: "a b"'],
  ['nofield:x|', 'nofield:[x] nofield:'],
  ['"free te|', 'none'],
  ['10.|', 'none'],
];
for (const [row, dump] of rows) {
  test(`complete ${row}`, () => {
    const caret = row.indexOf('|');
    const text = row.replace('|', '');
    const spot = spot_at(text, caret);
    if (!spot) return assert.equal('none', dump);
    const offered = suggestions(spot, fields, known).map((s) => s.insert);
    assert.equal([`${text.slice(0, spot.from)}[${text.slice(spot.from, spot.to)}]${text.slice(spot.to)} ${spot.field ?? 'fields'}:`, ...offered].join(' '), dump);
    return undefined;
  });
}

test('accepting puts the text in and the caret behind it', () => {
  const put = (text: string, caret: number, which = 0) => {
    const spot = spot_at(text, caret);
    assert.ok(spot);
    return accept(text, spot, suggestions(spot, fields, known)[which] as never);
  };
  assert.deepEqual(put('ty', 2), { text: 'type:', caret: 5 });
  assert.deepEqual(put('type:x', 6), { text: 'type:xss ', caret: 9 });
  assert.deepEqual(put('type:x risk:low', 6), { text: 'type:xss risk:low', caret: 8 });
});

const unfinished: [text: string, is: boolean][] = [
  ['', false], ['ty', true], ['union', false], ['type:', true], ['type:s', true], ['type:sqli', false], ['type:odd', false], ['src:', true], ['src:1', false], ['type:sqli,', true],
];
for (const [text, is] of unfinished) test(`unfinished ${text}`, () => assert.equal(is_unfinished(spot_at(text, text.length), fields), is));

test('the wrong part of a query, by bytes', () => {
  assert.equal(index_of_byte('äb', 2), 1);
  assert.equal(index_of_byte('😀b', 4), 2);
  assert.deepEqual(wrong_part('ä typ:x y', 3), { before: 'ä ', wrong: 'typ:x', after: ' y' });
  assert.deepEqual(wrong_part('type:', 5), { before: 'type:', wrong: '', after: '' });
});
