// Is everything well? What is wrong with a node, most serious first, and where its cause is seen. Pure.
import type { Status } from '../api/types';
import { target_state } from './target_words';

export type IssueKind = 'not_ready' | 'fleet_away' | 'node' | 'ring_refused' | 'overload' | 'target' | 'lost' | 'silent';
export interface Issue {
  kind: IssueKind;
  tone: 'bad' | 'warn';
  name: string;  // of what it is about; empty: of the node
  id: string;    // of the target
  count: number;
}

// A gateway that calls no more looks like a quiet night: what is longer is said.
export const silent_after_ms = 15 * 60_000;

// Requests that were not judged whole for lack of time, so far.
export function overloaded(status: Status): number {
  return status.engine.overload_passed + status.engine.overload_blocked + status.engine.judged_by_head;
}

// `more_overloaded`: by how much overloaded() grew lately.
export function issues_of(status: Status, more_overloaded: number): Issue[] {
  const issues: Issue[] = [];
  const add = (kind: IssueKind, tone: Issue['tone'], more: Partial<Issue> = {}): void => { issues.push({ kind, tone, name: '', id: '', count: 0, ...more }); };
  if (status.ring.refused > 0) add('ring_refused', 'bad', { count: status.ring.refused });
  for (const target of status.targets) {
    const { tone } = target_state(target, target.transport, target.state !== 'disabled');
    if (tone === 'bad' || (tone === 'warn' && target.state === 'up')) add('target', 'bad', { name: target.name, id: target.id });
    if (target.lost > 0) add('lost', 'warn', { name: target.name, id: target.id, count: target.lost });
  }
  if (status.fleet?.answered === false) add('fleet_away', 'bad');
  for (const name of status.fleet?.silent ?? []) add('node', 'bad', { name });
  if (more_overloaded > 0) add('overload', 'bad', { count: more_overloaded });
  if (!status.ready) add('not_ready', 'warn');
  for (const listener of status.listeners) {
    if (listener.last_request_ms && status.now_ms - listener.last_request_ms > silent_after_ms) add('silent', 'warn', { name: listener.name });
  }
  return issues.sort((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
}
