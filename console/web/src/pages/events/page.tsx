// The event page: filter, histogram, top lists, list and detail, all of one selection that lives in the address.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { events_api, type Selection } from '../../api/events';
import { status_api } from '../../api/settings';
import type { Action, Me } from '../../api/types';
import { field_values, with_field, with_term } from '../../lib/query';
import { bounds, range_from, range_params, type Range } from '../../lib/range';
import { use_load } from '../../state/load';
import { plain_key } from '../../state/keys';
import { load, save } from '../../state/prefs';
import { read_marks } from '../../state/marks';
import { go, href_with, use_route } from '../../state/route';
import { may } from '../../state/session';
import { t } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Segments } from '../../ui/field';
import { Empty, ErrorNotice } from '../../ui/panel';
import { DetailPanel } from './detail';
import { are_default, narrow_columns, stored_columns, store_columns } from './columns';
import { use_event_list } from './event_list';
import { Facets } from './facets';
import { HistogramView } from './histogram';
import { EventGrid, set_may_mark } from './list';
import type { Row } from './rows';
import { GroupTable, PinTable } from './groups';
import { QueryBox } from './query_box';
import { ColumnsMenu, ExportMenu, LiveButton, RangeChoice } from './toolbar';
import { SelectionBar } from './triage';
import { start_view, ViewsMenu } from './views_menu';

const histogram_refresh_ms = 5_000;
const buckets = 96;
// Top lists of texts read every match: not for each letter that is typed.
const facets_pause_ms = 250;
// Below this the top lists would push columns of the list out of sight: shown once asked for.
const narrow_window = matchMedia('(max-width: 1180px)');
const is_boolean = (value: unknown): value is boolean => typeof value === 'boolean';

// With no lower bound the histogram begins at the oldest event that the ring still has.
async function histogram_of(selection: Selection, signal: AbortSignal) {
  let from = selection.from;
  if (from === undefined) from = (await status_api.read(signal)).ring.oldest_ms ?? undefined;
  return events_api.histogram(from === undefined ? selection : { ...selection, from }, buckets, signal);
}

// Whether the window is too narrow for the top lists beside all columns.
function use_narrow_window(): boolean {
  const [narrow, set_narrow] = useState(narrow_window.matches);
  useEffect(() => {
    const look = (): void => set_narrow(narrow_window.matches);
    narrow_window.addEventListener('change', look);
    return () => narrow_window.removeEventListener('change', look);
  }, []);
  return narrow;
}

// True once `key` has been the same for a while.
function use_settled(key: string, pause_ms: number): boolean {
  const [settled, settle] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => settle(key), pause_ms);
    return () => clearTimeout(timer);
  }, [key]);
  return settled === key;
}

const shapes = ['list', 'attackers', 'tuning', 'pinned'] as const;
let begun = false;  // the view to begin with is for the first address alone

