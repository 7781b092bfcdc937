// Numbers, sizes and times for people. The page's own locale is fixed, so that figures look the same on every screen.
const locale = 'en-GB';

export function count_text(n: number): string {
  return n.toLocaleString(locale);
}

export function size_text(octets: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = octets;
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
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function duration_text(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

const two = (n: number): string => String(n).padStart(2, '0');

export function clock_text(ms: number): string {
  const d = new Date(ms);
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

export function date_text(ms: number): string {
  const d = new Date(ms);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

export function time_text(ms: number): string {
  return `${date_text(ms)} ${clock_text(ms)}`;
}

// With the offset, for titles: what "local" means is never left open.
export function full_time_text(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${time_text(ms)}.${String(ms % 1000).padStart(3, '0')} ${zone}`;
}
