// One source: where it is, when it came, what it tried and where, and whether a list holds it.
import { useState } from 'preact/hooks';
import { events_api } from '../../api/events';
import { lists_api } from '../../api/settings';
import { sources_api, type Source } from '../../api/sources';
import type { Histogram, Me } from '../../api/types';
import { clock_text, count_text, time_text, zone_name } from '../../lib/format';
import { term } from '../../lib/query';
import { use_load } from '../../state/load';
import { href, use_route } from '../../state/route';
import { may } from '../../state/session';
import { say, t } from '../../text';
import { ActionBadge, Dot } from '../../ui/badge';
import { Bars, Marks, Ticks } from '../../ui/bars';
import { Button, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { Card, Confirm, Empty, Notice, Pending } from '../../ui/panel';
import { GroupTable } from '../events/groups';
import { TopValues, top_values } from '../top_card';
import { BlockDialog } from './block_dialog';

const actions = ['deny', 'monitor', 'allow'] as const;
const tops = ['type', 'rule', 'host', 'path', 'ua', 'method'] as const;
const bars = 60;
const height = 150;  // of .bars-tall

function Chart({ data }: { data: Histogram }) {
  const columns = data.buckets.map((bucket) => actions.map((action) => bucket[action]));
  const total = (action: (typeof actions)[number]): number => data.buckets.reduce((n, bucket) => n + bucket[action], 0);
  return (
    <>
      <p class="source-sums"><strong data-testid="source-total">{say(t.events.total, { n: data.total })}</strong> {actions.map((action) => <span key={action}><ActionBadge action={action} /> {count_text(total(action))}</span>)}</p>
      <div class="bars-keys">
        <svg class="bars bars-tall" viewBox={`0 0 ${bars} ${height}`} preserveAspectRatio="none" role="img" aria-label={say(t.sources.chart, { n: count_text(data.total) })}>
          <Bars columns={columns} kinds={actions} height={height} />
        </svg>
        <Marks columns={columns} height={height} />
      </div>
      <Ticks from={data.from} to={data.to} />
      <div class="bars-axis" aria-hidden="true"><span>{time_text(data.from)}</span><span>{say(t.events.times_in, { zone: zone_name() })}</span><span>{clock_text(data.to)}</span></div>
    </>
  );
}

function Standing({ source }: { source: Source }) {
  const s = t.sources;
  if (source.lists.length === 0) return <Dot tone="quiet" text={s.on_no_list} />;
  return (
    <>
      {source.lists.map((entry) => (
        <div key={entry.id}>
          <Dot tone={entry.kind === 'deny' ? 'bad' : 'good'} text={entry.expires_s ? say(s.until[entry.kind], { time: time_text(entry.expires_s * 1000) }) : s.always[entry.kind]} /> <code>{entry.cidr}</code> <Hostile text={entry.comment} />
        </div>
      ))}
    </>
  );
}

function Facts({ source }: { source: Source }) {
  const s = t.sources;
  const place = [source.country, source.province, source.city].filter(Boolean).join(' · ');
  const network = [source.as_number ? `AS${source.as_number}` : '', source.as_name].filter(Boolean).join(' ');
  return (
    <dl class="pairs" data-testid="source-facts">
      <div><dt>{s.place}</dt><dd>{place ? <Hostile text={place} /> : <span class="muted">{s.no_place}</span>}</dd></div>
      <div><dt>{s.network}</dt><dd>{network ? <Hostile text={network} /> : <span class="muted">{s.no_network}</span>}</dd></div>
      <div><dt>{s.lists}</dt><dd><Standing source={source} /></dd></div>
    </dl>
  );
}

// The entry that denies this address alone: others deny more, and are changed in the settings.
function own_entry(source: Source) {
  return source.lists.find((entry) => entry.kind === 'deny' && (entry.cidr === `${source.address}/32` || entry.cidr === `${source.address}/128`));
}

export function SourcePage({ me }: { me: Me }) {
  const src = use_route().params.get('src') ?? '';
  const query = term('src', src);
  const source = use_load(src, (signal) => sources_api.read(src, signal));
  const counts = use_load(src, (signal) => events_api.counts({ q: query }, bars, [...tops], top_values, signal));
  const [blocking, set_blocking] = useState(false);
  const [unblocking, set_unblocking] = useState(false);
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const s = t.sources;
  const known = source.value;
  const entry = known && own_entry(known);
  const unblock = (): void => {
    if (!entry) return;
    set_busy(true);
    lists_api.remove(entry.id, entry.etag).then(() => { set_unblocking(false); source.reload(); }, set_error).finally(() => set_busy(false));
  };
  if (src === '') return <div class="page"><Empty title={s.none}><Link to={href('events', { group: 'attackers', range: 'all' })}>{s.all}</Link></Empty></div>;
  return (
    <div class="page source-page" data-testid="source">
      <header class="section-head">
        <div><p class="muted"><Link to={href('events', { group: 'attackers', range: 'all' })}>{s.all}</Link></p><h1 class="mono breakable"><Hostile text={src} /></h1></div>
        <div class="source-actions">
          <Link to={href('events', { q: query, range: 'all' })} class="button" data-testid="source-events"><Icon name="search" /><span>{s.events}</span></Link>
          {known && may(me, 'operator') && (entry
            ? <Button icon="check" onClick={() => { set_error(undefined); set_unblocking(true); }} data-testid="source-unblock">{s.unblock}</Button>
            : <Button kind="primary" icon="block" onClick={() => set_blocking(true)} data-testid="source-block">{s.block}</Button>)}
        </div>
      </header>
      <Card title={s.about}>
        <Pending of={source} />
        {known && <Facts source={known} />}
      </Card>
      <Card title={s.when} testid="source-chart">
        <Pending of={counts} />
        {counts.value && (counts.value.histogram.total > 0 ? <Chart data={counts.value.histogram} /> : <Notice tone="info">{s.no_events}</Notice>)}
      </Card>
      <Card title={s.tried_long} kind="group-card"><GroupTable by="attackers" view={src} query={query} select={() => ({ q: query })} live={false} me={me} /></Card>
      <div class="columns-2">
        {tops.map((field) => <TopValues key={field} list={counts.value?.top.find((top) => top.field === field)} field={field} title={s.top[field]} q={query} range="all" />)}
      </div>
      {blocking && <BlockDialog address={known?.address ?? src} comment="" done={() => { set_blocking(false); source.reload(); }} close={() => set_blocking(false)} />}
      {unblocking && <Confirm title={s.unblock_title} text={<code>{entry?.cidr}</code>} action={s.unblock} busy={busy} error={error} onConfirm={unblock} onClose={() => set_unblocking(false)} />}
    </div>
  );
}
