// The event list: a grid with a fixed head, virtual rows, one current row.
import { memo } from '../../ui/memo';
import { useCallback, useState } from 'preact/hooks';
import type { Mark } from '../../api/triage';
import { use_marks } from '../../state/marks';
import { use_media } from '../../state/media';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/panel';
import { VirtualList } from '../../ui/virtual_list';
import { cell_content, columns, filter_value, least_width, narrow_columns, type Column } from './columns';
import type { EventList } from './event_list';
import type { Row } from './rows';
import { MarkIcons } from './triage';

const row_height = 34;
const line_height = 24;  // of a stacked row
const narrow_list = matchMedia('(max-width: 1023px)');
const two_tracks = matchMedia('(max-width: 719px)');
// Their values are long: of a stacked row they get a line each.
const long_columns = new Set(['path', 'payload', 'decode', 'rule', 'ua', 'id']);

// Each cell goes to the first line that has room for it, as the grid places them (`row dense`).
function stacked_height(shown: Column[], tracks: number): number {
  const taken: number[] = [];
  for (const { id } of shown) {
    const needed = long_columns.has(id) ? 2 : 1;
    const line = taken.findIndex((used) => used + needed <= tracks);
    if (line < 0) taken.push(needed);
    else taken[line] = (taken[line] ?? 0) + needed;
  }
  return taken.length * line_height + 14;
}

export type AddFilter = (field: string, value: string, negated: boolean) => void;

interface RowProps {
  row: Row;
  shown: Column[];
  index: number;
  current: boolean;
  hot: boolean;  // under the pointer: offers its filters
  open: (row: Row, index: number) => void;
  hover: (id: string) => void;
  filter: AddFilter;
  mark: Mark | undefined;
  selected: boolean;
  select: (id: string) => void;
}

function CellFilters({ column, row, filter }: { column: Column; row: Row; filter: AddFilter }) {
  const value = filter_value(column, row);
  const act = (negated: boolean) => (event: Event): void => {
    event.stopPropagation();
    filter(column.field as string, value, negated);
  };
  return (
    <span class="cell-filters">
      <button type="button" tabIndex={-1} title={say(t.events.include, { v: value })} aria-label={say(t.events.include, { v: value })} onClick={act(false)}><Icon name="plus" /></button>
      <button type="button" tabIndex={-1} title={say(t.events.exclude, { v: value })} aria-label={say(t.events.exclude, { v: value })} onClick={act(true)}><Icon name="minus" /></button>
    </span>
  );
}

const EventRow = memo(({ row, shown, index, current, hot, open, hover, filter, mark, selected, select }: RowProps) => (
  <div class={`row row-${row.action}${current ? ' current' : ''}${mark?.state === 'closed' ? ' closed' : ''}${selected ? ' selected' : ''}`} role="row" id={`row-${row.id}`} aria-rowindex={index + 2} aria-selected={current ? 'true' : 'false'}
    data-testid="event-row" data-event-id={row.id} data-action={row.action} onClick={() => open(row, index)} onMouseEnter={() => hover(row.id)}>
    <div role="gridcell" class="cell cell-mark">
      {(hot || selected) && may_mark()
        ? <input type="checkbox" tabIndex={-1} checked={selected} aria-label={t.triage.select} data-testid="row-select" onClick={(event) => { event.stopPropagation(); select(row.id); }} />
        : <MarkIcons mark={mark} />}
    </div>
    {shown.map((column) => (
      <div key={column.id} role="gridcell" class={`cell cell-${column.id}${column.mono ? ' mono' : ''}${long_columns.has(column.id) ? ' over-both' : ''}`}>
        <span class="cell-text">{cell_content(column, row)}</span>
        {hot && column.field && filter_value(column, row) !== '' && <CellFilters column={column} row={row} filter={filter} />}
      </div>
    ))}
  </div>
));

// Viewers read what was said and say nothing.
let may_mark = (): boolean => false;
export function set_may_mark(may: boolean): void {
  may_mark = () => may;
}

export function EventGrid({ list, view, chosen, narrow, cursor, set_cursor, open, filter, on_scrolled, live, selected, select }: {
  list: EventList; view: string; chosen: string[]; narrow: boolean; cursor: number; set_cursor: (index: number) => void;
  open: (row: Row) => void; filter: AddFilter; on_scrolled: (top: number) => void; live: boolean;
  selected: ReadonlySet<string>; select: (id: string) => void;
}) {
  const [hot, set_hot] = useState('');
  const marks = use_marks();
  const tracks = use_media(two_tracks) ? 2 : 4;
  const stacked = use_media(narrow_list);
  const shown = columns.filter((column) => chosen.includes(column.id)).map((column) => (narrow ? { ...column, width: narrow_columns[column.id] ?? column.width } : column));
  const shown_key = shown.map((c) => `${c.id} ${c.width}`).join();
  const stable_shown = use_stable(shown, shown_key);
  const open_row = useCallback((row: Row, index: number) => { set_cursor(index); open(row); }, [open, set_cursor]);
  const current = list.rows[cursor];
  const height = stacked ? stacked_height(stable_shown, tracks) : row_height;
  const head = (
    <div class="row row-head" role="row" aria-rowindex={1}>
      <div role="columnheader" class="cell cell-mark"><span class="unseen">{t.triage.title}</span></div>
      {shown.map((column) => <div key={column.id} role="columnheader" class={`cell cell-${column.id}`}>{t.events.column[column.id]}</div>)}
    </div>
  );
  const foot = (
    <div class="vlist-foot">
      {list.loading_more ? <span class="muted">{t.common.loading}…</span>
        : list.before !== null ? <Button small onClick={list.load_more}>{t.common.load_more}</Button>
        : list.rows.length > 0 && !live ? <span class="muted">{t.events.end_of_list}</span> : null}
    </div>
  );
  return (
    <div class={stacked ? `grid-frame stacked tracks-${tracks}` : 'grid-frame'} style={{ '--row': `${height}px`, '--columns': `30px ${stable_shown.map((c) => c.width).join(' ')}`, '--least': `${least_width(stable_shown) + 30}px` }} onMouseLeave={() => set_hot('')}>
      <VirtualList items={list.rows} of={view} key_of={(row) => row.id} row_height={height} cursor={cursor} label={t.events.list}
        active={current ? `row-${current.id}` : undefined} on_near_end={list.load_more} on_scrolled={on_scrolled} head={head} foot={foot}
        render={(row, index) => (
          <EventRow key={row.id} row={row} shown={stable_shown} index={index} current={index === cursor} hot={row.id === hot}
            open={open_row} hover={set_hot} filter={filter} mark={marks.get(row.id)} selected={selected.has(row.id)} select={select} />
        )} />
      {list.loading && list.rows.length === 0 && <Skeleton />}
    </div>
  );
}

// The same array as long as its key is the same, so that rows need no redrawing.
function use_stable<T>(value: T, key: string): T {
  const [kept, keep] = useState({ key, value });
  if (kept.key !== key) {
    keep({ key, value });
    return value;
  }
  return kept.value;
}
