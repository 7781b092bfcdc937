import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FindingDetail } from '../../../console/web/src/api/types';
import { by_place, located } from '../../../console/web/src/lib/located';

const finding = (payload: string, location: string, name: string): FindingDetail => ({
  rule_id: 'm_x/1', rule_number: 1, rule_name: 'X', attack_type: 'sqli', risk_level: 'high', location, name, decode_path: '', denies_from: null, reason: '', payload, excerpt: '', masked: false,
});

test('each finding knows its mark; findings that overlap share one', () => {
  const record = { req_header_raw: "GET /a?id=1' OR '1'='1&q=<script> HTTP/1.1", body: 'note=UNION SELECT' };
  const found = located(record, [finding("1' OR", 'query', 'id'), finding("OR '1'='1", 'query', 'id'), finding('<script>', 'query', 'q'), finding('UNION SELECT', 'body', 'note'), finding('hidden', 'query', 'z')]);
  assert.deepEqual(found.mark_of, ['head-0', 'head-0', 'head-1', 'body-0', undefined]);
  assert.deepEqual([found.head.length, found.body.length], [2, 1]);
  assert.equal(record.req_header_raw.slice(found.head[0]?.begin, found.head[0]?.end), "1' OR '1'='1");
});

test('findings by parameter: the weightiest comes first', () => {
  const places = by_place([finding('a', 'query', 'id'), finding('b', 'body', 'x'), finding('c', 'query', 'id'), finding('d', 'body', 'x')], 3);
  assert.deepEqual(places, [{ location: 'body', name: 'x', findings: [3, 1] }, { location: 'query', name: 'id', findings: [0, 2] }]);
});
