// The form of a syslog target: what was typed, as text, so that nothing is lost; and the object made of it.
import type { Preset, Target, Transport } from '../api/types';

export interface TargetDraft {
  preset: string;  // of the page alone: which receiver's settings were taken over last
  name: string;
  enabled: boolean;
  host: string;
  transport: Transport;
  port: string;
  backups: string;  // one HOST or HOST:PORT a line
  header: string;
  content: string;
  framing: string;
  facility: string;
  severity: string;
  app_name: string;
  hostname: string;
  filter: string;
  streams: string[];
  request_detail: string;
  max_message_bytes: string;  // empty: the default of the transport
  time_precision: string;
  bom: boolean;
  sequence_id: boolean;
  rate_limit: string;
  wait_for_report_ms: string;
  source_address: string;
  tls: TlsDraft;
  kafka: KafkaDraft;
  postgresql: PostgresDraft;
}

export interface TlsDraft {
  enabled: boolean;  // of RELP, Kafka and PostgreSQL; TLS is always, UDP and TCP never encrypted
  verify: boolean;
  ca: string;
  server_name: string;
  fingerprint_sha256: string;
  min_version: string;
  certificate: string;
  key: string;  // empty: the stored one stays
  key_set: boolean;
}

export interface KafkaDraft {
  topic: string;
  compression: string;
  mechanism: string;  // empty: no login
  username: string;
  password: string;  // empty: the stored one stays
  password_set: boolean;
}

export interface PostgresDraft {
  database: string;
  user: string;
  password: string;  // empty: the stored one stays
  password_set: boolean;
  keep_days: string;
  keep_gib: string;
}

export const default_ports: Record<Transport, string> = { udp: '514', tcp: '601', tls: '6514', relp: '2514', kafka: '9092', postgresql: '5432' };
export const default_max: Record<Transport, string> = { udp: '8192', tcp: '65536', tls: '65536', relp: '65536', kafka: '65536', postgresql: '1048576' };

export const new_draft: TargetDraft = {
  preset: '', name: '', enabled: true, host: '', transport: 'udp', port: '514', backups: '', header: 'rfc5424', content: 'json', framing: 'octet_counting',
  facility: '3', severity: 'by_risk', app_name: 'wafd', hostname: '', filter: 'action:deny,monitor', streams: ['event'], request_detail: 'full',
  max_message_bytes: '', time_precision: '3', bom: false, sequence_id: false, rate_limit: '0', wait_for_report_ms: '0', source_address: '',
  tls: { enabled: false, verify: true, ca: '', server_name: '', fingerprint_sha256: '', min_version: '1.2', certificate: '', key: '', key_set: false },
  kafka: { topic: '', compression: 'none', mechanism: '', username: '', password: '', password_set: false },
  postgresql: { database: '', user: '', password: '', password_set: false, keep_days: '0', keep_gib: '0' },
};

// Members that are the same in target and draft, but for numbers being text.
const plain = ['name', 'enabled', 'host', 'transport', 'port', 'header', 'content', 'framing', 'facility', 'severity', 'app_name', 'hostname', 'filter', 'streams',
  'request_detail', 'max_message_bytes', 'time_precision', 'bom', 'sequence_id', 'rate_limit', 'wait_for_report_ms', 'source_address'] as const;

type Members = Record<string, unknown>;

function taken(draft: Members, from: Members, names: readonly string[]): Members {
  const out = { ...draft };
  for (const name of names) {
    const value = from[name];
    if (value !== undefined && value !== null) out[name] = typeof value === 'number' ? String(value) : value;
  }
  return out;
}

// An IPv6 address stands in brackets before its port.
function backup_line(backup: { host: string; port: number }): string {
  return `${backup.host.includes(':') ? `[${backup.host}]` : backup.host}:${backup.port}`;
}

export function draft_of(target: Target): TargetDraft {
  const draft = taken(new_draft as unknown as Members, target, plain) as unknown as TargetDraft;
  const tls = taken(new_draft.tls as unknown as Members, (target.tls ?? {}) as Members, Object.keys(new_draft.tls)) as unknown as TlsDraft;
  const kafka_members = (target.kafka ?? {}) as Members;
  const sasl = (kafka_members.sasl ?? {}) as Members;
  const kafka = taken(new_draft.kafka as unknown as Members, { ...kafka_members, ...sasl }, Object.keys(new_draft.kafka)) as unknown as KafkaDraft;
  const postgresql = taken(new_draft.postgresql as unknown as Members, (target.postgresql ?? {}) as Members, Object.keys(new_draft.postgresql)) as unknown as PostgresDraft;
  return { ...draft, backups: (target.backups ?? []).map(backup_line).join('\n'), tls, kafka, postgresql };
}

