// Bars over time, stacked by kind, with marked counts, round times below and a tip: what the event histogram and the overview draw.
import type { ComponentChildren } from 'preact';
import { bar_height, marks_of, time_ticks } from '../lib/chart';
import { count_text, offset_ms, tick_text } from '../lib/format';
import { use_media } from '../state/media';

const sum = (column: readonly number[]): number => column.reduce((n, count) => n + count, 0);
const most_of = (columns: readonly (readonly number[])[]): number => Math.max(1, ...columns.map(sum));
const small_window = matchMedia('(max-width: 719px)');

// In an <svg> whose units are one bar wide and one pixel high. A column has one count for each of `kinds`, drawn from the bottom up.
export function Bars({ columns, kinds, height }: { columns: readonly (readonly number[])[]; kinds: readonly string[]; height: number }) {
  const most = most_of(columns);
  return (
    <>
      {marks_of(most).map((mark) => {
        const y = height - bar_height(mark, most, height);
        return <line key={mark} class="bars-mark" x1={0} x2={columns.length} y1={y} y2={y} />;
      })}
      {columns.map((column, i) => {
        let y = height;
        const total = sum(column);
        const whole = bar_height(total, most, height);
        return (
          <g key={i}>
            <rect class="bar-hit" x={i} y={0} width={1} height={height} />
            {kinds.map((kind, k) => {
              const count = column[k] ?? 0;
              if (count === 0) return null;
              const h = Math.max(1.5, (count / total) * whole);
              y -= h;
              return <rect key={kind} class={`bar bar-${kind}`} x={i + 0.08} y={y} width={0.84} height={h} />;
            })}
          </g>
        );
      })}
    </>
  );
}

// The marked counts, over the svg's left end.
export function Marks({ columns, height }: { columns: readonly (readonly number[])[]; height: number }) {
  const most = most_of(columns);
  return (
    <>
      {columns.some((column) => sum(column) > 0) && marks_of(most).map((mark) => (
        <span key={mark} class="bars-count" aria-hidden="true" style={{ transform: `translateY(calc(50% - ${bar_height(mark, most, height)}px))` }}>{count_text(mark)}</span>
      ))}
    </>
  );
}

export function Ticks({ from, to }: { from: number; to: number }) {
  const most = use_media(small_window) ? 4 : 8;
  return (
    <div class="bars-ticks" aria-hidden="true">
      {/* One at the very end would be cut. */}
      {time_ticks(from, to, most, offset_ms).filter(({ ms }) => (to - ms) / (to - from) > 0.8 / most).map(({ ms, kind }) => <span key={ms} class={`tick-${kind}`} style={{ left: `${((ms - from) / (to - from)) * 100}%` }}>{tick_text(ms, kind)}</span>)}
    </div>
  );
}

// What one bar stands for, on the side of it where there is more room. `share`: where the bar is, 0 to 1.
export function Tip({ share, title, children, testid }: { share: number; title: string; children: ComponentChildren; testid: string }) {
  const side = share < 0.5 ? 'left' : 'right';
  const way = `${(side === 'left' ? share : 1 - share) * 100}%`;
  return (
    <div class="bars-tip" style={{ left: side === 'left' ? way : 'auto', right: side === 'right' ? way : 'auto' }} aria-hidden="true" data-testid={testid}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}
