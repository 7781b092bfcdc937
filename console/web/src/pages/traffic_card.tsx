// Requests over time at the top of the overview: passed, blocked, would block, passed without being judged.
import { useRef, useState } from 'preact/hooks';
import { status_api } from '../api/settings';
import { clock_text, count_text, time_text, zone_name } from '../lib/format';
import { change_of, day_of, passed, type TrafficBucket, type TrafficCounts } from '../lib/traffic';
import { use_load } from '../state/load';
import { say, t } from '../text';
import { Bars, Marks, Ticks, Tip } from '../ui/bars';
import { Card, Pending } from '../ui/panel';

const height = 150;
const refresh_ms = 15_000;
const kinds = ['deny', 'monitor', 'unjudged', 'passed'] as const;  // drawn from the bottom up

function counts_of(bucket: TrafficCounts): number[] {
  return [bucket.denied, bucket.monitored, bucket.unjudged, passed(bucket)];
}

function change_text(percent: number | undefined): string {
  if (percent === undefined) return t.overview.none_before;
  return percent === 0 ? t.overview.change_none : say(t.overview.change, { percent: `${percent > 0 ? '+' : '−'}${count_text(Math.abs(percent))}` });
}

// What one number is beside that of the day before.
export function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return null;
  const change = change_of(now, before);
  return <span class="muted">{change_text(change)}</span>;
}

export function TrafficCard() {
  const traffic = use_load('traffic', (signal) => status_api.traffic(signal), refresh_ms);
  const box = useRef<SVGSVGElement>(null);
  const [pointed, set_pointed] = useState(-1);
  const day = traffic.value && day_of(traffic.value);
  const columns = day ? day.bars.map(counts_of) : [];
  const told: TrafficBucket | undefined = day?.bars[pointed];
  const point = (event: PointerEvent): void => {
    const rect = (box.current as SVGSVGElement).getBoundingClientRect();
    set_pointed(Math.max(0, Math.min(columns.length - 1, Math.floor(((event.clientX - rect.left) / rect.width) * columns.length))));
  };
  return (
    <Card title={t.overview.traffic} testid="traffic" aside={<span class="muted">{day && !day.before ? t.overview.no_before : t.overview.day}</span>}>
      <Pending of={traffic} />
      {day && (
        <>
          <dl class="traffic-sums">
            <div><dt>{t.overview.requests}</dt><dd data-testid="traffic-requests">{count_text(day.sums.requests)}</dd><Change now={day.sums.requests} before={day.before?.requests} /></div>
            {kinds.map((kind, k) => <div key={kind}><dt><i class={`swatch swatch-${kind}`} aria-hidden="true" />{t.overview.kinds[kind]}</dt><dd data-testid={`traffic-${kind}`}>{count_text(counts_of(day.sums)[k] ?? 0)}</dd><Change now={counts_of(day.sums)[k] ?? 0} before={day.before && counts_of(day.before)[k]} /></div>)}
          </dl>
          <div class="bars-keys">
            <svg ref={box} class="bars bars-tall" viewBox={`0 0 ${Math.max(1, columns.length)} ${height}`} preserveAspectRatio="none" role="img" aria-label={say(t.overview.traffic_told, { requests: count_text(day.sums.requests), denied: count_text(day.sums.denied) })} onPointerMove={point} onPointerLeave={() => set_pointed(-1)}>
              <Bars columns={columns} kinds={kinds} height={height} />
            </svg>
            <Marks columns={columns} height={height} />
            {told && (
              <Tip share={(pointed + 0.5) / columns.length} title={say(t.events.in_bucket, { from: time_text(told.t), to: clock_text(told.t + day.bar_ms) })} testid="traffic-tip">
                {kinds.map((kind, k) => <div key={kind}><span><i class={`swatch swatch-${kind}`} />{t.overview.kinds[kind]}</span> <span class="num">{count_text(counts_of(told)[k] ?? 0)}</span></div>)}
              </Tip>
            )}
          </div>
          <Ticks from={day.from} to={day.to} />
          <div class="bars-axis" aria-hidden="true"><span>{time_text(day.from)}</span><span>{say(t.events.times_in, { zone: zone_name() })}</span><span>{time_text(day.to)}</span></div>
        </>
      )}
    </Card>
  );
}
