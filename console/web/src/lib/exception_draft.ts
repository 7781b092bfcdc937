// The exception that is proposed for an event. Pure.
import type { EventDetail } from '../api/types';

export interface ExceptionDraft {
  host: string;
  path: string;
  location: string;
  name: string;
  rule_id: string;
  attack_type: string | null;
  comment: string;
  expires_s: number;
}

// A path segment that tells one thing from another of its kind: a number, a date, an id, a long mixed word.
function is_variable(segment: string): boolean {
  if (/^\d+$/.test(segment) || /^\d{4}-\d\d(-\d\d)?$/.test(segment)) return true;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(segment)) return true;
  if (/^[0-9a-f]{16,}$/i.test(segment)) return true;
  return segment.length >= 16 && /\d/.test(segment) && /[a-z]/i.test(segment) && !/[.]/.test(segment);
}

// "/user/17/edit" -> "/user/*/edit".
export function path_pattern(path: string): string {
  return path.split('/').map((segment) => (is_variable(segment) ? '*' : segment)).join('/');
}

// "items[3].name" -> "items[*].name".
export function name_pattern(name: string): string {
  return name.replace(/\[\d+\]/g, '[*]').replace(/(^|\.)\d+(?=\.|$)/g, '$1*');
}

// As hosts are compared: without the dot at the end of a name's absolute form.
export function host_pattern(host: string): string {
  return host.replace(/\.$/, '');
}

// A path that was cut, or that holds bytes which are written as \xnn, cannot be named whole.
export function nameable_path(path: string): boolean {
  return path !== '' && !/\u2026\[cut \d+\]$/.test(path) && !/\\x[0-9a-f]{2}/.test(path);
}

// The finding that decided: its place, name and rule. As narrow as the event allows.
export function draft_from(event: EventDetail): ExceptionDraft {
  const { record, detail } = event;
  const finding = detail.findings?.[detail.weightiest ?? 0];
  return {
    host: host_pattern(record.host),
    path: nameable_path(record.urlpath) ? path_pattern(record.urlpath) : '',
    location: finding?.location ?? record.req_location,
    name: finding?.name ? name_pattern(finding.name) : '',
    rule_id: finding?.rule_id ?? record.req_rule_id,
    attack_type: null,
    comment: '',
    expires_s: 0,
  };
}

// The request body: the comment names the event that the exception was made from.
export function body_of(draft: ExceptionDraft, event_id: string): ExceptionDraft {
  const comment = draft.comment.trim();
  return { ...draft, comment: `${comment}${comment ? ' ' : ''}(event ${event_id})` };
}
