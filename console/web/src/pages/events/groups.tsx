// Events in groups: what one source tried (rule, host), and what may need tuning (rule, host, path, parameter).
import { useState } from 'preact/hooks';
import { events_api, type Selection } from '../../api/events';
import { triage_api, type Group } from '../../api/triage';
import type { EventDetail, Me } from '../../api/types';
import { count_text, duration_text, time_text } from '../../lib/format';
import { term } from '../../lib/query';
import { use_load } from '../../state/load';
import { use_rule_names } from '../../state/rule_names';
import { current_route, href, href_with } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, say, t } from '../../text';
import { RiskBadge, risk_rank } from '../../ui/badge';
import { IconButton, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Empty, error_text, Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { ExceptionDialog } from './exception_dialog';
import { Counts, refresh_ms, use_groups } from './group_parts';

// The list behind a group.
function behind(query: string, group: Group): string {
  const terms = [term('rule', group.rule), term('host', group.host)];
  if (group.src !== undefined) terms.push(term('src', group.src));
  if (group.path !== undefined) terms.push(term('path', group.path));
  if (group.name) terms.push(term('param', group.name));
  const present = / or /i.test(query) ? `(${query})` : query;
  const q = [present, ...terms].filter(Boolean).join(' ');
  return current_route().view === 'events' ? href_with({ q, group: null, event: null }) : href('events', { q, range: 'all' });
}

export function GroupTable({ by, view, query, select, live, me }: { by: 'attackers' | 'tuning'; view: string; query: string; select: () => Selection; live: boolean; me: Me }) {
  const groups = use_groups(by, view, select, live ? refresh_ms : 0);
  const rules = use_rule_names(true);
  const [excepting, set_excepting] = useState<EventDetail | undefined>();
  const [told, tell] = useState<{ tone: 'good' | 'bad'; text: string } | undefined>();
  const except = (group: Group): void => {
    tell(undefined);
    events_api.one(group.event_id).then(set_excepting, (error: unknown) => tell({ tone: 'bad', text: error_text(error) }));
  };
  const g = t.groups;
  const rows = groups.value?.groups ?? [];
  return (
    <div class="groups" data-testid={by === 'attackers' ? 'groups-tried' : 'groups-tuning'}>
      <Pending of={groups} />
      {told && <Notice tone={told.tone}>{told.text}</Notice>}
      {groups.value && rows.length === 0 && <Empty title={t.events.empty} />}
      {groups.value && groups.value.unread > 0 && <p class="muted groups-more" role="status" data-testid="groups-unread">{say(g.unread, { read: groups.value.total, all: groups.value.total + groups.value.unread })}</p>}
      {rows.length > 0 && (
        <div class="group-table">
          <Table fixed caption={g.lead[by]} row_testid={by === 'attackers' ? 'tried-row' : 'group-row'} rows={rows} key_of={(group) => `${group.rule}\0${group.host}\0${group.src ?? ''}\0${group.path ?? ''}\0${group.name ?? ''}`} columns={[
            { id: 'type', title: t.events.column.type as string, draw: (group) => <><Link to={behind(query, group)}>{attack_words(group.type)}</Link><span class="group-rule" title={group.rule}><Hostile text={rules.get(group.rule) ?? group.rule} breaks /></span></>, sort: (group) => attack_words(group.type) },
            { id: 'risk', title: t.events.column.risk as string, width: '92px', kind: 'short', draw: (group) => <RiskBadge risk={group.risk} />, sort: (group) => risk_rank[group.risk] },
            { id: 'host', title: t.events.column.host as string, draw: (group) => <Hostile text={group.host} title />, sort: (group) => group.host },
            ...(by === 'tuning' ? [
              { id: 'path', title: t.events.column.path as string, kind: 'code' as const, draw: (group: Group) => <Hostile text={group.path ?? ''} title breaks />, sort: (group: Group) => group.path ?? '' },
              { id: 'param', title: g.parameter, kind: 'code' as const, draw: (group: Group) => <Hostile text={group.name ?? ''} title breaks />, sort: (group: Group) => group.name ?? '' },
            ] : []),
            { id: 'events', title: g.events, width: 'var(--counts)', draw: (group) => <Counts group={group} />, sort: (group) => group.count },
            ...(by === 'tuning' ? [{ id: 'sources', title: g.sources, width: '72px', kind: 'number' as const, draw: (group: Group) => count_text(group.sources), sort: (group: Group) => group.sources }] : []),
            { id: 'days', title: g.days, width: '58px', kind: 'number', draw: (group) => count_text(group.days), sort: (group) => group.days },
            { id: 'other', title: g.other, width: '70px', kind: 'number', draw: (group) => <span title={g.other_long}>{count_text(group.other_rules)}</span>, sort: (group) => group.other_rules },
            { id: 'last', title: g.last, width: 'clamp(90px, 9cqw, 112px)', kind: 'short', draw: (group) => <span title={`${time_text(group.first_ms)} – ${time_text(group.last_ms)}`}>{say(t.common.ago, { duration: duration_text(Math.max(0, Date.now() - group.last_ms)) })}</span>, sort: (group) => group.last_ms },
            { id: 'act', title: '', width: '48px', kind: 'act', draw: (group) => may(me, 'operator') && <IconButton icon="shield" label={g.exception} onClick={() => except(group)} data-testid="group-exception" /> },
          ]} />
        </div>
      )}
      {groups.value && groups.value.distinct > rows.length && <p class="muted groups-more">{say(g.more, { shown: rows.length, all: groups.value.distinct })}</p>}
      {excepting && <ExceptionDialog event={excepting} done={() => { set_excepting(undefined); tell({ tone: 'good', text: t.exceptions.made }); }} close={() => set_excepting(undefined)} />}
    </div>
  );
}

// Pinned events: copies that outlive the ring.
export function PinTable() {
  const pins = use_load('pins', triage_api.pins);
  const list = pins.value ?? [];
  return (
    <div class="groups" data-testid="pins">
      <Pending of={pins} />
      {pins.value && list.length === 0 && <Empty title={t.groups.no_pins}><p>{t.groups.no_pins_text}</p></Empty>}
      {list.length > 0 && (
        <div class="group-table">
          <Table fixed row_testid="pin-row" rows={list} key_of={(pin) => pin.event_id} columns={[
            { id: 'time', title: t.events.column.time as string, width: '172px', kind: 'short', draw: (pin) => <Link to={href_with({ event: pin.event_id })}>{time_text(pin.record.timestamp * 1000)}</Link>, sort: (pin) => pin.record.timestamp },
            { id: 'type', title: t.events.column.type as string, draw: (pin) => attack_words(pin.record.attack_type), sort: (pin) => pin.record.attack_type },
            { id: 'risk', title: t.events.column.risk as string, width: '92px', kind: 'short', draw: (pin) => <RiskBadge risk={pin.record.risk_level} />, sort: (pin) => risk_rank[pin.record.risk_level] },
            { id: 'src', title: t.events.column.src as string, width: '16%', kind: 'code', draw: (pin) => <Hostile text={pin.record.src_ip} title />, sort: (pin) => pin.record.src_ip },
            { id: 'host', title: t.events.column.host as string, draw: (pin) => <Hostile text={pin.record.host} title />, sort: (pin) => pin.record.host },
            { id: 'path', title: t.events.column.path as string, kind: 'code', draw: (pin) => <Hostile text={pin.record.urlpath} title breaks />, sort: (pin) => pin.record.urlpath },
            { id: 'by', title: t.groups.pinned_by, draw: (pin) => <><Hostile text={pin.by} /> <span class="muted">{time_text(pin.at_ms)}</span></>, sort: (pin) => pin.at_ms },
          ]} />
        </div>
      )}
    </div>
  );
}
