// Triage of the events on screen. Rows that were never asked for count as untouched.
import { is_abort } from '../api/client';
import { triage_api, type Label, type Mark, type State } from '../api/triage';
import { Store, use_store } from './store';

const max_kept = 5_000;
const marks = new Store<ReadonlyMap<string, Mark>>(new Map());

export function use_marks(): ReadonlyMap<string, Mark> {
  return use_store(marks);
}

function keep(fresh: Mark[]): void {
  const next = new Map(marks.get().size + fresh.length > max_kept ? [] : marks.get());
  for (const mark of fresh) next.set(mark.event_id, mark);
  marks.set(next);
}

export function read_marks(ids: string[], signal?: AbortSignal): void {
  if (ids.length === 0) return;
  triage_api.marks(ids, signal).then(keep, (error: unknown) => { if (!is_abort(error)) console.warn('marks were not read'); });
}

export async function change_marks(ids: string[], change: { state?: State; label?: Label; note?: string }): Promise<void> {
  keep(await triage_api.set_marks(ids, change));
}

export async function set_pinned(id: string, pinned: boolean): Promise<void> {
  if (pinned) await triage_api.pin(id);
  else await triage_api.unpin(id);
  keep(await triage_api.marks([id]));
}
