import assert from 'node:assert/strict';
import test from 'node:test';
import { draft_from, name_pattern, nameable_path, path_pattern } from '../../../console/web/src/lib/exception_draft';

const paths: [path: string, pattern: string][] = [
  ['/', '/'],
  ['/login', '/login'],
  ['/user/17/edit', '/user/*/edit'],
  ['/order/6f9619ff-8b86-d011-b42d-00c04fc964ff', '/order/*'],
  ['/c/9b74c9897bac770ffc029102a200c5de/x', '/c/*/x'],
  ['/blog/2026-11-21/post', '/blog/*/post'],
  ['/api/v1/items', '/api/v1/items'],
  ['/static/bundle-4f2a1c3d9e8b7a6f.min.js', '/static/bundle-4f2a1c3d9e8b7a6f.min.js'],
];
for (const [path, pattern] of paths) test(`path ${path}`, () => assert.equal(path_pattern(path), pattern));

const names: [name: string, pattern: string][] = [
  ['q', 'q'], ['items[3].name', 'items[*].name'], ['a[1][22]', 'a[*][*]'], ['rows.0.text', 'rows.*.text'], ['p2', 'p2'],
];
for (const [name, pattern] of names) test(`name ${name}`, () => assert.equal(name_pattern(name), pattern));

test('a path that is not there whole is not named', () => {
  assert.ok(!nameable_path('/a\u2026[cut 7]'));
  assert.ok(!nameable_path('/a\\xff'));
  assert.ok(nameable_path('/a'));
});

test('the draft comes from the finding that decided', () => {
  const record = { host: 'shop.example.', urlpath: '/user/9', req_location: 'query', req_rule_id: 'r/0' };
  const findings = [{ rule_id: 'r/1', location: 'header', name: 'X' }, { rule_id: 'r/2', location: 'body', name: 'items[0].a' }];
  const draft = draft_from({ seq: 1, record, detail: { weightiest: 1, findings } } as never);
  assert.deepEqual([draft.host, draft.path, draft.location, draft.name, draft.rule_id], ['shop.example', '/user/*', 'body', 'items[*].a', 'r/2']);
  assert.equal(draft_from({ seq: 1, record, detail: {} } as never).rule_id, 'r/0');
});