export function EventsPage({ me }: { me: Me }) {
  const { params } = use_route();
  const query = params.get('q') ?? '';
  const open_id = params.get('event');
  const range = range_from(params);
  const range_key = JSON.stringify(range);
  const view = `${query}\n${range_key}`;
  const select = useCallback((): Selection => ({ q: query, ...bounds(range_from(params), Date.now()) }), [view]);

  const shape = shapes.find((s) => s === params.get('group')) ?? 'list';
  const writable = may(me, 'operator');
  useEffect(() => {
    set_may_mark(writable);
    const start = begun ? '' : start_view();
    begun = true;
    if (start !== '' && location.search === '') go(`/?${start}`, 'replace');
  }, []);
  const [selected, set_selected] = useState<ReadonlySet<string>>(new Set());
  const select_row = useCallback((id: string) => set_selected((old) => {
    const next = new Set(old);
    if (!next.delete(id)) next.add(id);
    return next;
  }), []);
  useEffect(() => set_selected(new Set()), [view, shape]);

  const [live_wanted, set_live_wanted] = useState(() => load('live', true, is_boolean));
  const [facets_shown, set_facets_shown] = useState(() => load('facets', !narrow_window.matches, is_boolean));
  const [chosen, set_chosen] = useState(stored_columns);
  const [cursor, set_cursor] = useState(-1);
  const [scrolled, set_scrolled] = useState(0);
  const live_possible = range.kind === 'preset';
  const live = live_wanted && live_possible;
  const list = use_event_list(view, select, live);
  const histogram = use_load(view, (signal) => histogram_of(select(), signal), live ? histogram_refresh_ms : 0, !list.loading);
  const settled = use_settled(`${view}\n${list.loading}`, facets_pause_ms) && !list.loading;

  useEffect(() => {
    const abort = new AbortController();
    read_marks(list.page_ids, abort.signal);
    return () => abort.abort();
  }, [list.page_ids]);

  const apply = useCallback((q: string, how: 'push' | 'replace' = 'push') => go(href_with({ q, event: null }), how), []);
  const filter = useCallback((field: string, value: string, negated: boolean) => apply(with_term(query, field, value, negated)), [query]);
  const choose_range = (next: Range): void => go(href_with({ ...range_params(next), event: null }));
  const open = useCallback((row: Row) => go(href_with({ event: row.id }), open_id ? 'replace' : 'push'), [open_id]);
  const close = useCallback(() => go(href_with({ event: null })), []);
  const toggle_live = useCallback(() => set_live_wanted((on) => { save('live', !on); return !on; }), []);

  // The cursor stays on its event while rows arrive above it.
  const cursor_seq = useRef<number | undefined>(undefined);
  const at = useRef(-1);  // the cursor as the next key sees it, before anything is drawn again
  at.current = cursor;
  const put_cursor = useCallback((index: number) => { cursor_seq.current = list.rows[index]?.seq; at.current = index; set_cursor(index); }, [list.rows]);
  useEffect(() => {
    if (cursor_seq.current === undefined) return;
    set_cursor(list.rows.findIndex((row) => row.seq === cursor_seq.current));
  }, [list.rows]);
  useEffect(() => { cursor_seq.current = undefined; set_cursor(-1); }, [view]);
  useEffect(() => {
    if (!open_id || cursor >= 0) return;
    const index = list.rows.findIndex((row) => row.id === open_id);
    if (index >= 0) put_cursor(index);
  }, [open_id, list.rows.length > 0]);

  const step = useCallback((by: number) => {
    const next = Math.max(0, Math.min(list.rows.length - 1, (at.current < 0 ? (by > 0 ? -1 : 0) : at.current) + by));
    const row = list.rows[next];
    if (!row) return;
    put_cursor(next);
    if (open_id) open(row);
  }, [list.rows, open_id]);

  // Before it is painted: a key pressed as soon as rows are seen is for those rows.
  useLayoutEffect(() => {
    const on_key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && open_id && document.querySelector('dialog[open]') === null) return close();
      if (!plain_key(event)) return;
      const row = list.rows[at.current];
      const on_control = event.target instanceof HTMLElement && /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
      if (event.key === 'j' || (event.key === 'ArrowDown' && !on_control)) step(1);
      else if (event.key === 'k' || (event.key === 'ArrowUp' && !on_control)) step(-1);
      else if (event.key === 'Enter' && row && !on_control) open(row);
      else if (event.key === '/') document.getElementById('query')?.focus();
      else if (event.key === 'l') toggle_live();
      else if (event.key === 'x' && row && writable) select_row(row.id);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', on_key);
    return () => document.removeEventListener('keydown', on_key);
  }, [step, open, close, list.rows, open_id]);

  const toggle_action = (action: Action): void => {
    const now = field_values(query, 'action') ?? [];
    apply(with_field(query, 'action', now.includes(action) ? now.filter((a) => a !== action) : [...now, action]));
  };
  const arrived_seen = useRef(0);
  if (scrolled < 4) arrived_seen.current = list.arrived;
  const fresh = list.arrived - arrived_seen.current;
  const total = histogram.value?.total;
  const narrow = use_narrow_window();
  const query_error = list.error instanceof ApiError && list.error.problem.status === 400;
  const columns = useMemo(() => {
    const few = open_id || (narrow && facets_shown && are_default(chosen)) ? chosen.filter((id) => id in narrow_columns && !(id === 'path' && narrow && open_id)) : [];
    return few.length > 1 ? few : chosen;
  }, [chosen, open_id !== null, narrow, facets_shown]);

  return (
    <div class={`events${open_id ? ' with-detail' : ''}${facets_shown ? ' with-facets' : ''}${shape === 'list' ? '' : ' grouped'}`}>
      <h1 class="unseen">{t.events.title}</h1>
      <div class="toolbar">
        <QueryBox query={query} error={list.error} apply={apply} select={select} />
        <RangeChoice range={range} choose={choose_range} />
        <LiveButton wanted={live_wanted} possible={live_possible} state={list.tail} skipped={list.skipped} toggle={toggle_live} />
        <div class="toolbar-icons">
          <IconButton icon="left" label={facets_shown ? t.events.facets_hide : t.events.facets_show} aria-pressed={facets_shown ? 'true' : 'false'} onClick={() => { save('facets', !facets_shown); set_facets_shown(!facets_shown); }} data-testid="facets-toggle" />
          <ViewsMenu me={me} />
          <ColumnsMenu chosen={chosen} choose={(ids) => set_chosen(store_columns(ids))} />
          <ExportMenu select={select} total={total} />
        </div>
      </div>
      <HistogramView data={histogram.value} active={field_values(query, 'action')} toggle={toggle_action}
        brush={(from, to) => choose_range({ kind: 'fixed', from, to })}
        aside={<Segments label={t.groups.shape} value={shape} onChange={(s) => go(href_with({ group: s === 'list' ? null : s }))} options={shapes.map((s) => [s, t.groups.shapes[s]] as const)} />} />
      <div class="events-body">
        {facets_shown && <Facets view={view} select={select} filter={filter} live={live} ready={settled} />}
        <div class="events-list">
          {list.error !== undefined && !query_error && <ErrorNotice error={list.error} retry={list.reload} />}
          {shape === 'list' && fresh > 0 && (
            <button type="button" class="fresh" data-testid="fresh" onClick={() => { const box = document.querySelector('.vlist'); if (box) box.scrollTop = 0; }}>{t.events.fresh(fresh)}</button>
          )}
          {shape === 'list' ? <EventGrid list={list} chosen={columns} narrow={columns !== chosen} cursor={cursor} set_cursor={put_cursor} open={open} filter={filter} on_scrolled={set_scrolled} live={live} selected={selected} select={select_row} />
            : shape === 'pinned' ? <PinTable /> : <GroupTable by={shape} view={view} query={query} select={select} live={live} me={me} />}
          {shape === 'list' && selected.size > 0 && <SelectionBar ids={[...selected]} clear={() => set_selected(new Set())} done={() => { set_selected(new Set()); if (/\bis:/i.test(query)) list.reload(); }} />}
          {shape === 'list' && !list.loading && list.error === undefined && list.rows.length === 0 && (
            <div class="list-empty">
              <Empty title={t.events.empty}>
                <p>{query ? t.events.empty_filter : t.events.empty_none}</p>
                <div class="empty-actions">
                  {query && <Button onClick={() => apply('')}>{t.events.remove_filter}</Button>}
                  {!(range.kind === 'preset' && range.preset === 'all') && <Button onClick={() => choose_range({ kind: 'preset', preset: 'all' })}>{t.events.widen}</Button>}
                </div>
              </Empty>
            </div>
          )}
        </div>
        {open_id && <DetailPanel me={me} id={open_id} close={close} step={step} filter={filter} />}
      </div>
    </div>
  );
}
