import assert from 'node:assert/strict';
import test from 'node:test';
import type { Preset, Target } from '../../../console/web/src/api/types';
import { backup_of, draft_of, encrypted, new_draft, target_of, with_preset, with_transport } from '../../../console/web/src/lib/target_form';

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
  assert.equal('preset' in made, false);
  assert.deepEqual([made.backups, made.tls, made.kafka], [[], { enabled: false }, {}]);
  assert.equal(target_of({ ...new_draft, port: '5x' }).port, '5x');
});

const backups: [line: string, expected: object][] = [
  ['siem-2.example', { host: 'siem-2.example' }],
  [' siem-2.example:6514 ', { host: 'siem-2.example', port: 6514 }],
  ['[2001:db8::1]:601', { host: '2001:db8::1', port: 601 }],
  ['[2001:db8::1]', { host: '2001:db8::1' }],
  ['2001:db8::1', { host: '2001:db8::1' }],
  ['siem:many', { host: 'siem', port: 'many' }],
];
for (const [line, expected] of backups) test(`backup: ${line}`, () => assert.deepEqual(backup_of(line), expected));

const stored = {
  ...target_of({ ...new_draft, host: 'siem.example', transport: 'tls', port: '6514', backups: 'b.example:1\n[::1]:2' }),
  id: 'abcdefgh', etag: '"x"', max_message_bytes: 65536,
  tls: { enabled: true, verify: true, ca: 'file:/ca.pem', server_name: '', fingerprint_sha256: '', min_version: '1.3', certificate: 'file:/c.pem', key_set: true },
} as unknown as Target;

test('what is stored, opened and saved unchanged is the same', () => {
  const draft = draft_of(stored);
  assert.equal(draft.backups, 'b.example:1\n[::1]:2');
  const { tls, backups: lines, max_message_bytes, ...rest } = target_of(draft, stored);
  const { id: _id, etag: _etag, tls: _tls, backups: stored_lines, max_message_bytes: stored_max, ...expected } = stored;
  assert.deepEqual(rest, expected);
  assert.deepEqual(lines, stored_lines);
  assert.equal(max_message_bytes, stored_max);
  assert.deepEqual(tls, { enabled: true, verify: true, ca: 'file:/ca.pem', server_name: '', fingerprint_sha256: '', min_version: '1.3', certificate: 'file:/c.pem' });
});

test('a key is sent when typed, kept when empty, removed with its certificate', () => {
  const draft = draft_of(stored);
  const key_of = (patch: object): unknown => (target_of({ ...draft, tls: { ...draft.tls, ...patch } }, stored).tls as { key?: string }).key;
  assert.equal(key_of({ key: 'file:/k.pem' }), 'file:/k.pem');
  assert.equal(key_of({}), undefined);
  assert.equal(key_of({ certificate: '' }), '');
});

test('encryption belongs to the transport; Kafka has neither server name nor minimum', () => {
  const tls = { ...new_draft.tls, enabled: true, server_name: 'x.example', min_version: '1.3', ca: 'file:/ca.pem' };
  const of = (transport: 'udp' | 'tcp' | 'tls' | 'relp' | 'kafka') => target_of({ ...new_draft, host: 'h', transport, tls }).tls as Record<string, unknown>;
  assert.deepEqual(of('tcp'), { enabled: false });
  assert.equal(of('relp').server_name, 'x.example');
  assert.deepEqual([of('kafka').enabled, of('kafka').server_name, of('kafka').min_version, of('kafka').ca], [true, '', '1.2', 'file:/ca.pem']);
  assert.equal(encrypted({ ...new_draft, transport: 'tls' }), true);
  assert.equal(encrypted({ ...new_draft, transport: 'relp' }), false);
});

test('Kafka: topic, compression, and a login only if there is one', () => {
  const kafka = { ...new_draft.kafka, topic: ' waf ', compression: 'zstd' };
  const of = (patch: object) => target_of({ ...new_draft, host: 'h', transport: 'kafka', kafka: { ...kafka, ...patch } }).kafka;
  assert.deepEqual(of({}), { topic: 'waf', compression: 'zstd' });
  assert.deepEqual(of({ mechanism: 'PLAIN', username: 'u' }), { topic: 'waf', compression: 'zstd', sasl: { mechanism: 'PLAIN', username: 'u' } });
  assert.deepEqual(of({ mechanism: 'PLAIN', username: 'u', password: 'p' }), { topic: 'waf', compression: 'zstd', sasl: { mechanism: 'PLAIN', username: 'u', password: 'p' } });
});

test('PostgreSQL: encrypted unless somebody says otherwise; a password only if typed; nothing that its library cannot do', () => {
  const chosen = with_transport({ ...new_draft, host: 'db.example', source_address: '192.0.2.1' }, 'postgresql');
  assert.deepEqual([chosen.port, chosen.tls.enabled, encrypted(chosen)], ['5432', true, true]);
  const postgresql = { ...new_draft.postgresql, database: ' waf ', user: 'wafd_node', keep_days: '90' };
  const of = (patch: object) => target_of({ ...chosen, tls: { ...chosen.tls, fingerprint_sha256: 'ab' }, postgresql: { ...postgresql, ...patch } });
  assert.deepEqual(of({}).postgresql, { database: 'waf', user: 'wafd_node', keep_days: 90, keep_gib: 0 });
  assert.deepEqual(of({ password: 'p' }).postgresql, { database: 'waf', user: 'wafd_node', keep_days: 90, keep_gib: 0, password: 'p' });
  assert.deepEqual([of({}).source_address, (of({}).tls as Record<string, unknown>).fingerprint_sha256], ['', '']);
  const stored_one = { ...of({}), id: 'abcdefgh', postgresql: { database: 'waf', user: 'wafd_node', keep_days: 90, keep_gib: 0, password_set: true } } as unknown as Target;
  assert.deepEqual(target_of(draft_of(stored_one), stored_one).postgresql, { database: 'waf', user: 'wafd_node', keep_days: 90, keep_gib: 0 });
  assert.equal(draft_of(stored_one).postgresql.password_set, true);
});

test('a preset sets what the receiver depends on and leaves the rest', () => {
  const preset = { id: 'wazuh', name: 'Wazuh', about: '', files: [], settings: { transport: 'tcp', port: 514, header: 'rfc3164', framing: 'lf', max_message_bytes: 60000 } } as Preset;
  const draft = with_preset({ ...new_draft, host: 'wazuh.example', filter: 'risk:high' }, preset);
  assert.deepEqual([draft.preset, draft.transport, draft.port, draft.header, draft.framing, draft.max_message_bytes], ['wazuh', 'tcp', '514', 'rfc3164', 'lf', '60000']);
  assert.deepEqual([draft.host, draft.filter], ['wazuh.example', 'risk:high']);
});
