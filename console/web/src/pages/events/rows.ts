// The part of a record that the list keeps: small, so that a hundred thousand of them cost little.
import type { Action, EventItem, EventPage, FleetAnswer, Risk } from '../../api/types';

export interface Row {
  place: number | string;  // what `before` takes
  id: string;
  time_ms: number;
  action: Action;
  type: string;
  risk: Risk;
  src: string;
  country: string;
  province: string;
  city: string;
  method: string;
  host: string;
  path: string;
  location: string;
  payload: string;
  decode: string;
  rule: string;
  site: string;
  ua: string;
  node: string;
  took_us: number;
}

const max_cell = 240;
const cell = (value: unknown): string => String(value ?? '').slice(0, max_cell);

// The record has the event's time in seconds; milliseconds come from the end of the request if that is the same second.
export function event_time(record: { timestamp: number; [member: string]: unknown }): number {
  const end = Number(record.req_end_time);
  return Math.floor(end / 1000) === record.timestamp ? end : record.timestamp * 1000;
}

export function row_of({ seq, place, record: r }: EventItem): Row {
  return {
    place: place ?? seq,
    id: r.event_id,
    time_ms: event_time(r),
    action: r.action,
    type: r.attack_type,
    risk: r.risk_level,
    src: cell(r.src_ip),
    country: cell(r.country),
    province: cell(r.province),
    city: cell(r.city),
    method: cell(r.method),
    host: cell(r.host),
    path: cell(r.query_string ? `${r.urlpath}?${r.query_string}` : r.urlpath),
    location: cell(r.req_location),
    payload: cell(r.req_payload),
    decode: cell(r.req_decode_path),
    rule: cell(r.req_rule_id),
    site: cell(r.site_uuid),
    ua: cell(r.user_agent),
    node: cell(r.node),
    took_us: Number(r.req_detect_time),
  };
}

export interface Rows {
  rows: Row[];
  before: number | string | null;  // where the next page begins; null: the oldest is here
  end: number;                     // sequences below (in a fleet: what was stored before) were looked at
  fleet: FleetAnswer | undefined;  // of the page read last
}

export const first_rows = (page: EventPage): Rows => ({ rows: page.events.map(row_of), before: page.before, end: page.end, fleet: page.fleet });

// The next older page behind what is there.
export function with_page(old: Rows, page: EventPage): Rows {
  const there = new Set(old.rows.map((row) => row.id));
  return { ...old, rows: [...old.rows, ...page.events.filter((e) => !there.has(e.record.event_id)).map(row_of)], before: page.before, fleet: page.fleet };
}

// While live, older rows beyond this are let go (they are read again when scrolled to), so that memory stays flat.
export const max_live_rows = 20_000;

// In the order of a fleet's lists: by time, and of one time by id.
const is_newer = (a: Row, b: Row): boolean => (a.time_ms === b.time_ms ? a.id > b.id : a.time_ms > b.time_ms);

// Adds the events of the tail, the oldest first, up to `at`. In a fleet a node may store what is older than rows that are there:
// it stands at its time, or, if it is older than the last row, in the next page.
export function with_tail(old: Rows, items: EventItem[], at: number, most = max_live_rows): Rows {
  const there = new Set(old.rows.map((row) => row.id));
  const fresh = items.filter((item) => !there.has(item.record.event_id)).map(row_of).reverse();
  const end = Math.max(old.end, at + 1);
  let rows: Row[] = [];
  if (typeof fresh[0]?.place === 'string') {
    fresh.sort((a, b) => (is_newer(a, b) ? -1 : 1));
    let next = 0;
    for (const row of old.rows) {
      for (let one = fresh[next]; one && is_newer(one, row); one = fresh[++next]) rows.push(one);
      rows.push(row);
    }
    if (old.before === null) rows.push(...fresh.slice(next));
  } else {
    rows = [...fresh, ...old.rows];
  }
  if (rows.length <= most) return { ...old, rows, end };
  rows = rows.slice(0, most);
  return { ...old, rows, end, before: (rows[rows.length - 1] as Row).place };
}
