// Is everything well? Listeners, engine, targets, ring: with the numbers and a link to what is behind them.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { events_api } from '../api/events';
import { status_api } from '../api/settings';
import type { ListenerStatus } from '../api/status_types';
import type { Action, Me, Status } from '../api/types';
import { count_text, duration_text, micro_text, size_text } from '../lib/format';
import { silent_after_ms } from '../lib/health';
import { problem_text } from '../lib/reasons';
import { target_state } from '../lib/target_words';
import { use_load } from '../state/load';
import { href, use_route } from '../state/route';
import { may } from '../state/session';
import { say, t } from '../text';
import { ActionBadge, Dot } from '../ui/badge';
import { Link } from '../ui/button';
import { Hostile } from '../ui/hostile';
import { Card, Empty, Notice, Pending } from '../ui/panel';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { TopCard } from './top_card';
import { Change, TrafficCard } from './traffic_card';

const refresh_ms = 5_000;
const day_ms = 86_400_000;
const second_reading_ms = 1_000;

function Figure({ label, value, sub, to }: { label: ComponentChildren; value: string; sub?: ComponentChildren; to?: string }) {
  return (
    <div class="figure">
      <div class="figure-label">{label}</div>
      <div class="figure-value">{to ? <Link to={to}>{value}</Link> : value}</div>
      <div class="figure-sub muted">{sub ?? '\u00a0'}</div>
    </div>
  );
}

function refused_text(refused: Record<string, number>): string {
  const rows = Object.entries(refused).filter(([, n]) => n > 0);
  return rows.length === 0 ? '0' : rows.map(([reason, n]) => `${reason} ${count_text(n)}`).join(', ');
}

function ListenerState({ listener, now }: { listener: ListenerStatus; now: number }) {
  if (!listener.last_request_ms) return <Dot tone="quiet" text={t.overview.never_called} />;
  if (now - listener.last_request_ms > silent_after_ms) return <Dot tone="warn" text={t.overview.silent} />;
  return <Dot tone="good" text={t.overview.active} />;
}

// Gateways that hand over no bodies: those of a whole listener, or, beside others, those before a site.
function NoBodies({ status }: { status: Status }) {
  const never = (counts: { bodies_seen: number; bodies_missing: number } | null) =>
    counts !== null && counts.bodies_missing > 0 && counts.bodies_seen === 0;
  const listeners = status.listeners.filter(never).map((l) => ({ key: l.name, text: say(t.overview.no_body, { listener: l.name, n: l.bodies_missing }) }));
  const sites = status.sites.filter((s) => never(s.today)).map((s) => ({ key: s.uuid, text: say(t.overview.no_body_site, { site: s.name, n: s.today!.bodies_missing }) }));
  return (
    <>
      {(listeners.length > 0 ? listeners : sites).map(({ key, text }) => (
        <Notice key={key} tone="warn" testid="no-body">
          {text}
          <details><summary>{t.overview.no_body_help}</summary>{t.overview.no_body_why}</details>
        </Notice>
      ))}
    </>
  );
}

function Listeners({ status }: { status: Status }) {
  return (
    <Card title={t.overview.listeners} testid="listeners">
      <NoBodies status={status} />
      <Table fixed rows={status.listeners} key_of={(l) => `${l.name}${l.address}`} columns={[
        { id: 'name', title: t.overview.listener, width: '8%', draw: (l) => l.name, sort: (l) => l.name },
        { id: 'state', title: t.overview.state, width: '176px', draw: (l) => <ListenerState listener={l} now={status.now_ms} /> },
        { id: 'address', title: t.overview.address, width: '17%', kind: 'code', draw: (l) => l.address, sort: (l) => l.address },
        { id: 'last', title: t.overview.last_request, width: '108px', draw: (l) => <Ago ms={l.last_request_ms} now={status.now_ms} />, sort: (l) => l.last_request_ms ?? 0 },
        { id: 'requests', title: t.overview.requests, width: '104px', kind: 'number', draw: (l) => count_text(l.requests), sort: (l) => l.requests },
        { id: 'connections', title: t.overview.connections, width: '112px', kind: 'number', draw: (l) => count_text(l.connections), sort: (l) => l.connections },
        { id: 'enforcing', title: t.overview.enforcing, width: '96px', draw: (l) => (l.enforcing ? t.common.yes : t.overview.watching) },
        { id: 'refused', title: t.overview.refused, draw: (l) => refused_text(l.refused) },
      ]} />
    </Card>
  );
}

