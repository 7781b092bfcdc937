// Events over time, stacked by action; dragging chooses a span. The legend counts and filters.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Action, Bucket, Histogram } from '../../api/types';
import { count_text, time_text } from '../../lib/format';
import { t } from '../../text';
import { ActionBadge } from '../../ui/badge';

const actions: Action[] = ['deny', 'monitor', 'allow'];  // drawn from the bottom up
const height = 64;

function sum(buckets: Bucket[], action: Action): number {
  return buckets.reduce((n, bucket) => n + bucket[action], 0);
}

function Bars({ data }: { data: Histogram }) {
  const most = Math.max(1, ...data.buckets.map((b) => b.deny + b.monitor + b.allow));
  return (
    <>
      {data.buckets.map((bucket, i) => {
        let y = height;
        return (
          <g key={bucket.t}>
            <title>{t.events.bucket(time_text(bucket.t), bucket.deny, bucket.monitor, bucket.allow)}</title>
            <rect class="bar-hit" x={i} y={0} width={1} height={height} />
            {actions.map((action) => {
              if (bucket[action] === 0) return null;
              const h = Math.max(1.5, (bucket[action] / most) * (height - 4));
              y -= h;
              return <rect key={action} class={`bar bar-${action}`} x={i + 0.08} y={y} width={0.84} height={h} />;
            })}
          </g>
        );
      })}
    </>
  );
}

export function HistogramView({ data, active, toggle, brush, aside }: {
  aside: ComponentChildren;
  data: Histogram | undefined; active: string[] | undefined; toggle: (action: Action) => void; brush: (from: number, to: number) => void;
}) {
  const box = useRef<SVGSVGElement>(null);
  const [drag, set_drag] = useState<{ from: number; to: number } | undefined>();
  const count = data?.buckets.length ?? 60;

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
  const move = (event: PointerEvent): void => { if (drag) set_drag({ ...drag, to: bucket_at(event) }); };
  const finish = (): void => {
    if (!drag || !data) return;
    set_drag(undefined);
    const first = Math.floor(Math.min(drag.from, drag.to));
    const last = Math.ceil(Math.max(drag.from, drag.to));
    const begin = data.buckets[first];
    if (!begin || last <= first) return;
    brush(begin.t, begin.t + (last - first) * data.bucket_ms);
  };

  return (
    <section class="histogram" aria-label={t.events.histogram} data-testid="histogram">
      <div class="legend">
        <span class="total" data-testid="event-total">{data ? t.events.total(data.total) : '\u00a0'}</span>
        {actions.map((action) => (
          <button key={action} type="button" class="legend-item" aria-pressed={active?.includes(action) ? 'true' : 'false'} onClick={() => toggle(action)} data-testid={`legend-${action}`}>
            <ActionBadge action={action} /> <span class="legend-count">{data ? count_text(sum(data.buckets, action)) : '–'}</span>
          </button>
        ))}
        <span class="legend-aside">{aside}</span>
      </div>
      <svg ref={box} class="bars" viewBox={`0 0 ${count} ${height}`} preserveAspectRatio="none" role="img" aria-label={t.events.histogram}
        onPointerDown={start} onPointerMove={move} onPointerUp={finish} onPointerCancel={() => set_drag(undefined)}>
        {data && <Bars data={data} />}
        {drag && <rect class="brush" x={Math.min(drag.from, drag.to)} y={0} width={Math.abs(drag.to - drag.from)} height={height} />}
      </svg>
      <div class="bars-axis" aria-hidden="true">
        <span>{data ? time_text(data.from) : '\u00a0'}</span><span>{data ? time_text(data.to) : ''}</span>
      </div>
    </section>
  );
}
