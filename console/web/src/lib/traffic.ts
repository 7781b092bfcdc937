// Requests over time: a day of them beside the day before. Pure.
export interface TrafficCounts { requests: number; denied: number; monitored: number; unjudged: number }
export interface TrafficBucket extends TrafficCounts { t: number }
export interface Traffic { bucket_ms: number; buckets: TrafficBucket[] }

const day_ms = 86_400_000;
const most_bars = 96;
const least_ms = 3_600_000;  // a node that has just begun is shown as an hour, not as one bar

export function sum_of(buckets: readonly TrafficCounts[]): TrafficCounts {
  const sums = { requests: 0, denied: 0, monitored: 0, unjudged: 0 };
  for (const bucket of buckets) {
    sums.requests += bucket.requests;
    sums.denied += bucket.denied;
    sums.monitored += bucket.monitored;
    sums.unjudged += bucket.unjudged;
  }
  return sums;
}

export interface Day {
  bars: TrafficBucket[];
  bar_ms: number;
  from: number;
  to: number;
  sums: TrafficCounts;
  before: TrafficCounts | undefined;  // of the day before; undefined where it is not known whole
}

// The last 24 hours, or what there is of them, in at most 96 bars.
export function day_of({ bucket_ms, buckets }: Traffic): Day | undefined {
  const newest = buckets[buckets.length - 1];
  if (!newest) return undefined;
  const end = newest.t + bucket_ms;
  const today = buckets.filter((bucket) => bucket.t >= end - day_ms);
  for (let begin = newest.t - (today.length - 1) * bucket_ms; today.length * bucket_ms < least_ms;) {
    begin -= bucket_ms;
    today.unshift({ ...sum_of([]), t: begin });
  }
  const earlier = buckets.filter((bucket) => bucket.t < end - day_ms);
  const joined = Math.max(1, Math.ceil(today.length / most_bars));
  const bars: TrafficBucket[] = [];
  for (let at = 0; at < today.length; at += joined) bars.push({ ...sum_of(today.slice(at, at + joined)), t: today[at]?.t ?? 0 });
  const bar_ms = joined * bucket_ms;
  const from = bars[0]?.t ?? 0;
  return { bars, bar_ms, from, to: from + bars.length * bar_ms, sums: sum_of(today), before: earlier.length * bucket_ms >= day_ms ? sum_of(earlier) : undefined };
}

// Requests of a bar that were judged and passed. Gateways may pass some without asking: those are in no other count.
export function passed(counts: TrafficCounts): number {
  return Math.max(0, counts.requests - counts.denied - counts.monitored - counts.unjudged);
}

// Per cent more (or less, below zero) than before; undefined: there is nothing to compare with.
export function change_of(now: number, before: number | undefined): number | undefined {
  return before === undefined || before === 0 ? undefined : Math.round(((now - before) / before) * 100);
}
