import assert from 'node:assert/strict';
import test from 'node:test';
import { field_values, quote_value, split_terms, with_field, with_term } from '../../../console/web/src/lib/query';

const quoted: [value: string, text: string][] = [
  ['sqli', 'sqli'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['2001:db8::1', '2001:db8::1'],
  ['m_sqli/0123abcd', 'm_sqli/0123abcd'],
  ['two words', '"two words"'],
  ['a,b', '"a,b"'],
  ['a*', '"a*"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['back\\slash', '"back\\\\slash"'],
  ['-dash', '"-dash"'],
  ['(x)', '"(x)"'],
  ['', '""'],
];
for (const [value, text] of quoted) test(`quote ${JSON.stringify(value)}`, () => assert.equal(quote_value(value), text));

const added: [query: string, field: string, value: string, negated: boolean, result: string][] = [
  ['', 'type', 'xss', false, 'type:xss'],
  ['type:xss', 'type', 'xss', false, 'type:xss'],
  ['type:xss', 'type', 'xss', true, '-type:xss'],
  ['-src:1.2.3.4', 'src', '1.2.3.4', false, 'src:1.2.3.4'],
  ['risk:high', 'path', '/a b', false, 'risk:high path:"/a b"'],
  ['a or b', 'type', 'xss', false, '(a or b) type:xss'],
  ['"or" x', 'type', 'xss', false, '"or" x type:xss'],
  ['(a or b) c', 'host', 'h', true, '(a or b) c -host:h'],
];
for (const [query, field, value, negated, result] of added) {
  test(`add ${field}:${value} to ${JSON.stringify(query)}`, () => assert.equal(with_term(query, field, value, negated), result));
}

test('terms are split outside quotes and parentheses', () => {
  assert.deepEqual(split_terms('a  "b c" (d or e) f:"g h"'), ['a', '"b c"', '(d or e)', 'f:"g h"']);
  assert.deepEqual(split_terms('x "open \\" still'), ['x', '"open \\" still']);
  assert.deepEqual(split_terms('(never closed a b'), ['(never closed a b']);
});

test('a field is replaced whole', () => {
  assert.equal(with_field('type:xss action:deny -action:allow x', 'action', ['monitor', 'allow']), 'type:xss x action:monitor,allow');
  assert.equal(with_field('action:deny', 'action', []), '');
  assert.deepEqual(field_values('x action:deny,monitor', 'action'), ['deny', 'monitor']);
  assert.equal(field_values('action:deny action:allow', 'action'), undefined);
});
