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