// Port and size follow the transport until they are edited, encryption where it is the rule.
export function with_transport(draft: TargetDraft, transport: Transport): TargetDraft {
  const port = draft.port === default_ports[draft.transport] || draft.port === '' ? default_ports[transport] : draft.port;
  const max = draft.max_message_bytes === default_max[draft.transport] ? default_max[transport] : draft.max_message_bytes;
  // A database is not written to in the clear unless somebody says so.
  const tls = transport === 'postgresql' && draft.transport !== 'postgresql' ? { ...draft.tls, enabled: true } : draft.tls;
  return { ...draft, transport, port, max_message_bytes: max, tls };
}

// Everything that a receiver depends on, together; host, name, filter and secrets stay.
export function with_preset(draft: TargetDraft, preset: Preset): TargetDraft {
  return { ...(taken(draft as unknown as Members, preset.settings, plain) as unknown as TargetDraft), preset: preset.id };
}

// A text that is no number goes to the server as it was typed: the answer says what was expected.
function number_or_text(text: string): number | string {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
}

// "HOST", "HOST:PORT", "[IPv6]:PORT" or an IPv6 address alone.
export function backup_of(line: string): { host: string; port?: number | string } {
  const text = line.trim();
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  if (bracketed) return { host: bracketed[1] ?? '', ...(bracketed[2] !== undefined ? { port: number_or_text(bracketed[2]) } : {}) };
  const parts = text.split(':');
  return parts.length === 2 ? { host: parts[0] ?? '', port: number_or_text(parts[1] ?? '') } : { host: text };
}

export const may_encrypt = (transport: Transport): boolean => transport === 'relp' || transport === 'kafka' || transport === 'postgresql';
export const encrypted = (draft: TargetDraft): boolean => draft.transport === 'tls' || (may_encrypt(draft.transport) && draft.tls.enabled);

function tls_of(draft: TargetDraft, stored: Members): Members {
  const { key_set: _told, ...kept } = stored;
  // Members that the transport's library does not support are sent as their defaults.
  const fixed = draft.transport === 'kafka' ? { server_name: '', min_version: '1.2' } : draft.transport === 'postgresql' ? { fingerprint_sha256: '' } : {};
  if (!encrypted(draft)) return { ...kept, enabled: false, ...fixed };
  const { key, key_set: _set, ...shown } = draft.tls;
  const no_client = draft.tls.certificate.trim() === '';
  return { ...shown, ...fixed, enabled: true, ...(key.trim() !== '' ? { key } : no_client ? { key: '' } : {}) };
}

function kafka_of(draft: TargetDraft, stored: Members): Members {
  if (draft.transport !== 'kafka') return stored;
  const { topic, compression, mechanism, username, password } = draft.kafka;
  const sasl = mechanism ? { sasl: { mechanism, username, ...(password ? { password } : {}) } } : {};
  return { topic: topic.trim(), compression, ...sasl };
}

function postgres_of(draft: TargetDraft, stored: Members): Members {
  const { password_set: _told, ...kept } = stored;
  if (draft.transport !== 'postgresql') return kept;
  const { database, user, password, keep_days, keep_gib } = draft.postgresql;
  return { database: database.trim(), user: user.trim(), keep_days: number_or_text(keep_days), keep_gib: number_or_text(keep_gib), ...(password ? { password } : {}) };
}

export function target_of(draft: TargetDraft, stored?: Target): Members {
  const host = draft.host.trim();
  const out: Members = Object.fromEntries(plain.map((name) => [name, draft[name]]));
  out.host = host;
  out.name = draft.name.trim() || `${host}:${draft.port}`.slice(0, 64);
  out.backups = draft.backups.split('\n').filter((line) => line.trim() !== '').map(backup_of);
  for (const name of ['port', 'facility', 'rate_limit', 'wait_for_report_ms', 'time_precision'] as const) out[name] = number_or_text(draft[name]);
  out.severity = draft.severity === 'by_risk' ? 'by_risk' : number_or_text(draft.severity);
  if (draft.max_message_bytes.trim() === '') delete out.max_message_bytes;
  else out.max_message_bytes = number_or_text(draft.max_message_bytes);
  out.tls = tls_of(draft, (stored?.tls ?? {}) as Members);
  out.kafka = kafka_of(draft, (stored?.kafka ?? {}) as Members);
  out.postgresql = postgres_of(draft, (stored?.postgresql ?? {}) as Members);
  if (draft.transport === 'postgresql') out.source_address = '';
  return out;
}
