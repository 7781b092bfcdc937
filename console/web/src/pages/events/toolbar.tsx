// The time span, live, columns and export.
import { useState } from 'preact/hooks';
import { events_api, type Selection } from '../../api/events';
import type { TailState } from '../../api/stream';
import { count_text, local_ms, local_text, time_text, zone_name } from '../../lib/format';
import { bounds, preset_ms, presets, type Preset, type Range } from '../../lib/range';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { Check, Segments, TextField } from '../../ui/field';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { columns } from './columns';

// Two times of the node's zone; without an end the present one.
function SpanForm({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  const [shown] = useState(() => bounds(range, Date.now()));
  const [from, set_from] = useState(local_text(shown.from ?? Date.now() - preset_ms['24h']));
  const [to, set_to] = useState(local_text(shown.to ?? Date.now()));
  const [wrong, set_wrong] = useState<'from' | 'to'>();
  const submit = (event: Event): void => {
    event.preventDefault();
    const begin = local_ms(from);
    const end = to === '' ? Date.now() : local_ms(to);
    if (Number.isNaN(begin)) set_wrong('from');
    else if (!(end > begin)) set_wrong('to');
    else choose({ kind: 'fixed', from: begin, to: end });
  };
  const typed = (set: (text: string) => void) => (text: string): void => { set_wrong(undefined); set(text); };
  return (
    <form class="span-form" onSubmit={submit} noValidate data-testid="span-form">
      <TextField type="datetime-local" step={1} label={t.events.span_from} value={from} onChange={typed(set_from)} error={wrong === 'from' ? t.events.span_no_time : undefined} data-testid="span-from" />
      <TextField type="datetime-local" step={1} label={t.events.span_to} value={to} onChange={typed(set_to)} hint={say(t.events.times_in, { zone: zone_name() })} error={wrong === 'to' ? t.events.span_order : undefined} data-testid="span-to" />
      <Button type="submit" kind="primary" data-testid="span-show">{t.events.span_show}</Button>
    </form>
  );
}

export function RangeChoice({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  const value = range.kind === 'preset' ? range.preset : 'fixed';
  return (
    <div class="range">
      {range.kind === 'fixed' && (
        <button type="button" class="chip" title={t.events.leave_fixed} data-testid="range-fixed" onClick={() => choose({ kind: 'preset', preset: '24h' })}>
          {say(t.events.fixed_range, { from: time_text(range.from), to: time_text(range.to) })}<Icon name="close" />
        </button>
      )}
      <Segments label={t.events.range} value={value} onChange={(v) => choose({ kind: 'preset', preset: v as Preset })}
        options={presets.map((p) => [p, t.events.range_names[p] as string] as const)} />
      <Menu icon="calendar" label={t.events.span} testid="span-menu">{(close) => <SpanForm range={range} choose={(next) => { close(); choose(next); }} />}</Menu>
    </div>
  );
}

export function LiveButton({ wanted, possible, state, skipped, unknown, toggle }: {
  wanted: boolean; possible: boolean; state: TailState | 'off'; skipped: number; unknown: number; toggle: () => void;
}) {
  const on = wanted && possible;
  const text = on && state !== 'off' ? t.events.live_state[state] : t.events.live;
  return (
    <div class="live">
      <button type="button" class={`button live-button live-${on ? state : 'off'}`} disabled={!possible} aria-pressed={on ? 'true' : 'false'} title={on ? t.events.live_stop : t.events.live_start} onClick={toggle} data-testid="live">
        <Icon name={on ? 'pause' : 'play'} /><span>{text}</span>
      </button>
      {skipped + unknown > 0 && <span class="skipped" role="status" title={unknown > 0 ? t.events.skipped_unknown : undefined} data-testid="skipped">{unknown > 0 ? say(t.events.skipped_most, { n: skipped + unknown }) : say(t.events.skipped, { n: skipped })}</span>}
    </div>
  );
}

export function ColumnsMenu({ chosen, choose }: { chosen: string[]; choose: (ids: string[] | undefined) => void }) {
  return (
    <Menu icon="columns" label={t.events.columns} testid="columns-menu">
      {() => (
        <div class="columns-panel">
          {columns.map((column) => (
            <Check key={column.id} label={t.events.column[column.id] as string} checked={chosen.includes(column.id)} disabled={chosen.length === 1 && chosen.includes(column.id)}
              data-testid={`column-${column.id}`}
              onChange={(on) => choose(on ? [...chosen, column.id] : chosen.filter((id) => id !== column.id))} />
          ))}
          <Button small onClick={() => choose(undefined)}>{t.events.columns_reset}</Button>
        </div>
      )}
    </Menu>
  );
}

export function ExportMenu({ select, total }: { select: () => Selection; total: number | undefined }) {
  return (
    <Menu icon="download" label={t.events.export} testid="export-menu">
      {(close) => (
        <div class="export-panel">
          {total !== undefined && <p class="muted">{say(t.events.total, { n: total })}{total > 100_000 ? ` (${count_text(total)})` : ''}</p>}
          <a class="button ghost" download href={events_api.export_address('ndjson', select())} onClick={close}><Icon name="download" /><span>{t.events.export_ndjson}</span></a>
          <a class="button ghost" download href={events_api.export_address('csv', select())} onClick={close}><Icon name="download" /><span>{t.events.export_csv}</span></a>
        </div>
      )}
    </Menu>
  );
}
