// Histogram and top lists: one request, asked for when the list is there.
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { events_api, type Selection } from '../../api/events';
import type { Counts } from '../../api/types';
import { use_load, type Loaded } from '../../state/load';

const buckets = 96;
const values = 6;
const refresh_ms = 5_000;
const rest = 15;  // while live the server rests this many times as long as the last answer took

// `none`: the whole list is known to be empty, so that there is nothing to count.
function nothing(selection: Selection, fields: string[]): Counts {
  const to = selection.to ?? Date.now();
  const from = selection.from ?? to - 1;
  return {
    histogram: { from, to, bucket_ms: Math.max(1, to - from), buckets: [{ t: from, deny: 0, monitor: 0, allow: 0 }], total: 0 },
    top: fields.map((field) => ({ field, total: 0, distinct: 0, values: [] })),
    oldest_ms: null,
  };
}

export function use_counts(view: string, select: () => Selection, fields: string[], live: boolean, ready: boolean, none: boolean): Loaded<Counts> {
  const took_ms = useRef(0);
  const due_ms = useRef(0);
  const read = useCallback(async (signal: AbortSignal): Promise<Counts> => {
    const selection = select();
    if (none) return nothing(selection, fields);
    const begun = performance.now();
    due_ms.current = begun + refresh_ms;  // also for what fails
    const counts = await events_api.counts(selection, buckets, fields, values, signal);
    took_ms.current = performance.now() - begun;
    due_ms.current = performance.now() + Math.max(refresh_ms, rest * took_ms.current);
    return counts;
  }, [select, fields.join(), none]);
  const loaded = use_load(`${view}\n${fields.join()}\n${String(none)}`, read, 0, ready);
  useEffect(() => {
    if (!live || !ready) return undefined;
    const timer = setInterval(() => {
      if (document.hidden || loaded.loading || performance.now() < due_ms.current) return;
      loaded.reload();
    }, 1_000);
    return () => clearInterval(timer);
  }, [live, ready, loaded.loading]);
  return loaded;
}
