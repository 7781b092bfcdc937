// Reading from the server as a hook: the last good value stays on screen while a new one is fetched.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { is_abort } from '../api/client';

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  loading: boolean;
  reload: () => void;
}

interface Of<T> { value: T | undefined; error: unknown; loading: boolean }

// `key` says when to fetch again; `every_ms` repeats while the tab is visible.
// While `ready` is false nothing is asked for: what matters more goes first.
export function use_load<T>(key: string, fetch_it: (signal: AbortSignal) => Promise<T>, every_ms = 0, ready = true): Loaded<T> {
  const [state, set_state] = useState<Of<T>>({ value: undefined, error: undefined, loading: true });
  const [turn, set_turn] = useState(0);
  const busy = useRef(false);
  const latest = useRef(fetch_it);
  latest.current = fetch_it;
  useEffect(() => {
    if (!ready) return undefined;
    const abort = new AbortController();
    busy.current = true;
    set_state((s) => ({ ...s, loading: true }));
    const ended = (next: (s: Of<T>) => Of<T>): void => {
      if (abort.signal.aborted) return;
      busy.current = false;
      set_state(next);
    };
    latest.current(abort.signal).then(
      (value) => ended(() => ({ value, error: undefined, loading: false })),
      (error: unknown) => { if (!is_abort(error)) ended((s) => ({ ...s, error, loading: false })); },
    );
    return () => { busy.current = false; abort.abort(); };
  }, [key, turn, ready]);
  const reload = useCallback(() => set_turn((n) => n + 1), []);
  useEffect(() => {
    if (every_ms === 0) return undefined;
    // An answer that takes longer than the interval is waited for: asking again would cut it off each time.
    const timer = setInterval(() => { if (!document.hidden && !busy.current) reload(); }, every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return { ...state, reload };
}
