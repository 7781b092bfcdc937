// Reading from the server as a hook: the last good value stays on screen while a new one is fetched.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { is_abort } from '../api/client';

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  loading: boolean;
  reload: () => void;
}

// `key` says when to fetch again; `every_ms` repeats while the tab is visible.
// While `ready` is false nothing is asked for: what matters more goes first.
export function use_load<T>(key: string, fetch_it: (signal: AbortSignal) => Promise<T>, every_ms = 0, ready = true): Loaded<T> {
  const [state, set_state] = useState<{ value: T | undefined; error: unknown; loading: boolean }>({ value: undefined, error: undefined, loading: true });
  const [turn, set_turn] = useState(0);
  const latest = useRef(fetch_it);
  latest.current = fetch_it;
  useEffect(() => {
    if (!ready) return undefined;
    const abort = new AbortController();
    set_state((s) => ({ ...s, loading: true }));
    latest.current(abort.signal).then(
      (value) => { if (!abort.signal.aborted) set_state({ value, error: undefined, loading: false }); },
      (error: unknown) => { if (!abort.signal.aborted && !is_abort(error)) set_state((s) => ({ ...s, error, loading: false })); },
    );
    return () => abort.abort();
  }, [key, turn, ready]);
  const reload = useCallback(() => set_turn((n) => n + 1), []);
  useEffect(() => {
    if (every_ms === 0) return undefined;
    const timer = setInterval(() => { if (!document.hidden) reload(); }, every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return { ...state, reload };
}
