// The nodes of a fleet: which there are, what each said last, and which should tell and does not.
import { fleet_api } from '../api/settings';
import type { FleetNode, Me } from '../api/types';
import { count_text, duration_text } from '../lib/format';
import { use_load } from '../state/load';
import { href } from '../state/route';
import { may } from '../state/session';
import { say, t } from '../text';
import { Dot } from '../ui/badge';
import { Link } from '../ui/button';
import { Hostile } from '../ui/hostile';
import { Card, Notice, Pending } from '../ui/panel';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { RemoveButton } from './settings/crud';

const refresh_ms = 5_000;
const far_off_ms = 2_000;  // clocks

function TargetsOf({ node }: { node: FleetNode }) {
  return <>{node.targets.map((target) => <div key={target.name}><Dot tone={target.state === 'up' ? 'good' : 'bad'} text="" /> <Hostile text={target.name} />{target.lag_events > 0 && ` ${count_text(target.lag_events)} · ${duration_text(target.lag_ms)}`}</div>)}</>;
}

export function FleetPage({ me }: { me: Me }) {
  const fleet = use_load('fleet', fleet_api.read, refresh_ms);
  const f = fleet.value;
  const clock = (ms: number): string => `${Math.abs(ms) < 50 ? '' : ms < 0 ? '−' : '+'}${(Math.abs(ms) / 1000).toFixed(1)} s`;
  return (
    <div class="page" data-testid="fleet">
      <header class="section-head"><h1>{t.fleet.title}</h1></header>
      <Pending of={fleet} />
      {f && !f.answered && f.why && <Notice tone="bad" testid="fleet-down">{t.fleet.away} <Hostile text={f.why} /></Notice>}
      {f && (
        <Card title={say(t.fleet.nodes, { place: f.place })}>
          <Table rows={f.nodes} key_of={(n) => n.node + n.instance} columns={[
            { id: 'node', title: t.overview.node, draw: (n) => <Link to={href('events', { q: `node:"${n.node}"` })}><Hostile text={n.node} title /></Link>, sort: (n) => n.node },
            { id: 'state', title: t.overview.state, kind: 'short', draw: (n) => <Dot tone={n.silent ? 'bad' : 'good'} text={n.silent ? t.fleet.silent : t.fleet.tells} />, sort: (n) => Number(n.silent) },
            { id: 'seen', title: t.fleet.seen, kind: 'short', draw: (n) => <Ago ms={n.seen_ms} now={f.now_ms} />, sort: (n) => n.seen_ms },
            { id: 'load', title: t.fleet.load, kind: 'number', draw: (n) => n.requests_per_s.toFixed(1), sort: (n) => n.requests_per_s },
            { id: 'queue', title: t.overview.lag, kind: 'number', draw: (n) => count_text(n.waiting), sort: (n) => n.waiting },
            { id: 'last', title: t.overview.last_request, kind: 'short', draw: (n) => <Ago ms={n.last_request_ms} now={f.now_ms} />, sort: (n) => n.last_request_ms ?? 0 },
            { id: 'targets', title: t.overview.targets, draw: (n) => <TargetsOf node={n} /> },
            { id: 'clock', title: t.fleet.clock, kind: 'number', draw: (n) => <span class={Math.abs(n.clock_ms) > far_off_ms ? 'bad' : ''}>{clock(n.clock_ms)}</span>, sort: (n) => Math.abs(n.clock_ms) },
            { id: 'settings', title: t.overview.settings_version, draw: (n) => <>{n.settings_version}{n.settings_error && <div class="bad"><Hostile text={n.settings_error} /></div>}</>, sort: (n) => n.settings_version },
            { id: 'version', title: t.overview.version, kind: 'short', draw: (n) => n.version, sort: (n) => n.version },
            { id: 'act', title: '', kind: 'act', draw: (n) => n.silent && may(me, 'admin') && <RemoveButton title={n.node} text={t.fleet.forget_text} action={t.fleet.forget} remove={() => fleet_api.forget(n.instance)} done={fleet.reload} /> },
          ]} />
        </Card>
      )}
    </div>
  );
}
