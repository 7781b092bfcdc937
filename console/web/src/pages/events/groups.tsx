// Events in groups: attackers (source, rule, host), and what may need tuning (rule, host, path, parameter).
import { useState } from 'preact/hooks';
import { events_api, type Selection } from '../../api/events';
import { notebook_api, type Group, type GroupBy } from '../../api/notebook';
import type { EventDetail, Me } from '../../api/types';
import { count_text, duration_text, time_text } from '../../lib/format';
import { term } from '../../lib/query';
import { use_load } from '../../state/load';
import { use_rule_names } from '../../state/rule_names';
import { href_with } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, t } from '../../text';
import { RiskBadge } from '../../ui/badge';
import { IconButton, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice, error_text, Notice } from '../../ui/panel';
import { ExceptionDialog } from './exception_dialog';

const refresh_ms = 15_000;

// The list behind a group.
function behind(query: string, group: Group): string {
  const terms = [term('rule', group.rule), term('host', group.host)];
  if (group.src !== undefined) terms.push(term('src', group.src));
  if (group.path !== undefined) terms.push(term('path', group.path));
  if (group.name) terms.push(term('param', group.name));
  const present = / or /i.test(query) ? `(${query})` : query;
  return href_with({ q: [present, ...terms].filter(Boolean).join(' '), group: null, event: null });
}

function Counts({ group }: { group: Group }) {
  return (
    <span class="group-counts" title={t.events.bucket('', group.deny, group.monitor, group.allow).replace(/^: /, '')}>
      <strong>{count_text(group.count)}</strong>
      <span class="group-bar" aria-hidden="true">
        {(['deny', 'monitor', 'allow'] as const).map((action) => group[action] > 0 && <i key={action} class={`bar-${action}`} style={{ flexGrow: group[action] }} />)}
      </span>
    </span>
  );
}

export function GroupTable({ by, view, query, select, live, me }: { by: GroupBy; view: string; query: string; select: () => Selection; live: boolean; me: Me }) {
  const groups = use_load(`${by}\n${view}`, (signal) => notebook_api.groups(by, select(), signal), live ? refresh_ms : 0);
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
    <div class="groups" data-testid={`groups-${by}`}>
      {groups.error !== undefined && <ErrorNotice error={groups.error} retry={groups.reload} />}
      {told && <Notice tone={told.tone}>{told.text}</Notice>}
      {groups.value && rows.length === 0 && <Empty title={t.events.empty} />}
      {rows.length > 0 && (
        <table class={`table group-table by-${by}`}>
          <caption class="unseen">{g.lead[by]}</caption>
          <thead>
            <tr>
              {by === 'attackers' && <th class="col-src">{t.events.column.src}</th>}
              <th class="col-type">{t.events.column.type}</th><th class="col-risk">{t.events.column.risk}</th><th class="col-host">{t.events.column.host}</th>
              {by === 'tuning' && <><th class="col-path">{t.events.column.path}</th><th class="col-param">{g.parameter}</th></>}
              <th class="col-events">{g.events}</th>
              {by === 'tuning' && <th class="num col-few">{g.sources}</th>}
              <th class="num col-few">{g.days}</th><th class="num col-few" title={g.other_long}>{g.other}</th><th class="col-last">{g.last}</th><th class="col-act"><span class="unseen">{t.common.edit}</span></th>
            </tr>
          </thead>
          <tbody>
            {rows.map((group) => (
              <tr key={`${group.rule}\0${group.host}\0${group.src ?? ''}\0${group.path ?? ''}\0${group.name ?? ''}`} data-testid="group-row">
                {by === 'attackers' && <td class="mono"><Hostile text={group.src ?? ''} title /></td>}
                <td><Link to={behind(query, group)}>{attack_words(group.type)}</Link><span class="group-rule" title={group.rule}><Hostile text={rules.get(group.rule) ?? group.rule} /></span></td>
                <td><RiskBadge risk={group.risk} /></td>
                <td><Hostile text={group.host} title /></td>
                {by === 'tuning' && <><td class="mono"><Hostile text={group.path ?? ''} title /></td><td class="mono"><Hostile text={group.name ?? ''} title /></td></>}
                <td><Counts group={group} /></td>
                {by === 'tuning' && <td class="num">{count_text(group.sources)}</td>}
                <td class="num">{count_text(group.days)}</td>
                <td class="num">{count_text(group.other_rules)}</td>
                <td class="nowrap" title={`${time_text(group.first_ms)} – ${time_text(group.last_ms)}`}>{t.common.ago(duration_text(Math.max(0, Date.now() - group.last_ms)))}</td>
                <td class="table-act">{may(me, 'operator') && <IconButton icon="shield" label={g.exception} onClick={() => except(group)} data-testid="group-exception" />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {groups.value && groups.value.distinct > rows.length && <p class="muted groups-more">{g.more(rows.length, groups.value.distinct)}</p>}
      {excepting && <ExceptionDialog event={excepting} done={() => { set_excepting(undefined); tell({ tone: 'good', text: t.exceptions.made }); }} close={() => set_excepting(undefined)} />}
    </div>
  );
}

// Pinned events: copies that outlive the ring.
export function PinTable() {
  const pins = use_load('pins', notebook_api.pins);
  const list = pins.value ?? [];
  return (
    <div class="groups" data-testid="pins">
      {pins.error !== undefined && <ErrorNotice error={pins.error} retry={pins.reload} />}
      {pins.value && list.length === 0 && <Empty title={t.groups.no_pins}><p>{t.groups.no_pins_text}</p></Empty>}
      {list.length > 0 && (
        <table class="table group-table by-pin">
          <thead><tr><th class="col-time">{t.events.column.time}</th><th>{t.events.column.type}</th><th class="col-risk">{t.events.column.risk}</th><th>{t.events.column.src}</th><th>{t.events.column.host}</th><th>{t.events.column.path}</th><th class="col-by">{t.groups.pinned_by}</th></tr></thead>
          <tbody>
            {list.map((pin) => (
              <tr key={pin.event_id} data-testid="pin-row">
                <td class="nowrap"><Link to={href_with({ event: pin.event_id })}>{time_text(pin.record.timestamp * 1000)}</Link></td>
                <td>{attack_words(pin.record.attack_type)}</td>
                <td><RiskBadge risk={pin.record.risk_level} /></td>
                <td class="mono"><Hostile text={pin.record.src_ip} title /></td>
                <td><Hostile text={pin.record.host} title /></td>
                <td class="mono"><Hostile text={pin.record.urlpath} title /></td>
                <td class="nowrap"><Hostile text={pin.by} /> <span class="muted">{time_text(pin.at_ms)}</span></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
