import { call, with_parameters } from './client';
import type { QueryField } from '../lib/complete';
import type { Counts, EventDetail, EventPage, Histogram, TopList } from './types';

// The parameters that list, histogram, top lists, export and tail share.
export interface Selection {
  q: string;
  from?: number;
  to?: number;
}

// Searches of this tab: a newer one ends the one before, also on the server.
const tab = crypto.randomUUID();

export const events_api = {
  page: (s: Selection, limit: number, before: number | string | null, signal?: AbortSignal) =>
    call<EventPage>('GET', with_parameters('/events', { ...s, limit, before, tab }), signal ? { signal } : {}),
  one: (id: string, signal?: AbortSignal) => call<EventDetail>('GET', `/events/${encodeURIComponent(id)}`, signal ? { signal } : {}),
  unmask: (id: string) => call<EventDetail>('POST', `/events/${encodeURIComponent(id)}/unmask`),
  histogram: (s: Selection, buckets: number, signal?: AbortSignal) =>
    call<Histogram>('GET', with_parameters('/events/histogram', { ...s, buckets }), signal ? { signal } : {}),
  counts: (s: Selection, buckets: number, top: string[], values: number, signal?: AbortSignal) =>
    call<Counts>('GET', with_parameters('/events/counts', { ...s, buckets, top: top.join(','), values, tab }), signal ? { signal } : {}),
  syslog: (id: string, target?: string) => call<{ message: string }>('GET', with_parameters(`/events/${encodeURIComponent(id)}/syslog`, { target })),
  fields: () => call<{ fields: QueryField[] }>('GET', '/events/fields').then((a) => a.fields),
  top: (field: string, s: Selection, limit: number, signal?: AbortSignal) =>
    call<TopList>('GET', with_parameters('/events/top', { field, ...s, limit }), signal ? { signal } : {}),
  export_address: (format: 'ndjson' | 'csv', s: Selection) => `/api/v1${with_parameters('/events/export', { format, ...s })}`,
  stream_address: (q: string, after?: number) => `/api/v1${with_parameters('/events/stream', { q, after })}`,
};
