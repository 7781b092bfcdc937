// The time span a view shows: a preset that moves with the clock, or two fixed instants. Lives in the URL.
export type Preset = '15m' | '1h' | '24h' | '7d' | 'all';

export type Range = { kind: 'preset'; preset: Preset } | { kind: 'fixed'; from: number; to: number };

export const presets: Preset[] = ['15m', '1h', '24h', '7d', 'all'];
const minute = 60_000;
export const preset_ms: Record<Exclude<Preset, 'all'>, number> = { '15m': 15 * minute, '1h': 60 * minute, '24h': 1440 * minute, '7d': 10080 * minute };

export function range_from(params: URLSearchParams): Range {
  const from = Number(params.get('from'));
  const to = Number(params.get('to'));
  if (from > 0 && to > from) return { kind: 'fixed', from, to };
  const preset = presets.find((p) => p === params.get('range'));
  return { kind: 'preset', preset: preset ?? '24h' };
}

export function range_params(range: Range): Record<string, string | null> {
  if (range.kind === 'fixed') return { range: null, from: String(Math.floor(range.from)), to: String(Math.ceil(range.to)) };
  return { range: range.preset === '24h' ? null : range.preset, from: null, to: null };
}

// `to` is left open for presets: new events belong to the view.
export function bounds(range: Range, now: number): { from?: number; to?: number } {
  if (range.kind === 'fixed') return { from: range.from, to: range.to };
  return range.preset === 'all' ? {} : { from: now - preset_ms[range.preset] };
}
