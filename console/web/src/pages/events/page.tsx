// The event page: filter, histogram, top lists, list and detail, all of one selection that lives in the address.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import type { Selection } from '../../api/events';
import type { Action, Me } from '../../api/types';
import { field_values, with_field, with_term } from '../../lib/query';
import { bounds, range_from, range_params, type Range } from '../../lib/range';
import { plain_key } from '../../state/keys';
import { load, save } from '../../state/prefs';
import { read_marks } from '../../state/marks';
import { use_media } from '../../state/media';
import { go, href_with, use_route } from '../../state/route';
import { may } from '../../state/session';
import { say, t } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Segments } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice, Notice } from '../../ui/panel';
import { DetailPanel } from './detail';
import { are_default, narrow_columns, stored_columns, store_columns } from './columns';
import { use_event_list } from './event_list';
import { use_counts } from './counts';
import { Facets, use_open_facets } from './facets';
import { HistogramView } from './histogram';
import { EventGrid, set_may_mark } from './list';
import type { Row } from './rows';
import { GroupTable, PinTable } from './groups';
import { SourceTable } from './source_groups';
import { Onboarding } from './onboarding';
import { QueryBox } from './query_box';
import { ColumnsMenu, ExportMenu, LiveButton, RangeChoice } from './toolbar';
import { SelectionBar } from './triage';
import { start_view, ViewsMenu } from './views_menu';

const no_fields: string[] = [];
// Below this the top lists would push columns of the list out of sight: shown once asked for.
const narrow_window = matchMedia('(max-width: 1180px)');
const is_boolean = (value: unknown): value is boolean => typeof value === 'boolean';

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
  const [entered, set_entered] = useState(0);  // when Enter opened the event; 0: nobody did
  const [cursor, set_cursor] = useState(-1);
  const [scrolled, set_scrolled] = useState(0);
  const live_possible = range.kind === 'preset';
  const live = live_wanted && live_possible;
  const list = use_event_list(view, select, live);
  const facets = use_open_facets();
  const none = !list.loading && list.error === undefined && list.rows.length === 0 && list.before === null;
  const counts = use_counts(view, select, facets_shown ? facets.open : no_fields, live, !list.loading, none);

  useEffect(() => {
    const abort = new AbortController();
    read_marks(list.page_ids, abort.signal);
    return () => abort.abort();
  }, [list.page_ids]);

  const apply = useCallback((q: string, how: 'push' | 'replace' = 'push') => go(href_with({ q, event: null }), how), []);
  const filter = useCallback((field: string, value: string, negated: boolean) => apply(with_term(query, field, value, negated)), [query]);
  const choose_range = (next: Range): void => go(href_with({ ...range_params(next), event: null }));
  const open = useCallback((row: Row) => { set_entered(0); go(href_with({ event: row.id }), open_id ? 'replace' : 'push'); }, [open_id]);
  const close = useCallback(() => {
    // Whoever was in the detail goes on in the list.
    if (document.activeElement?.closest('.detail')) document.querySelector<HTMLElement>('.vlist-grid')?.focus();
    go(href_with({ event: null }));
  }, []);
  const toggle_live = useCallback(() => set_live_wanted((on) => { save('live', !on); return !on; }), []);

  // The cursor stays on its event while rows arrive above it.
  const cursor_id = useRef<string | undefined>(undefined);
  const at = useRef(-1);  // the cursor as the next key sees it, before anything is drawn again
  at.current = cursor;
  const put_cursor = useCallback((index: number) => { cursor_id.current = list.rows[index]?.id; at.current = index; set_cursor(index); }, [list.rows]);
  useEffect(() => {
    if (cursor_id.current === undefined) return;
    set_cursor(list.rows.findIndex((row) => row.id === cursor_id.current));
  }, [list.rows]);
  useEffect(() => { cursor_id.current = undefined; set_cursor(-1); }, [view]);
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
      else if (event.key === 'Enter' && row && !on_control) { open(row); set_entered(event.timeStamp); }
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
  const total = counts.value?.histogram.total;
  const away = [list.fleet, counts.value?.fleet].find((one) => one?.answered === false);
  const narrow = use_media(narrow_window);
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
        <LiveButton wanted={live_wanted} possible={live_possible} state={list.tail} skipped={list.skipped} unknown={list.unknown} toggle={toggle_live} />
        <div class="toolbar-icons">
          <IconButton icon="left" label={facets_shown ? t.events.facets_hide : t.events.facets_show} aria-pressed={facets_shown ? 'true' : 'false'} onClick={() => { save('facets', !facets_shown); set_facets_shown(!facets_shown); }} data-testid="facets-toggle" />
          <ViewsMenu me={me} />
          <ColumnsMenu chosen={chosen} choose={(ids) => set_chosen(store_columns(ids))} />
          <ExportMenu select={select} total={total} />
        </div>
      </div>
      <HistogramView data={counts.value?.histogram} wanted_from={bounds(range, counts.value?.histogram.to ?? 0).from} oldest_ms={counts.value?.oldest_ms ?? null} active={field_values(query, 'action')} toggle={toggle_action}
        brush={(from, to) => choose_range({ kind: 'fixed', from, to })}
        aside={<Segments label={t.groups.shape} value={shape} onChange={(s) => go(href_with({ group: s === 'list' ? null : s }))} options={shapes.map((s) => [s, t.groups.shapes[s]] as const)} />} />
      <div class="events-body">
        {facets_shown && <Facets tops={counts.value?.top} failed={counts.error !== undefined} filter={filter} open={facets.open} toggle={facets.toggle} />}
        <div class="events-list">
          {away && <Notice tone="bad" testid="fleet-away">{t.events.fleet_away} <Hostile text={away.why} /> <Button small onClick={list.reload}>{t.common.retry}</Button></Notice>}
          {list.error !== undefined && !query_error && <ErrorNotice error={list.error} retry={list.reload} />}
          {shape === 'list' && fresh > 0 && (
            <button type="button" class="fresh" data-testid="fresh" onClick={() => { const box = document.querySelector('.vlist'); if (box) box.scrollTop = 0; }}>{say(t.events.fresh, { n: fresh })}</button>
          )}
          {shape === 'list' ? <EventGrid list={list} view={view} chosen={columns} narrow={columns !== chosen} cursor={cursor} set_cursor={put_cursor} open={open} filter={filter} on_scrolled={set_scrolled} live={live} selected={selected} select={select_row} />
            : shape === 'pinned' ? <PinTable /> : shape === 'attackers' ? <SourceTable view={view} query={query} select={select} live={live} me={me} /> : <GroupTable by={shape} view={view} query={query} select={select} live={live} me={me} />}
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
              {!query && live_possible && <Onboarding />}
            </div>
          )}
        </div>
        {open_id && <DetailPanel me={me} id={open_id} entered={entered} close={close} step={step} filter={filter} />}
      </div>
    </div>
  );
}
