// The scale of the chart of events: heights grow with the square root of the count, so that a peak does not flatten the rest,
// and the marked counts say so. Pure.

// Pixels of a chart that stay empty above its highest bar: the uppermost mark's number has half of its height there.
export const headroom = 8;

// How high a bar of `count` stands in a chart `height` pixels high of which the largest is `most`.
export function bar_height(count: number, most: number, height: number): number {
  return height_of(count, most) * (height - headroom);
}

// Share of the chart's height, 0 to 1.
export function height_of(count: number, most: number): number {
  return most <= 0 || count <= 0 ? 0 : Math.sqrt(Math.min(count, most) / most);
}

// Round counts to mark, largest first, each well apart from the next by its height.
export function marks_of(most: number): number[] {
  if (most < 1) return [];
  const rounds: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(most)); power >= 1; power /= 10) rounds.push(5 * power, 2 * power, power);
  const marks: number[] = [];
  for (const count of rounds) {
    if (count > most) continue;
    const last = marks[marks.length - 1];
    if (last === undefined || height_of(last, most) - height_of(count, most) >= 0.4) marks.push(count);
  }
  return marks.filter((count) => height_of(count, most) >= 0.3).slice(0, 2);
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [1_000, 5_000, 10_000, 30_000, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day];

export interface Tick { ms: number; kind: 'second' | 'minute' | 'day' }

// Round times to mark between two instants, at most `most` of them. `offset` is what the shown zone adds to UTC, in ms, at a
// time: round means round there. `kind` is what tells a tick from its neighbours.
export function time_ticks(from: number, to: number, most: number, offset: (ms: number) => number): Tick[] {
  const step = steps.find((one) => (to - from) / one <= most);
  if (step === undefined || to <= from || most < 1) return [];
  const ticks: Tick[] = [];
  for (let local = Math.ceil((from + offset(from)) / step) * step; ; local += step) {
    const guess = local - offset(from);
    const ms = local - offset(guess);
    if (ms > to) return ticks;
    if (ms >= from) ticks.push({ ms, kind: local % day === 0 ? 'day' : step < minute ? 'second' : 'minute' });
  }
}
