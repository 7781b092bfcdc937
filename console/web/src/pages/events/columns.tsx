// The columns that the list can show: how wide, what is in a cell, which query field its value stands for.
import type { ComponentChildren } from 'preact';
import { clock_text, date_text, full_time_text } from '../../lib/format';
import { load, save } from '../../state/prefs';
import { attack_words, t } from '../../text';
import { Address } from '../../ui/address';
import { ActionBadge, RiskBadge } from '../../ui/badge';
import { Hostile } from '../../ui/hostile';
import type { Row } from './rows';

export interface Column {
  id: string;
  width: string;  // a grid track
  field?: string; // in the query language
  value: (row: Row) => string;
  draw?: (row: Row) => ComponentChildren;
  mono?: boolean;
}

export const columns: Column[] = [
  { id: 'time', width: '126px', value: (r) => String(r.time_ms), draw: (r) => <TimeCell ms={r.time_ms} /> },
  { id: 'action', width: '146px', field: 'action', value: (r) => r.action, draw: (r) => <ActionBadge action={r.action} /> },
  { id: 'type', width: 'minmax(118px, 1.2fr)', field: 'type', value: (r) => r.type, draw: (r) => attack_words(r.type) },
  { id: 'risk', width: '88px', field: 'risk', value: (r) => r.risk, draw: (r) => <RiskBadge risk={r.risk} /> },
  { id: 'src', width: 'minmax(124px, 0.7fr)', field: 'src', value: (r) => r.src, draw: (r) => <Address text={r.src} />, mono: true },
  { id: 'country', width: '72px', field: 'country', value: (r) => r.country },
  { id: 'province', width: 'minmax(96px, 0.6fr)', field: 'province', value: (r) => r.province },
  { id: 'city', width: 'minmax(96px, 0.6fr)', field: 'city', value: (r) => r.city },
  { id: 'method', width: '72px', field: 'method', value: (r) => r.method, mono: true },
  { id: 'host', width: 'minmax(104px, 1.1fr)', field: 'host', value: (r) => r.host },
  { id: 'path', width: 'minmax(130px, 1.7fr)', field: 'path', value: (r) => r.path, mono: true },
  { id: 'location', width: '116px', field: 'location', value: (r) => r.location, draw: (r) => t.place[r.location] ?? r.location },
  { id: 'payload', width: 'minmax(112px, 1.4fr)', value: (r) => r.payload, mono: true },
  { id: 'decode', width: 'minmax(110px, 0.8fr)', value: (r) => r.decode, mono: true },
  { id: 'rule', width: 'minmax(140px, 1fr)', field: 'rule', value: (r) => r.rule, mono: true },
  { id: 'site', width: '72px', field: 'site', value: (r) => r.site },
  { id: 'ua', width: 'minmax(140px, 1fr)', field: 'ua', value: (r) => r.ua },
  { id: 'node', width: '110px', field: 'node', value: (r) => r.node },
  { id: 'took', width: '92px', value: (r) => `${r.took_us} µs` },
  { id: 'id', width: '290px', field: 'id', value: (r) => r.id, mono: true },
];

// What is left of them while an event is open beside the list, and how little room each needs.
export const narrow_columns: Record<string, string> = { time: '120px', action: '142px', type: 'minmax(104px, 0.8fr)', src: 'minmax(124px, 0.7fr)', path: 'minmax(112px, 1.4fr)' };

const default_columns = ['time', 'action', 'type', 'risk', 'src', 'host', 'path', 'payload'];
const known = new Set(columns.map((c) => c.id));

function is_choice(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'string' && known.has(id));
}

export function stored_columns(): string[] {
  return load('columns', default_columns, is_choice);
}

// The columns that nobody chose: where room is short some of them give way.
export function are_default(ids: string[]): boolean {
  return ids.join() === default_columns.join();
}

export function store_columns(ids: string[] | undefined): string[] {
  const chosen = ids ?? default_columns;
  save('columns', chosen);
  return chosen;
}

// The least pixels a row needs.
export function least_width(shown: Column[]): number {
  return shown.reduce((sum, column) => sum + Number(/\d+/.exec(column.width)?.[0] ?? 0), 24);
}

// What a click on a cell filters for; a path's query string is no part of the field.
export function filter_value(column: Column, row: Row): string {
  const value = column.value(row);
  return column.id === 'path' ? (value.split('?')[0] as string) : value;
}

// Today's events show the clock alone beside a short date, so that the eye finds the change of a day.
function TimeCell({ ms }: { ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={full_time_text(ms)} class="time-cell">
      <span class="muted">{date_text(ms).slice(5)}</span> {clock_text(ms)}
    </time>
  );
}

export function cell_content(column: Column, row: Row): ComponentChildren {
  return column.draw ? column.draw(row) : <Hostile text={column.value(row)} title />;
}
