// A message as a target would get it, for the preview of the form. The server makes the real ones; this follows the same
// rules (RFC 5424 section 6, RFC 3164 section 4) for JSON content.
import type { AttackRecord, Risk, Target } from '../api/types';

const by_risk: Record<Risk, number> = { high: 2, medium: 4, low: 5 };
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number): string => String(n).padStart(2, '0');

// What SYSLOG headers may hold: PRINTUSASCII; anything else is replaced.
export function header_text(text: string, max: number): string {
  const out = [...text].map((c) => (c > ' ' && c <= '~' ? c : '_')).join('').slice(0, max);
  return out || '-';
}

export function rfc3339(ms: number, precision: 3 | 6, offset_minutes: number): string {
  const d = new Date(ms + offset_minutes * 60_000);
  const date = `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`;
  const clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
  const fraction = String(((ms % 1000) + 1000) % 1000).padStart(3, '0') + (precision === 6 ? '000' : '');
  const sign = offset_minutes < 0 ? '-' : '+';
  const offset = Math.abs(offset_minutes);
  return `${date}T${clock}.${fraction}${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
}

function rfc3164_time(ms: number, offset_minutes: number): string {
  const d = new Date(ms + offset_minutes * 60_000);
  return `${months[d.getUTCMonth()]} ${String(d.getUTCDate()).padStart(2, ' ')} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
}

// "YYYY-MM-DD HH:MM:SS" in the zone of the server, against the same instant: minutes east of Greenwich.
export function zone_offset(human: string, timestamp_s: number): number {
  const local = Date.parse(`${human.replace(' ', 'T')}Z`);
  return Number.isNaN(local) ? 0 : Math.round((local / 1000 - timestamp_s) / 60);
}

function without_request(record: AttackRecord, detail: Target['request_detail']): AttackRecord {
  if (detail === 'full') return record;
  if (detail === 'headers') return { ...record, body: '' };
  return { ...record, req_header_raw: '', body: '' };
}

// JSON as the server writes it: DEL, C1, U+2028 and U+2029 escaped too.
export function record_json(record: AttackRecord): string {
  return JSON.stringify(record).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export interface Preview {
  text: string;
  octets: number;  // of the message without framing
}

export function preview(target: Target, record: AttackRecord, node: string, time_ms: number): Preview {
  const severity = target.severity === 'by_risk' ? by_risk[record.risk_level] : target.severity;
  const pri = `<${target.facility * 8 + severity}>`;
  const offset = zone_offset(String(record.timestamp_human ?? ''), record.timestamp);
  const host = header_text(target.hostname || node, 255);
  const app = header_text(target.app_name, 48);
  const sd = target.sequence_id ? '[meta sequenceId="1"]' : '-';
  const header = target.header === 'rfc3164'
    ? `${pri}${rfc3164_time(time_ms, offset)} ${host} ${app}[1]: `
    : `${pri}1 ${rfc3339(time_ms, target.time_precision, offset)} ${host} ${app} 1 waf_event ${sd} ${target.bom ? '\ufeff' : ''}`;
  const message = header + record_json(without_request(record, target.request_detail));
  const octets = new TextEncoder().encode(message).length;
  const framed = target.transport === 'tcp' && target.framing === 'octet_counting' ? `${octets} ${message}` : message;
  return { text: framed, octets };
}
