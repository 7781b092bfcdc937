// Numbers, sizes and times for people, in the page's language. Dates are ISO 8601 in every language.
import { say, t } from '../text';

let locale = 'en-GB';

export function set_locale(name: string): void {
  locale = name;
}

export function locale_name(): string {
  return locale;
}

export function count_text(n: number): string {
  return n.toLocaleString(locale);
}

export function size_text(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

// A time that is counted in microseconds.
export function micro_text(us: number): string {
  if (us < 1000) return `${us} µs`;
  const ms = us / 1000;
  return ms < 1000 ? say(t.units.ms, { n: ms < 10 ? ms.toFixed(1) : Math.round(ms) }) : say(t.units.s, { n: (ms / 1000).toFixed(1) });
}

export function duration_text(ms: number): string {
  if (ms < 1000) return say(t.units.ms, { n: Math.round(ms) });
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return say(t.units.s, { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return say(t.units.min, { n: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return say(t.units.h_min, { h: hours, min: minutes % 60 });
  return say(t.units.days, { n: Math.floor(hours / 24) });
}

const two = (n: number): string => String(n).padStart(2, '0');

// Times are those of the node's zone, as in records and syslog messages: the same on every screen. What the zone's
// offset is does not change within a quarter of an hour.
const quarter_ms = 900_000;
const most_offsets = 4096;
let zone: Intl.DateTimeFormat | undefined;  // none yet, or one that this browser does not know: the browser's own
let known_as = '';
const offsets = new Map<number, number>();

export function set_zone(name: string): void {
  offsets.clear();
  try {
    known_as = name;
    zone = new Intl.DateTimeFormat(locale, { timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' });
  } catch {
    zone = undefined;
  }
}

// The name of the time zone in which times are shown.
export function zone_name(): string {
  return zone ? known_as : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// The offset of the zone from UTC at that time.
export function offset_ms(ms: number): number {
  if (!zone) return -new Date(ms).getTimezoneOffset() * 60_000;
  const key = Math.floor(ms / quarter_ms);
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const begin = key * quarter_ms;
  const part: Record<string, number> = {};
  for (const { type, value } of zone.formatToParts(begin)) part[type] = Number(value);
  const offset = Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second) - begin;
  if (offsets.size >= most_offsets) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

// Its UTC members are those of the zone.
const in_zone = (ms: number): Date => new Date(ms + offset_ms(ms));

export function clock_text(ms: number): string {
  const d = in_zone(ms);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
}

export function date_text(ms: number): string {
  const d = in_zone(ms);
  return `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`;
}

export function time_text(ms: number): string {
  return `${date_text(ms)} ${clock_text(ms)}`;
}

// As a field for date and time has it, and back: the clock of the zone, to the second. NaN: no such text. Of a time that comes
// twice the first one is meant; for one that is left out stands one beside it.
export function local_text(ms: number): string {
  return `${date_text(ms)}T${clock_text(ms)}`;
}

export function local_ms(text: string): number {
  const clock = Date.parse(`${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) || Number.isNaN(clock)) return NaN;
  const earlier = clock - offset_ms(clock - 86_400_000);
  return earlier + offset_ms(earlier) === clock ? earlier : clock - offset_ms(clock);
}

// A tick of a time axis: what tells it from its neighbours.
export function tick_text(ms: number, kind: 'second' | 'minute' | 'day'): string {
  return kind === 'day' ? date_text(ms).slice(5) : kind === 'minute' ? clock_text(ms).slice(0, 5) : clock_text(ms);
}

// With the offset, for titles: what a time means is never left open.
export function full_time_text(ms: number): string {
  const offset = Math.round(offset_ms(ms) / 60_000);
  const sign = offset < 0 ? '-' : '+';
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${time_text(ms)}.${String(ms % 1000).padStart(3, '0')} ${zone}`;
}