function Targets({ status, me }: { status: Status; me: Me }) {
  const to = href('settings', { section: 'syslog' });
  return (
    <Card title={t.overview.targets} testid="targets-status">
      {status.targets.length === 0 ? <Empty title={t.overview.no_targets}>{may(me, 'admin') && <Link to={href('settings', { section: 'syslog', target: 'new' })}>{t.overview.add_target}</Link>}</Empty> : (
        <Table fixed rows={status.targets} key_of={(target) => target.id} columns={[
          { id: 'name', title: t.overview.target, width: '14%', draw: (target) => <Link to={to}><Hostile text={target.name} title /></Link>, sort: (target) => target.name },
          { id: 'state', title: t.overview.state, width: '168px', draw: (target) => { const state = target_state(target, target.transport, target.state !== 'disabled'); return <Dot tone={state.tone} text={t.target_state[state.key] ?? state.key} />; }, sort: (target) => target.state },
          { id: 'address', title: t.overview.address, width: '15%', kind: 'code', draw: (target) => `${t.syslog.transports[target.transport]} ${target.host}:${target.port}`, sort: (target) => target.host },
          { id: 'lag', title: t.overview.lag, width: '116px', kind: 'number', draw: (target) => `${count_text(target.lag_events)}${target.lag_events > 0 ? ` · ${duration_text(target.lag_ms)}` : ''}`, sort: (target) => target.lag_events },
          { id: 'sent', title: t.overview.sent, width: '92px', kind: 'number', draw: (target) => count_text(target.sent), sort: (target) => target.sent },
          { id: 'acknowledged', title: t.overview.acknowledged, width: '122px', kind: 'number', draw: (target) => (target.transport === 'udp' ? '–' : count_text(target.acknowledged)), sort: (target) => target.acknowledged },
          { id: 'lost', title: t.overview.lost, width: '68px', kind: 'number', draw: (target) => <span class={target.lost > 0 ? 'bad' : ''}>{count_text(target.lost)}</span>, sort: (target) => target.lost },
          { id: 'error', title: t.overview.last_error, draw: (target) => <div class="last-error">{target.last_error ? <><Hostile text={target.last_error} title /> <span class="muted"><Ago ms={target.last_error_ms} now={status.now_ms} /></span></> : <span class="muted">{t.common.none}</span>}</div> },
        ]} />
      )}
    </Card>
  );
}

function Ring({ status }: { status: Status }) {
  const { ring } = status;
  const share = Math.min(1, ring.used_octets / Math.max(1, ring.size_octets));
  return (
    <Card title={t.overview.ring} testid="ring-status">
      <div class="meter" role="img" aria-label={say(t.overview.ring_fill, { used: size_text(ring.used_octets), size: size_text(ring.size_octets) })}><span style={{ width: `${share * 100}%` }} /></div>
      <dl class="pairs">
        <div><dt>{t.overview.ring}</dt><dd>{say(t.overview.ring_fill, { used: size_text(ring.used_octets), size: size_text(ring.size_octets) })}</dd></div>
        <div><dt>{t.overview.ring_events}</dt><dd><Link to={href('events', { range: 'all' })}>{count_text(ring.end_seq - ring.oldest_seq)}</Link></dd></div>
        <div><dt>{t.overview.ring_reach}</dt><dd>{ring.oldest_ms ? duration_text(status.now_ms - ring.oldest_ms) : t.overview.ring_empty}{ring.reach_ms ? `; ${say(t.overview.ring_reach_rate, { d: duration_text(ring.reach_ms) })}` : ''}</dd></div>
        <div><dt>{t.overview.ring_refused}</dt><dd class={ring.refused > 0 ? 'bad' : ''}>{count_text(ring.refused)}</dd></div>
        {ring.recovery && <div><dt>{t.overview.notes}</dt><dd>{problem_text(ring.recovery)}</dd></div>}
      </dl>
    </Card>
  );
}

function Console({ status }: { status: Status }) {
  return (
    <Card title={t.overview.console}>
      <dl class="pairs">
        <div><dt>{t.overview.node}</dt><dd>{status.node}</dd></div>
        <div><dt>{t.overview.version}</dt><dd>{status.version}</dd></div>
        <div><dt>{t.overview.address}</dt><dd class="mono">{status.console.address}</dd></div>
        <div><dt>{t.overview.connections}</dt><dd>{count_text(status.console.connections)} · {t.overview.streams.toLowerCase()} {count_text(status.console.streams)} · {t.overview.sessions.toLowerCase()} {count_text(status.console.sessions)}</dd></div>
        <div><dt>{t.overview.rules_loaded}</dt><dd>{count_text(status.engine.rules)}</dd></div>
        <div><dt>{t.overview.refused}</dt><dd>{refused_text(status.console.refused)}</dd></div>
        <div><dt>{t.overview.settings_version}</dt><dd>{status.settings.version}</dd></div>
        <div><dt>{t.overview.fingerprint}</dt><dd class="mono breakable">{status.console.fingerprint_sha256}</dd></div>
      </dl>
    </Card>
  );
}

interface Rates { requests: string; events: string }

