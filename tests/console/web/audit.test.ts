import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences } from '../../../console/web/src/lib/audit';

test('of a change only what differs is told, member by member', () => {
  assert.equal(differences({ role: 'viewer' }), undefined);
  assert.equal(differences({ before: null, after: {} }), undefined);
  assert.deepEqual(differences({ before: { a: 1, b: [1] }, after: { a: 1, b: [1] } }), []);
  assert.deepEqual(differences({ before: { name: 'a', tls: { verify: true, ca: 'x' }, old: 1 }, after: { name: 'b', tls: { verify: false, ca: 'x' }, fresh: [2] } }), [
    { member: 'name', before: 'a', after: 'b' }, { member: 'tls.verify', before: true, after: false },
    { member: 'old', before: 1, after: undefined }, { member: 'fresh', before: undefined, after: [2] },
  ]);
});
