// Attackers: a row a source, which opens to what it tried.
import { useState } from 'preact/hooks';
import type { Selection } from '../../api/events';
import type { Group } from '../../api/triage';
import type { Me } from '../../api/types';
import { count_text, duration_text, time_text } from '../../lib/format';
import { with_term } from '../../lib/query';
import { href } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, say, t } from '../../text';
import { Address } from '../../ui/address';
import { RiskBadge, risk_rank } from '../../ui/badge';
import { Button, IconButton, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Empty, Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { BlockDialog } from '../source/block_dialog';
import { Counts, refresh_ms, use_groups } from './group_parts';
import { GroupTable } from './groups';

export function SourceTable({ view, query, select, live, me }: { view: string; query: string; select: () => Selection; live: boolean; me: Me }) {
  const sources = use_groups('sources', view, select, live ? refresh_ms : 0);
  const [open, set_open] = useState<ReadonlySet<string>>(new Set());
  const [blocking, set_blocking] = useState('');
  const [blocked, set_blocked] = useState(false);
  const rows = sources.value?.groups ?? [];
  const turn = (src: string): void => set_open((old) => {
    const next = new Set(old);
    if (!next.delete(src)) next.add(src);
    return next;
  });
  const tried = (src: string) => {
    const of_source = with_term(query, 'src', src, false);
    return <GroupTable by="attackers" view={`${src}\n${view}`} query={of_source} select={() => ({ ...select(), q: of_source })} live={live} me={me} />;
  };
  const s = t.sources;
  return (
    <div class="groups" data-testid="groups-attackers">
      <Pending of={sources} />
      {blocked && <Notice tone="good" testid="source-blocked">{s.made}</Notice>}
      {sources.value && rows.length === 0 && <Empty title={t.events.empty} />}
      {sources.value && sources.value.unread > 0 && <p class="muted groups-more" role="status" data-testid="groups-unread">{say(t.groups.unread, { read: sources.value.total, all: sources.value.total + sources.value.unread })}</p>}
      {rows.length > 0 && (
        <div class="group-table">
          <Table fixed caption={s.caption} row_testid="group-row" rows={rows} key_of={(row) => row.src ?? ''} below={(row) => (open.has(row.src ?? '') ? tried(row.src ?? '') : null)} columns={[
            { id: 'open', title: s.tried, width: '92px', kind: 'short', draw: (row) => <Button small icon={open.has(row.src ?? '') ? 'down' : 'right'} aria-expanded={open.has(row.src ?? '') ? 'true' : 'false'} aria-label={say(s.open, { src: row.src ?? '', n: row.attacks })} onClick={() => turn(row.src ?? '')} data-testid="source-open">{count_text(row.attacks)}</Button>, sort: (row) => row.attacks },
            { id: 'src', title: t.events.column.src as string, kind: 'code', draw: (row) => <><Link to={href('source', { src: row.src })} data-testid="source-page"><Address text={row.src ?? ''} /></Link>{row.country && <span class="group-rule"><Hostile text={row.country} /></span>}</>, sort: (row) => row.src ?? '' },
            { id: 'events', title: t.groups.events, width: 'clamp(76px, 12cqw, 136px)', draw: (row) => <Counts group={row} />, sort: (row) => row.count },
            { id: 'risk', title: t.events.column.risk as string, width: '92px', kind: 'short', draw: (row) => <RiskBadge risk={row.risk} />, sort: (row) => risk_rank[row.risk] },
            { id: 'latest', title: s.latest, draw: (row) => <>{attack_words(row.type)}<span class="group-rule"><Hostile text={row.host} title /></span></>, sort: (row) => attack_words(row.type) },
            { id: 'days', title: t.groups.days, width: '58px', kind: 'number', draw: (row) => count_text(row.days), sort: (row) => row.days },
            { id: 'last', title: t.groups.last, width: 'clamp(90px, 9cqw, 112px)', kind: 'short', draw: (row: Group) => <span title={`${time_text(row.first_ms)} – ${time_text(row.last_ms)}`}>{say(t.common.ago, { duration: duration_text(Math.max(0, Date.now() - row.last_ms)) })}</span>, sort: (row) => row.last_ms },
            { id: 'act', title: '', width: '48px', kind: 'act', draw: (row) => may(me, 'operator') && <IconButton icon="block" label={say(s.block_this, { src: row.src ?? '' })} onClick={() => { set_blocked(false); set_blocking(row.src ?? ''); }} data-testid="row-block" /> },
          ]} />
        </div>
      )}
      {sources.value && sources.value.distinct > rows.length && <p class="muted groups-more">{say(s.more, { shown: rows.length, all: sources.value.distinct })}</p>}
      {blocking && <BlockDialog address={blocking} comment="" done={() => { set_blocking(''); set_blocked(true); }} close={() => set_blocking('')} />}
    </div>
  );
}