// Per second between the last two readings.
function use_rates(status: Status | undefined): Rates {
  const kept = useRef<{ now_ms: number; requests: number; events: number; rates: Rates } | undefined>(undefined);
  const last = kept.current;
  if (status && last?.now_ms !== status.now_ms) {
    const seconds = last ? (status.now_ms - last.now_ms) / 1000 : 0;
    const rate = (now: number, then: number): string => (now < then ? '–' : ((now - then) / seconds).toFixed(1));
    const requests = status.engine.requests;
    const events = status.ring.end_seq;
    kept.current = { now_ms: status.now_ms, requests, events, rates: last && seconds > 0 ? { requests: rate(requests, last.requests), events: rate(events, last.events) } : { requests: '–', events: '–' } };
  }
  return kept.current?.rates ?? { requests: '–', events: '–' };
}

// A link to one of the cards shows that one.
function use_shown(ready: boolean): void {
  const shown = use_route().params.get('show');
  useEffect(() => {
    if (ready && shown) document.querySelector(`[data-testid="${shown === 'ring' ? 'ring-status' : 'listeners'}"]`)?.scrollIntoView({ block: 'center' });
  }, [ready, shown]);
}

export function OverviewPage({ me }: { me: Me }) {
  const status = use_load('status', (signal) => status_api.read(signal), refresh_ms);
  const day = use_load('day', (signal) => events_api.histogram({ q: '', from: Date.now() - 2 * day_ms }, 2, signal), refresh_ms);
  const s = status.value;
  const rates = use_rates(s);
  // Rates need two readings: the second one comes soon.
  const first = s !== undefined;
  useEffect(() => {
    if (!first) return undefined;
    const timer = setTimeout(status.reload, second_reading_ms);
    return () => clearTimeout(timer);
  }, [first]);
  use_shown(first);
  const today = s ? s.sites.reduce((n, site) => n + (site.today?.requests ?? 0), 0) : 0;
  // Two buckets: the last day, and the one before if the ring reaches back so far.
  const [before, now] = day.value?.buckets ?? [];
  const known = s?.ring.oldest_ms && before ? s.ring.oldest_ms <= before.t : false;
  const count = (action: Action): string => (now ? count_text(now[action]) : '–');
  const changed = (action: Action): ComponentChildren => <>{t.overview.day}{now && <><br /><Change now={now[action]} before={known ? before?.[action] : undefined} /></>}</>;
  return (
    <div class="page" data-testid="overview">
      <header class="section-head"><h1>{t.overview.title}</h1><Link to={href('report')} class="button" data-testid="report-open">{t.report.title}</Link></header>
      <Pending of={status} />
      {s && !s.ready && <Notice tone="warn">{t.overview.not_ready}</Notice>}
      {s && s.ring.refused > 0 && <Notice tone="bad">{say(t.overview.ring_refused_bad, { n: s.ring.refused })}</Notice>}
      {s?.settings.notice && <Notice tone="warn">{s.settings.notice}</Notice>}
      {s?.notes.map((note) => <Notice key={note} tone="info">{problem_text(note)}</Notice>)}
      {day.value?.fleet?.answered === false && <Notice tone="bad" testid="fleet-away">{t.events.fleet_away} <Hostile text={day.value.fleet.why} /></Notice>}
      <TrafficCard />
      <div class="figures">
        <Figure label={<ActionBadge action="deny" />} value={count('deny')} sub={changed('deny')} to={href('events', { q: 'action:deny' })} />
        <Figure label={<ActionBadge action="monitor" />} value={count('monitor')} sub={changed('monitor')} to={href('events', { q: 'action:monitor' })} />
        <Figure label={<ActionBadge action="allow" />} value={count('allow')} sub={changed('allow')} to={href('events', { q: 'action:allow' })} />
        <Figure label={t.overview.requests_today} value={s ? count_text(today) : '–'} sub={s ? say(t.overview.rates, { requests: rates.requests, events: rates.events }) : ''} />
        <Figure label={t.overview.judged_in} value={s && s.engine.requests > 0 ? micro_text(s.engine.detect_us_p50) : '–'} sub={s && s.engine.requests > 0 ? say(t.overview.slowest, { p99: micro_text(s.engine.detect_us_p99), p999: micro_text(s.engine.detect_us_p999) }) : ''} />
        <Figure label={t.overview.inspected} value={s ? size_text(s.engine.inspected_octets) : '–'} sub={s ? say(t.overview.inspected_of, { s: size_text(s.engine.total_octets) }) : ''} />
      </div>
      {s && <Listeners status={s} />}
      {s && <Targets status={s} me={me} />}
      <div class="columns-2">
        <TopCard field="type" title={t.overview.top_type} />
        <TopCard field="src" title={t.overview.top_src} />
        <TopCard field="path" title={t.overview.top_path} />
        <TopCard field="rule" title={t.overview.top_rule} />
        <TopCard field="host" title={t.overview.top_host} />
        <TopCard field="country" title={t.overview.top_country} none={t.overview.no_country} />
        {s && <Ring status={s} />}
        {s && <Console status={s} />}
      </div>
    </div>
  );
}
