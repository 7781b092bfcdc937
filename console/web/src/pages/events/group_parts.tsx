// What every table of groups has: reading them in steps, and their counts as a number and a bar.
import { useEffect, useRef } from 'preact/hooks';
import type { Selection } from '../../api/events';
import { triage_api, type Group, type GroupBy, type Groups } from '../../api/triage';
import { count_text } from '../../lib/format';
import { use_load, type Loaded } from '../../state/load';
import { say, t } from '../../text';

export const refresh_ms = 15_000;

export function Counts({ group }: { group: Group }) {
  return (
    <span class="group-counts" title={say(t.events.bucket, { time: '', deny: group.deny, monitor: group.monitor, allow: group.allow }).replace(/^: /, '')}>
      <strong>{count_text(group.count)}</strong>
      <span class="group-bar" aria-hidden="true">
        {(['deny', 'monitor', 'allow'] as const).map((action) => group[action] > 0 && <i key={action} class={`bar-${action}`} style={{ flexGrow: group[action] }} />)}
      </span>
    </span>
  );
}

// The server counts in steps: what it has is shown, and it is asked again until nothing is unread, or no less than before.
export function use_groups(by: GroupBy, view: string, select: () => Selection, every_ms: number): Loaded<Groups> {
  const key = `${by}\n${view}`;
  const groups = use_load(key, (signal) => triage_api.groups(by, select(), signal), every_ms);
  const { value, reload } = groups;
  const before = useRef({ key: '', unread: Infinity });
  useEffect(() => {
    if (!value) return;
    const less = before.current.key !== key || value.unread < before.current.unread;
    before.current = { key, unread: value.unread };
    if (less && value.unread > 0) reload();
  }, [value]);
  return value && value.by !== by ? { ...groups, value: undefined } : groups;  // of another shape: its columns are others
}
