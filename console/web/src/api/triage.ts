// Triage, pins and saved views; and events in groups.
import { call, with_parameters } from './client';
import type { Selection } from './events';
import type { AttackRecord, Risk } from './types';

export type State = 'open' | 'closed';
export type Label = '' | 'true_positive' | 'false_positive';

export interface Mark {
  event_id: string;
  state: State;
  label: Label;
  note: string;
  by: string;
  at_ms: number | null;
  pinned: boolean;
}

export interface Pin {
  event_id: string;
  by: string;
  at_ms: number;
  seq: number;
  record: AttackRecord;
}

export interface SavedView {
  id: string;
  name: string;
  query: string;
  shared: boolean;
  owner: string;
  mine: boolean;
}

export type GroupBy = 'sources' | 'attackers' | 'tuning';

export interface Group {
  rule: string;
  host: string;
  src?: string;
  country?: string;
  path?: string;
  name?: string;
  type: string;
  risk: Risk;
  count: number;
  deny: number;
  monitor: number;
  allow: number;
  first_ms: number;
  last_ms: number;
  sources: number;
  attacks: number;  // pairs of rule and host
  days: number;
  other_rules: number;
  event_id: string;
}

export interface Groups {
  by: GroupBy;
  total: number;
  distinct: number;
  unread: number;  // matches that are not counted yet; asking again counts more
  groups: Group[];
}

const max_ids = 200;  // of one address

export const triage_api = {
  marks: (ids: string[], signal?: AbortSignal) =>
    call<{ marks: Mark[] }>('GET', `/triage?events=${ids.slice(0, max_ids).join(',')}`, signal ? { signal } : {}).then((a) => a.marks),
  set_marks: (ids: string[], change: { state?: State; label?: Label; note?: string }) =>
    call<{ marks: Mark[] }>('POST', '/triage', { body: { events: ids, ...change } }).then((a) => a.marks),
  pins: () => call<{ pins: Pin[] }>('GET', '/pins').then((a) => a.pins),
  pin: (id: string) => call<Pin>('PUT', `/pins/${encodeURIComponent(id)}`),
  unpin: (id: string) => call<void>('DELETE', `/pins/${encodeURIComponent(id)}`),
  views: () => call<{ views: SavedView[] }>('GET', '/views').then((a) => a.views),
  add_view: (view: { name: string; query: string; shared: boolean }) => call<SavedView>('POST', '/views', { body: view }),
  remove_view: (id: string) => call<void>('DELETE', `/views/${encodeURIComponent(id)}`),
  groups: (by: GroupBy, s: Selection, signal: AbortSignal) =>
    call<Groups>('GET', with_parameters('/events/groups', { by, ...s, limit: 200 }), { signal }),
};
