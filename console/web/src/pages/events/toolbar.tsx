// The time span, live, columns and export.
import { events_api, type Selection } from '../../api/events';
import type { TailState } from '../../api/stream';
import { count_text, time_text } from '../../lib/format';
import { presets, type Preset, type Range } from '../../lib/range';
import { t } from '../../text';
import { Button } from '../../ui/button';
import { Check, Segments } from '../../ui/field';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { columns } from './columns';

export function RangeChoice({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  const value = range.kind === 'preset' ? range.preset : 'fixed';
  return (
    <div class="range">
      {range.kind === 'fixed' && (
        <button type="button" class="chip" title={t.events.leave_fixed} data-testid="range-fixed" onClick={() => choose({ kind: 'preset', preset: '24h' })}>
          {t.events.fixed_range(time_text(range.from), time_text(range.to))}<Icon name="close" />
        </button>
      )}
      <Segments label={t.events.range} value={value} onChange={(v) => choose({ kind: 'preset', preset: v as Preset })}
        options={presets.map((p) => [p, t.events.range_names[p] as string] as const)} />
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
      {skipped + unknown > 0 && <span class="skipped" role="status" title={unknown > 0 ? t.events.skipped_unknown : undefined} data-testid="skipped">{unknown > 0 ? t.events.skipped_most(skipped + unknown) : t.events.skipped(skipped)}</span>}
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
          {total !== undefined && <p class="muted">{t.events.total(total)}{total > 100_000 ? ` (${count_text(total)})` : ''}</p>}
          <a class="button ghost" download href={events_api.export_address('ndjson', select())} onClick={close}><Icon name="download" /><span>{t.events.export_ndjson}</span></a>
          <a class="button ghost" download href={events_api.export_address('csv', select())} onClick={close}><Icon name="download" /><span>{t.events.export_csv}</span></a>
        </div>
      )}
    </Menu>
  );
}
