// A strict reader of RFC 5424 messages and of the attack log record, written against the RFC and the record's
// description alone, not against the daemon's writer.
import assert from 'node:assert/strict';

const HEADER = new RegExp(
  '^<(0|[1-9][0-9]?|1[0-8][0-9]|19[01])>1 ' +
    '(\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,6})?[+-]\\d{2}:\\d{2}) ' +
    '([\\x21-\\x7e]{1,255}) ([\\x21-\\x7e]{1,48}) ([\\x21-\\x7e]{1,128}) ([\\x21-\\x7e]{1,32}) ' +
    '(-|(?:\\[[^ =\\]"]{1,32}(?: [^ =\\]"]{1,32}="(?:[^"\\\\\\]]|\\\\["\\\\\\]])*")*\\])+)(?: ([\\s\\S]*))?$',
);

export function parseSyslog(text) {
  const match = HEADER.exec(text);
  assert.ok(match, `not RFC 5424: ${JSON.stringify(text.slice(0, 200))}`);
  const pri = Number(match[1]);
  return {
    facility: pri >> 3,
    severity: pri & 7,
    timestamp: match[2],
    hostname: match[3],
    appName: match[4],
    procId: match[5],
    msgId: match[6],
    structuredData: match[7],
    message: match[8] ?? '',
  };
}

const S = 'string';
const I = 'integer';
const N = 'integer or null';
// [name, type] in order.
export const MEMBERS = [
  ['scheme', S], ['src_ip', S], ['src_port', I], ['socket_ip', S], ['upstream_addr', S], ['req_start_time', I],
  ['rsp_start_time', N], ['req_end_time', I], ['rsp_end_time', N], ['host', S], ['method', S], ['query_string', S],
  ['event_id', S], ['session', S], ['site_uuid', S], ['site_url', S], ['req_detector_name', S], ['req_detect_time', I],
  ['req_proxy_name', S], ['req_rule_id', S], ['req_location', S], ['req_payload', S], ['req_decode_path', S],
  ['req_rule_module', S], ['req_http_body_is_truncate', I], ['rsp_http_body_is_truncate', I],
  ['req_skynet_rule_id_list', 'integers'], ['http_body_is_abandoned', I], ['country', S], ['province', S], ['city', S],
  ['timestamp', I], ['payload', S], ['location', S], ['rule_id', S], ['decode_path', S], ['cookie', S], ['user_agent', S],
  ['referer', S], ['timestamp_human', S], ['resp_reason_phrase', S], ['module', S], ['reason', S], ['proxy_name', S],
  ['node', S], ['dest_port', I], ['dest_ip', S], ['urlpath', S], ['protocol', S], ['attack_type', S], ['risk_level', S],
  ['action', S], ['req_header_raw', S], ['body', S], ['req_block_reason', S], ['req_attack_type', S],
  ['req_risk_level', S], ['req_action', S],
];

const TWINS = [
  ['payload', 'req_payload'], ['location', 'req_location'], ['rule_id', 'req_rule_id'], ['decode_path', 'req_decode_path'],
  ['module', 'req_rule_module'], ['proxy_name', 'req_proxy_name'], ['protocol', 'scheme'],
  ['req_attack_type', 'attack_type'], ['req_risk_level', 'risk_level'], ['req_action', 'action'],
];

function isOf(type, value) {
  if (type === S) return typeof value === 'string';
  if (type === I) return Number.isInteger(value);
  if (type === N) return value === null || Number.isInteger(value);
  return Array.isArray(value) && value.every(Number.isInteger);
}

// Checks names, order, types, twins and value sets; returns the record.
export function checkRecord(text) {
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/, 'a raw control character in the record');
  const record = JSON.parse(text);
  assert.deepEqual(Object.keys(record), MEMBERS.map(([name]) => name));
  // JSON.parse keeps one of duplicate keys: each must stand once in the text at top level, which the order above and this count say.
  assert.equal(MEMBERS.length, 58);
  for (const [name, type] of MEMBERS) assert.ok(isOf(type, record[name]), `${name}: expected ${type}, got ${JSON.stringify(record[name])}`);
  for (const [twin, original] of TWINS) assert.equal(record[twin], record[original], `${twin} differs from ${original}`);
  assert.match(record.event_id, /^[0-9a-f]{32}$/);
  assert.ok(['deny', 'monitor', 'allow'].includes(record.action), record.action);
  assert.ok(['low', 'medium', 'high'].includes(record.risk_level), record.risk_level);
  assert.match(record.rule_id, /^m_[a-z_]+\/[0-9a-f]{32}$/);
  assert.match(record.timestamp_human, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  return record;
}

// An attack message: header and record.
export function checkAttackMessage(text) {
  const message = parseSyslog(text);
  assert.equal(message.msgId, 'waf_event');
  assert.equal(message.procId, '1');
  return { ...message, record: checkRecord(message.message) };
}
