import assert from 'node:assert/strict';
import test from 'node:test';
import { sample_record } from '../../../console/web/src/lib/sample_record';
import { header_text, preview, rfc3339, zone_offset } from '../../../console/web/src/lib/syslog_preview';
import { new_draft, preview_target, target_of, with_transport } from '../../../console/web/src/lib/target_form';

const record = { ...sample_record('node-1', 1_700_000_000_123), timestamp_human: '2023-11-14 23:13:20' };
const target = preview_target({ ...new_draft, host: 'siem.example' });

test('the sample has the 58 members', () => assert.equal(Object.keys(record).length, 58));

const headers: [name: string, patch: object, expected: string][] = [
  ['defaults', {}, '<26>1 2023-11-14T23:13:20.123+01:00 node-1 wafd 1 waf_event - {"scheme":"https"'],
  ['fixed severity and facility', { severity: 6, facility: 16 }, '<134>1 2023-11-14T23:13:20.123+01:00 node-1 wafd 1 waf_event - {'],
  ['six digits, names of its own', { time_precision: 6, hostname: 'ho st', app_name: 'app' }, '<26>1 2023-11-14T23:13:20.123000+01:00 ho_st app 1 waf_event - {'],
  ['sequence number', { sequence_id: true }, '<26>1 2023-11-14T23:13:20.123+01:00 node-1 wafd 1 waf_event [meta sequenceId="1"] {'],
  ['RFC 3164', { header: 'rfc3164' }, '<26>Nov 14 23:13:20 node-1 wafd[1]: {'],
];
for (const [name, patch, expected] of headers) {
  test(`preview: ${name}`, () => {
    const { text, octets } = preview({ ...target, ...patch }, record, 'node-1', 1_700_000_000_123);
    assert.equal(text.slice(0, expected.length), expected);
    assert.equal(octets, Buffer.byteLength(text));
  });
}

test('preview: octet counting counts the message alone', () => {
  const { text, octets } = preview({ ...target, transport: 'tcp' }, record, 'node-1', 0);
  assert.equal(text.slice(0, text.indexOf(' ')), String(octets));
  assert.equal(Buffer.byteLength(text), octets + String(octets).length + 1);
});

test('times and names', () => {
  assert.equal(rfc3339(0, 3, -210), '1969-12-31T20:30:00.000-03:30');
  assert.equal(zone_offset('1970-01-01 05:30:00', 0), 330);
  assert.equal(header_text('', 10), '-');
});

test('port and size follow the transport until they are edited', () => {
  assert.equal(with_transport(new_draft, 'tcp').port, '601');
  assert.equal(with_transport({ ...new_draft, port: '5514' }, 'tcp').port, '5514');
  assert.equal(with_transport({ ...new_draft, max_message_bytes: '8192' }, 'tcp').max_message_bytes, '65536');
  assert.equal(with_transport({ ...new_draft, max_message_bytes: '4000' }, 'tcp').max_message_bytes, '4000');
});

test('host alone makes a whole target; what is no number is sent as typed', () => {
  const made = target_of({ ...new_draft, host: ' siem.example ' });
  assert.equal(made.host, 'siem.example');
  assert.equal(made.name, 'siem.example:514');
  assert.equal(made.port, 514);
  assert.equal('max_message_bytes' in made, false);
  assert.equal(target_of({ ...new_draft, port: '5x' }).port, '5x');
});
