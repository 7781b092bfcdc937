// Events over time, stacked by action; dragging chooses a span, and so do the arrow keys. The legend counts and filters.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Action, Bucket, Histogram } from '../../api/types';
import { clock_text, count_text, time_text, zone_name } from '../../lib/format';
import { say, t } from '../../text';
import { ActionBadge } from '../../ui/badge';
import { Bars, Marks, Ticks, Tip } from '../../ui/bars';

const actions: Action[] = ['deny', 'monitor', 'allow'];  // drawn from the bottom up
const height = 64;

function sum(buckets: Bucket[], action: Action): number {
  return buckets.reduce((n, bucket) => n + bucket[action], 0);
}

const columns_of = (data: Histogram): number[][] => data.buckets.map((bucket) => actions.map((action) => bucket[action]));

// What the keys have chosen so far: the end that moves, and where it began.
interface Keyed { anchor: number; at: number }

function moved(keyed: Keyed, event: KeyboardEvent, count: number): Keyed | undefined {
  const big = 8;
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -big, PageUp: big, Home: -count, End: count };
  const by = steps[event.key];
  if (by === undefined) return undefined;
  const at = Math.max(0, Math.min(count - 1, keyed.at + by));
  return { anchor: event.shiftKey ? keyed.anchor : at, at };
}

export function HistogramView({ data, wanted_from, oldest_ms, active, toggle, brush, aside }: {
  aside: ComponentChildren;
  wanted_from: number | undefined;  // where the view begins; the ring may reach less far back
  data: Histogram | undefined; oldest_ms: number | null; active: string[] | undefined; toggle: (action: Action) => void; brush: (from: number, to: number) => void;
}) {
  const box = useRef<SVGSVGElement>(null);
  const [drag, set_drag] = useState<{ from: number; to: number } | undefined>();
  const [keyed, set_keyed] = useState<Keyed | undefined>();
  const [pointed, set_pointed] = useState<number | undefined>();  // the bar under the pointer
  const count = data?.buckets.length ?? 60;

  // Of the time before the oldest record nothing is known: that is not the same as nothing happened, and takes no room.
  const begins_late = oldest_ms !== null && wanted_from !== undefined && oldest_ms > wanted_from;
  const unknown = data && oldest_ms !== null ? Math.max(0, Math.min(count, Math.floor((oldest_ms - data.from) / data.bucket_ms))) : 0;
  const choose = (first: number, last: number): void => {
    const begin = data?.buckets[first];
    if (!data || !begin || last <= first) return;
    brush(begin.t, begin.t + (last - first) * data.bucket_ms);
  };
  const at = keyed && Math.min(keyed.at, count - 1);
  const told_at = at ?? pointed ?? -1;
  const told = data?.buckets[told_at];
  const span = keyed && at !== undefined ? { first: Math.min(keyed.anchor, at), last: Math.min(Math.max(keyed.anchor, at), count - 1) + 1 } : undefined;
  const on_key = (event: KeyboardEvent): void => {
    if (!data || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moved(keyed ?? { anchor: count - 1, at: count - 1 }, event, count);
    if (next) set_keyed(next);
    else if (event.key === 'Enter' && span) { set_keyed(undefined); choose(span.first, span.last); }
    else if (event.key === 'Escape' && keyed) set_keyed(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const spoken = (): string => {
    const bucket = data?.buckets[at ?? count - 1];
    if (!data || !bucket) return '';
    const here = say(t.events.bucket, { time: time_text(bucket.t), deny: bucket.deny, monitor: bucket.monitor, allow: bucket.allow });
    const begin = span && data.buckets[span.first];
    return begin && span.last - span.first > 1 ? `${here}. ${say(t.events.span_chosen, { from: time_text(begin.t), to: time_text(begin.t + (span.last - span.first) * data.bucket_ms) })}` : here;
  };

  const bucket_at = (event: PointerEvent): number => {
    const rect = (box.current as SVGSVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(count, ((event.clientX - rect.left) / rect.width) * count));
  };
  const start = (event: PointerEvent): void => {
    if (!data || event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const at = bucket_at(event);
    set_drag({ from: at, to: at });
  };
  const move = (event: PointerEvent): void => {
    if (drag) set_drag({ ...drag, to: bucket_at(event) });
    set_pointed(Math.min(count - 1, Math.floor(bucket_at(event))));
  };
  const finish = (): void => {
    if (!drag || !data) return;
    set_drag(undefined);
    const first = Math.floor(Math.min(drag.from, drag.to));
    const last = Math.ceil(Math.max(drag.from, drag.to));
    choose(first, last);
  };

  return (
    <section class="histogram" aria-label={t.events.histogram} data-testid="histogram">
      <div class="legend">
        <span class="total" data-testid="event-total">{data ? say(t.events.total, { n: data.total }) : '\u00a0'}</span>
        {actions.map((action) => (
          <button key={action} type="button" class="legend-item" aria-pressed={active?.includes(action) ? 'true' : 'false'} onClick={() => toggle(action)} data-testid={`legend-${action}`}>
            <ActionBadge action={action} /> <span class="legend-count">{data ? count_text(sum(data.buckets, action)) : '–'}</span>
          </button>
        ))}
        <span class="legend-aside">{aside}</span>
      </div>
      <div class="bars-keys" role="slider" tabIndex={0} aria-label={t.events.histogram_keys} aria-valuemin={0} aria-valuemax={count - 1} aria-valuenow={at ?? count - 1} aria-valuetext={spoken()}
        onKeyDown={on_key} onBlur={() => set_keyed(undefined)} data-testid="histogram-keys">
        <svg ref={box} class="bars" viewBox={`0 0 ${count} ${height}`} preserveAspectRatio="none" aria-hidden="true"
          onPointerDown={start} onPointerMove={move} onPointerUp={finish} onPointerCancel={() => set_drag(undefined)} onPointerLeave={() => set_pointed(undefined)}>
          {unknown > 0 && <rect class="bars-unknown" x={0} y={0} width={unknown} height={height} />}
          {data && <Bars columns={columns_of(data)} kinds={actions} height={height} />}
          {drag && <rect class="brush" x={Math.min(drag.from, drag.to)} y={0} width={Math.abs(drag.to - drag.from)} height={height} />}
          {span && at !== undefined && <rect class="brush" x={span.first} y={0} width={span.last - span.first} height={height} />}
          {at !== undefined && <rect class="bars-cursor" x={at} y={1} width={1} height={height - 2} />}
        </svg>
        {data && <Marks columns={columns_of(data)} height={height} />}
        {data && told && (
          <Tip share={(told_at + 0.5) / count} title={say(t.events.in_bucket, { from: time_text(told.t), to: clock_text(told.t + data.bucket_ms) })} testid="histogram-tip">
            {actions.map((action) => <div key={action}><ActionBadge action={action} /> <span class="num">{count_text(told[action])}</span></div>)}
          </Tip>
        )}
      </div>
      {data ? <Ticks from={data.from} to={data.to} /> : <div class="bars-ticks" />}
      <div class="bars-axis" aria-hidden="true">
        <span>{data ? time_text(data.from) : '\u00a0'}</span>
        <span>{begins_late && <span data-testid="ring-begins">{say(t.detail.reaches, { time: time_text(oldest_ms) })} </span>}<span data-testid="time-zone">{say(t.events.times_in, { zone: zone_name() })}</span></span>
        <span>{data ? time_text(data.to) : ''}</span>
      </div>
    </section>
  );
}
