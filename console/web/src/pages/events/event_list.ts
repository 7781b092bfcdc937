// The rows of the list: pages of older events below, the live tail above.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, is_abort } from '../../api/client';
import { events_api, type Selection } from '../../api/events';
import { Tail, type TailState } from '../../api/stream';
import { first_rows, with_page, with_tail, type Rows } from './rows';

const first_page = 80;   // a screen and some: what is painted first
const page_size = 200;

export interface EventList extends Rows {
  loading: boolean;       // the first page of the present view
  loading_more: boolean;
  page_ids: string[];     // of the page read last
  error: unknown;
  skipped: number;        // matches left out of the tail since the view was opened
  unknown: number;        // records that nobody can compare with the filter any more
  arrived: number;        // rows the tail has added since then
  tail: TailState | 'off';
  load_more: () => void;
  reload: () => void;
}

export function use_event_list(key: string, select: () => Selection, live: boolean): EventList {
  const [list, set_list] = useState<Rows>({ rows: [], before: null, end: 0, fleet: undefined });
  const [page_ids, set_page_ids] = useState<string[]>([]);
  const [loading, set_loading] = useState(true);
  const [loading_more, set_loading_more] = useState(false);
  const [error, set_error] = useState<unknown>();
  const [skipped, set_skipped] = useState(0);
  const [unknown, set_unknown] = useState(0);
  const [arrived, set_arrived] = useState(0);
  const [tail, set_tail] = useState<TailState | 'off'>('off');
  const [turn, set_turn] = useState(0);
  const [loaded_key, set_loaded_key] = useState('');
  const now = useRef({ list, select, loading_more, loaded_key });
  now.current = { list, select, loading_more, loaded_key };
  const this_key = `${key}\n${turn}`;

  useEffect(() => {
    const abort = new AbortController();
    set_loading(true);
    set_skipped(0);
    set_unknown(0);
    set_arrived(0);
    events_api.page(now.current.select(), first_page, null, abort.signal).then(
      (page) => {
        set_list(first_rows(page));
        set_page_ids(page.events.map((e) => e.record.event_id));
        set_error(undefined);
        set_loading(false);
        set_loaded_key(this_key);
      },
      (caught: unknown) => {
        if (is_abort(caught)) return;
        set_error(caught);
        set_loading(false);
      },
    );
    return () => abort.abort();
  }, [this_key]);

  // The tail begins where reading the first page ended, so that nothing falls between and nothing is looked at twice:
  // the newest match may lie far back. When live is switched on again, rows that came since then count too.
  useEffect(() => {
    if (!live || loaded_key !== this_key) {
      set_tail('off');
      return undefined;
    }
    const { rows, end } = now.current.list;
    const opened = new Tail(now.current.select().q, Math.max(end - 1, Number(rows[0]?.place) || 0), {
      on_events: (items, dropped, at) => {
        set_list((old) => with_tail(old, items, at));
        set_arrived((n) => n + items.length);
        if (dropped > 0) set_skipped((n) => n + dropped);
      },
      on_skipped: (count, lost) => {
        set_skipped((n) => n + count);
        set_unknown((n) => n + lost);
      },
      on_state: set_tail,
      on_fleet: (fleet) => set_list((old) => ({ ...old, fleet })),
    });
    return () => opened.close();
  }, [live, loaded_key, this_key]);

  const load_more = useCallback(() => {
    const { list: { before }, loading_more: busy, select: selection, loaded_key: for_key } = now.current;
    if (before === null || busy || for_key === '') return;
    set_loading_more(true);
    events_api.page(selection(), page_size, before).then(
      (page) => {
        if (now.current.loaded_key === for_key) {
          set_page_ids(page.events.map((e) => e.record.event_id));
          set_list((old) => with_page(old, page));
        }
        set_loading_more(false);
      },
      (caught: unknown) => {
        const superseded = caught instanceof ApiError && caught.problem.status === 409;  // by another filter's first page
        if (!superseded) set_error(caught);
        set_loading_more(false);
      },
    );
  }, []);
  const reload = useCallback(() => set_turn((n) => n + 1), []);
  return { ...list, loading: loading || loaded_key !== this_key && error === undefined, loading_more, page_ids, error, skipped, unknown, arrived, tail, load_more, reload };
}
