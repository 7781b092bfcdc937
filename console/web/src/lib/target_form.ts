// The form of a syslog target: what was typed, as text, so that nothing is lost; and the object made of it.
import type { Target, Transport } from '../api/types';

export interface TargetDraft {
  name: string;
  enabled: boolean;
  host: string;
  transport: Transport;
  port: string;
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
}

export const default_ports: Record<Transport, string> = { udp: '514', tcp: '601', tls: '6514', relp: '2514', kafka: '9092' };
export const default_max: Record<Transport, string> = { udp: '8192', tcp: '65536', tls: '65536', relp: '65536', kafka: '65536' };

export const new_draft: TargetDraft = {
  name: '', enabled: true, host: '', transport: 'udp', port: '514', header: 'rfc5424', content: 'json', framing: 'octet_counting', facility: '3',
  severity: 'by_risk', app_name: 'wafd', hostname: '', filter: 'action:deny,monitor', streams: ['event'], request_detail: 'full',
  max_message_bytes: '', time_precision: '3', bom: false, sequence_id: false, rate_limit: '0', wait_for_report_ms: '0', source_address: '',
};

export function draft_of(target: Target): TargetDraft {
  const draft: Record<string, unknown> = { ...new_draft };
  for (const name of Object.keys(new_draft)) {
    const value = target[name];
    if (value === undefined) continue;
    draft[name] = typeof value === 'number' ? String(value) : value;
  }
  return draft as unknown as TargetDraft;
}

// Port and size follow the transport until they are edited.
export function with_transport(draft: TargetDraft, transport: Transport): TargetDraft {
  const port = draft.port === default_ports[draft.transport] || draft.port === '' ? default_ports[transport] : draft.port;
  const max = draft.max_message_bytes === default_max[draft.transport] ? default_max[transport] : draft.max_message_bytes;
  return { ...draft, transport, port, max_message_bytes: max };
}

// What is no number goes to the server as it was typed: its words say what it expected.
function number_or_text(text: string): number | string {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
}

// `stored` keeps the members that the form does not show.
export function target_of(draft: TargetDraft, stored?: Target): Record<string, unknown> {
  const { id: _id, etag: _etag, status: _status, ...kept } = stored ?? ({} as Partial<Target>);
  const out: Record<string, unknown> = { ...kept, ...draft, host: draft.host.trim() };
  out.name = draft.name.trim() || `${draft.host.trim()}:${draft.port}`.slice(0, 64);
  for (const name of ['port', 'facility', 'rate_limit', 'wait_for_report_ms', 'time_precision'] as const) out[name] = number_or_text(draft[name]);
  out.severity = draft.severity === 'by_risk' ? 'by_risk' : number_or_text(draft.severity);
  if (draft.max_message_bytes.trim() === '') delete out.max_message_bytes;
  else out.max_message_bytes = number_or_text(draft.max_message_bytes);
  return out;
}

// For the preview: wrong numbers fall back to the defaults.
export function preview_target(draft: TargetDraft): Target {
  const number = (text: string, fallback: number): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : fallback);
  return {
    ...draft,
    header: draft.header as Target['header'],
    content: draft.content as Target['content'],
    framing: draft.framing as Target['framing'],
    request_detail: draft.request_detail as Target['request_detail'],
    port: number(draft.port, 514),
    facility: Math.min(23, number(draft.facility, 3)),
    severity: draft.severity === 'by_risk' ? 'by_risk' : Math.min(7, number(draft.severity, 6)),
    max_message_bytes: number(draft.max_message_bytes, Number(default_max[draft.transport])),
    time_precision: draft.time_precision === '6' ? 6 : 3,
    rate_limit: number(draft.rate_limit, 0),
    wait_for_report_ms: number(draft.wait_for_report_ms, 0),
  };
}
