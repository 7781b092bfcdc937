// The badge at the top of every page: all is well, or what is not, one click from its cause.
import { useEffect, useRef, useState } from 'preact/hooks';
import { status_api } from '../api/settings';
import type { Me } from '../api/types';
import { issues_of, overloaded, type Issue } from '../lib/health';
import { use_load } from '../state/load';
import { href } from '../state/route';
import { may } from '../state/session';
import { say, t } from '../text';
import { Dot } from '../ui/badge';
import { Link } from '../ui/button';
import { Hostile } from '../ui/hostile';
import { Menu } from '../ui/menu';

const refresh_ms = 10_000;
// An overload is said for so long after it was last seen.
const remembered_ms = 5 * 60_000;

function cause(issue: Issue, me: Me): string {
  if (issue.kind === 'target' || issue.kind === 'lost') return href('settings', { section: 'syslog', ...(may(me, 'admin') && me.settings_file === '' ? { target: issue.id } : {}) });
  if (issue.kind === 'node' || issue.kind === 'fleet_away') return href('fleet');
  return href('overview', { show: issue.kind === 'silent' ? 'listeners' : issue.kind === 'ring_refused' ? 'ring' : null });
}

function IssueText({ issue }: { issue: Issue }) {
  return <>{issue.name && <><Hostile text={issue.name} />: </>}{say(t.health.issues[issue.kind] ?? '', { n: issue.count })}</>;
}

function use_issues(): Issue[] | undefined {
  const { value, error } = use_load('health', (signal) => status_api.read(signal), refresh_ms);
  const [overload, set_overload] = useState({ count: 0, at_ms: 0 });
  const last = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (!value) return;
    const now = overloaded(value);
    const more = last.current === undefined ? 0 : now - last.current;
    last.current = now;
    if (more > 0) set_overload((old) => ({ count: (value.now_ms - old.at_ms > remembered_ms ? 0 : old.count) + more, at_ms: value.now_ms }));
  }, [value]);
  if (!value || error !== undefined) return undefined;
  return issues_of(value, value.now_ms - overload.at_ms > remembered_ms ? 0 : overload.count);
}

export function HealthBadge({ me }: { me: Me }) {
  const issues = use_issues();
  if (issues === undefined) return <span class="health health-unknown" data-testid="health" data-issues="" />;
  const [first] = issues;
  if (!first) return <Link to={href('overview')} class="health" data-testid="health" data-issues="0"><Dot tone="good" text={t.health.well} /></Link>;
  if (issues.length === 1) return <Link to={cause(first, me)} class={`health health-${first.tone}`} data-testid="health" data-issues="1"><Dot tone={first.tone} text="" /><span class="health-text"><IssueText issue={first} /></span></Link>;
  return (
    <span class={`health health-${first.tone}`} data-testid="health" data-issues={issues.length}>
      <Dot tone={first.tone} text="" />
      <Menu label={t.health.title} text={say(t.health.problems, { n: issues.length })} testid="health-menu">
        {(close) => (
          <ul class="health-list">
            {issues.map((issue) => <li key={`${issue.kind}${issue.name}${issue.id}`}><Link to={cause(issue, me)} onClickCapture={close}><Dot tone={issue.tone} text="" /><IssueText issue={issue} /></Link></li>)}
          </ul>
        )}
      </Menu>
    </span>
  );
}
