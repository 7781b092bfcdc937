// One event: the verdict in a sentence, what matched and how it was found, the request with the matches marked, all fields.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { events_api } from '../../api/events';
import { targets_api } from '../../api/settings';
import type { AttackRecord, EventDetail, FindingDetail, Me } from '../../api/types';
import { curl_command } from '../../lib/curl';
import { count_text, time_text } from '../../lib/format';
import { term } from '../../lib/query';
import { plain_key } from '../../state/keys';
import { use_load } from '../../state/load';
import { href } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, t } from '../../text';
import { ActionBadge, RiskBadge } from '../../ui/badge';
import { Button, CopyButton, IconButton, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { ErrorNotice, error_text, Notice } from '../../ui/panel';
import { Time } from '../../ui/time';
import { DocumentDialog, document_name } from './document_dialog';
import { ExceptionDialog } from './exception_dialog';
import type { AddFilter } from './list';
import { RequestView } from './request_view';
import { event_time } from './rows';
import { PinButton, TriageBlock } from './triage';

// Members whose values can be filtered for.
const query_fields: Record<string, string> = {
  event_id: 'id', attack_type: 'type', risk_level: 'risk', action: 'action', src_ip: 'src', host: 'host', method: 'method', urlpath: 'path',
  req_location: 'location', req_rule_id: 'rule', module: 'module', site_uuid: 'site', country: 'country', province: 'province', city: 'city', user_agent: 'ua', referer: 'referer',
  session: 'session', node: 'node', req_payload: 'payload',
};
const max_filter_length = 200;

function FilterButtons({ field, value, filter }: { field: string; value: string; filter: AddFilter }) {
  const short = value.length > 40 ? `${value.slice(0, 40)}…` : value;
  return (
    <span class="field-filters">
      <IconButton small icon="plus" label={t.events.include(short)} onClick={() => filter(field, value, false)} />
      <IconButton small icon="minus" label={t.events.exclude(short)} onClick={() => filter(field, value, true)} />
    </span>
  );
}

function Sentence({ record, detail }: { record: AttackRecord; detail: EventDetail['detail'] }) {
  const first = detail.findings?.[detail.weightiest ?? 0];
  const where = t.place[record.req_location] ?? record.req_location;
  return (
    <div class={`verdict verdict-${record.action}`} data-testid="verdict">
      <p class="verdict-line">
        <ActionBadge action={record.action} />
        <strong>{attack_words(record.attack_type)}</strong>
        {where && <span>{t.detail.in_the(where)}{first?.name ? <>{' '}<code><Hostile text={first.name} /></code></> : null}</span>}
        <RiskBadge risk={record.risk_level} />
      </p>
      {record.reason && <p class="verdict-reason"><Hostile text={record.reason} /></p>}
      <p class="muted">{t.action_long[record.action]}{detail.reason && detail.reason !== record.reason ? <> <Hostile text={detail.reason} /></> : null}</p>
      {detail.response && <p class="muted" data-testid="response">{t.detail.response(detail.response.status === null ? t.detail.response_unknown : String(detail.response.status), count_text(detail.response.size))}{record.resp_reason_phrase ? <> <Hostile text={String(record.resp_reason_phrase)} /></> : null}</p>}
    </div>
  );
}

function DecodeChain({ path }: { path: string }) {
  const steps = path.split('|').filter(Boolean);
  if (steps.length === 0) return <span class="muted">{t.detail.plain}</span>;
  return (
    <span class="chain">
      {steps.map((step, i) => <span key={i}>{i > 0 && <Icon name="right" />}<code><Hostile text={step} /></code></span>)}
    </span>
  );
}

function Finding({ finding, excepted, document, filter }: { finding: FindingDetail; excepted: boolean; document: boolean; filter: AddFilter }) {
  const where = t.place[finding.location] ?? finding.location;
  const strength = excepted ? t.detail.excepted : document ? t.documents.recorded : finding.denies_from ? t.detail.strict_from(finding.denies_from) : t.detail.only_recorded;
  return (
    <li class="finding" data-testid="finding">
      <p class="finding-head"><strong><Hostile text={finding.rule_name || finding.rule_id} /></strong>{finding.cve && <code><Hostile text={finding.cve} /></code>}<RiskBadge risk={finding.risk_level} /></p>
      <dl class="pairs">
        <div><dt>{t.detail.where}</dt><dd>{where}{finding.name && <> <code><Hostile text={finding.name} /></code></>}</dd></div>
        <div><dt>{t.detail.through}</dt><dd><DecodeChain path={finding.decode_path} /></dd></div>
        <div><dt>{t.detail.matched}</dt><dd><code class="payload"><Hostile text={finding.payload} /></code></dd></div>
        {finding.excerpt && finding.excerpt !== finding.payload && <div><dt>{t.detail.excerpt}</dt><dd><code class="payload faint"><Hostile text={finding.excerpt} /></code></dd></div>}
        <div><dt>{t.detail.rule}</dt><dd><code class="rule-id">{finding.rule_id}</code> <FilterButtons field="rule" value={finding.rule_id} filter={filter} /></dd></div>
      </dl>
      <p class="muted">{strength}</p>
    </li>
  );
}

// Records without a detail block (an older format, or none stored) still have one finding in their members.
function findings_of(event: EventDetail): FindingDetail[] {
  const { record: r, detail } = event;
  if (detail.findings && detail.findings.length > 0) return detail.findings;
  if (!r.req_rule_id) return [];
  return [{
    rule_id: r.req_rule_id, rule_number: 0, rule_name: attack_words(r.attack_type), attack_type: r.attack_type, risk_level: r.risk_level, location: r.req_location,
    name: '', decode_path: r.req_decode_path, denies_from: null, reason: r.reason, payload: r.req_payload, excerpt: '', masked: false,
  }];
}

function FieldsTable({ record, filter }: { record: AttackRecord; filter: AddFilter }) {
  const entries = Object.entries(record);
  return (
    <details class="fields" data-testid="all-fields">
      <summary>{t.detail.fields}{entries.length === 58 ? '' : ` (${entries.length})`}</summary>
      <table class="fields-table">
        <tbody>
          {entries.map(([name, value]) => {
            const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
            const field = query_fields[name];
            return (
              <tr key={name}>
                <th scope="row"><code>{name}</code></th>
                <td>
                  {value === null ? <span class="muted">{t.detail.null}</span> : text === '' ? <span class="muted">{t.detail.empty}</span> : <div class="field-value"><Hostile text={text} /></div>}
                  {field && text !== '' && text.length <= max_filter_length && <FilterButtons field={field} value={text} filter={filter} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

function Neighbours({ record }: { record: AttackRecord }) {
  const to = (field: string, value: string): string => href('events', { q: term(field, value), range: 'all' });
  return (
    <nav class="neighbours" aria-label={t.detail.same_source}>
      <Link to={to('src', record.src_ip)} data-testid="same-source">{t.detail.same_source}</Link>
      <Link to={to('rule', record.req_rule_id)} data-testid="same-rule">{t.detail.same_rule}</Link>
      <Link to={to('host', record.host)}>{t.detail.same_host}</Link>
    </nav>
  );
}

function Facts({ record, filter }: { record: AttackRecord; filter: AddFilter }) {
  const row = (label: string, member: string, extra?: ComponentChildren) => {
    const value = String(record[member] ?? '');
    const field = query_fields[member];
    if (value === '') return null;
    return <div><dt>{label}</dt><dd><span class="fact-text mono"><Hostile text={value} title /></span>{extra}{field && value.length <= max_filter_length && <FilterButtons field={field} value={value} filter={filter} />}</dd></div>;
  };
  return (
    <dl class="pairs facts">
      <div><dt>{t.events.column.time}</dt><dd><Time ms={event_time(record)} /></dd></div>
      {row(t.events.column.src as string, 'src_ip', record.country ? <span class="muted"><Hostile text={[record.country, record.province, record.city].filter(Boolean).join(' · ')} /></span> : undefined)}
      {row(t.events.column.host as string, 'host')}
      {row(t.events.column.method as string, 'method')}
      {row(t.events.column.path as string, 'urlpath')}
      {row(t.events.column.ua as string, 'user_agent')}
      {row(t.events.column.node as string, 'node')}
      {row(t.events.column.id as string, 'event_id')}
    </dl>
  );
}

// As the first enabled target gets it; with several targets each is a choice.
function SyslogCopy({ id }: { id: string }) {
  const targets = use_load('targets', targets_api.list);
  const line = (target?: string) => () => events_api.syslog(id, target).then((answer) => answer.message);
  const known = targets.value ?? [];
  if (known.length < 2) return <CopyButton label={t.detail.copy_syslog} text={line(known[0]?.id)} testid="copy-syslog" />;
  return (
    <Menu icon="copy" label={t.detail.copy_syslog} text={t.detail.copy_syslog} small align="left" testid="copy-syslog">
      {() => (
        <div class="syslog-choices">
          {known.map((target) => <CopyButton key={target.id as string} label={t.detail.syslog_as(target.name)} text={line(target.id)} testid="copy-syslog-target" />)}
          <CopyButton label={t.detail.syslog_default} text={line()} />
        </div>
      )}
    </Menu>
  );
}

function Body({ event, me, filter, except, mark_document }: { event: EventDetail; me: Me; filter: AddFilter; except: () => void; mark_document: () => void }) {
  const { record, detail } = event;
  const findings = findings_of(event);
  const excepted = new Set(detail.excepted ?? []);
  const documents = new Set(detail.documents ?? []);
  const left_out = detail.findings_left_out ?? 0;
  return (
    <>
      <Sentence record={record} detail={detail} />
      <div class="detail-actions">
        <CopyButton label={t.detail.copy_json} text={() => JSON.stringify(record, null, 2)} testid="copy-json" />
        <CopyButton label={t.detail.copy_curl} text={() => curl_command(record)} testid="copy-curl" />
        <SyslogCopy id={record.event_id} />
        <CopyButton label={t.detail.copy_link} text={() => `${location.origin}${href('events', { event: record.event_id, range: 'all' })}`} />
        {may(me, 'operator') && <PinButton id={record.event_id} />}
        {may(me, 'operator') && <Link to={href('try', { event: record.event_id })} class="button small" data-testid="judge-again"><Icon name="bolt" /><span>{t.detail.judge_again}</span></Link>}
        {may(me, 'operator') && findings.length > 0 && <Button small icon="shield" onClick={except} data-testid="make-exception">{t.exceptions.from_event}</Button>}
        {may(me, 'admin') && document_name(event) !== '' && !documents.has(detail.weightiest ?? 0) && <Button small icon="shield" onClick={mark_document} data-testid="make-document">{t.documents.from_event}</Button>}
      </div>
      <TriageBlock id={record.event_id} writable={may(me, 'operator')} />
      <Facts record={record} filter={filter} />
      <Neighbours record={record} />
      <h3>{t.detail.findings}</h3>
      <ol class="findings">
        {findings.map((finding, i) => <Finding key={i} finding={finding} excepted={excepted.has(i)} document={documents.has(i)} filter={filter} />)}
      </ol>
      {left_out > 0 && <p class="muted">+ {count_text(left_out)}</p>}
      <h3>{t.detail.request}</h3>
      {record.http_body_is_abandoned === 1 ? <Notice tone="warn">{t.detail.abandoned}</Notice>
        : record.req_http_body_is_truncate === 1 && <Notice tone="info">{t.detail.cut}</Notice>}
      <RequestView record={record} findings={findings} />
      <FieldsTable record={record} filter={filter} />
    </>
  );
}

export function DetailPanel({ id, me, close, step, filter }: { id: string; me: Me; close: () => void; step: (by: number) => void; filter: AddFilter }) {
  const [excepting, set_excepting] = useState(false);
  const [documenting, set_documenting] = useState(false);
  const [made, set_made] = useState({ id: '', words: '' });
  const event = use_load(id, (signal) => events_api.one(id, signal));
  const box = useRef<HTMLElement>(null);
  useEffect(() => { box.current?.scrollTo(0, 0); }, [event.value?.record.event_id]);
  const gone = event.error instanceof ApiError && event.error.problem.status === 404 ? event.error.problem : undefined;
  const fits = event.value?.record.event_id === id;
  useLayoutEffect(() => {
    if (!may(me, 'operator') || !fits) return undefined;
    const on_key = (pressed: KeyboardEvent): void => {
      if (pressed.key !== 'e' || !plain_key(pressed)) return;
      pressed.preventDefault();
      set_excepting(true);
    };
    document.addEventListener('keydown', on_key);
    return () => document.removeEventListener('keydown', on_key);
  }, [fits, id]);
  return (
    <aside class="detail" ref={box} aria-label={t.detail.title} data-testid="event-detail" data-event-id={fits ? id : undefined} tabIndex={-1}>
      <header class="detail-head">
        <h2>{t.detail.title} <code class="muted">{id.slice(0, 8)}</code></h2>
        <span class="detail-nav">
          <IconButton icon="up" label={t.detail.previous} onClick={() => step(-1)} />
          <IconButton icon="down" label={t.detail.next} onClick={() => step(1)} />
          <IconButton icon="close" label={t.common.close} onClick={close} data-testid="detail-close" />
        </span>
      </header>
      {excepting && fits && event.value && <ExceptionDialog event={event.value} done={() => { set_excepting(false); set_made({ id, words: t.exceptions.made }); }} close={() => set_excepting(false)} />}
      {documenting && fits && event.value && <DocumentDialog event={event.value} done={() => { set_documenting(false); set_made({ id, words: t.documents.made }); }} close={() => set_documenting(false)} />}
      <div class="detail-body">
        {made.id === id && <Notice tone="good" testid="exception-made">{made.words}</Notice>}
        {gone ? <Notice tone="warn" testid="event-gone">{gone.oldest_ms ? `${t.detail.not_found} ${t.detail.reaches(time_text(gone.oldest_ms))}` : error_text(event.error)}</Notice>
          : event.error !== undefined ? <ErrorNotice error={event.error} retry={event.reload} />
          : event.value ? <Body event={event.value} me={me} filter={filter} except={() => set_excepting(true)} mark_document={() => set_documenting(true)} /> : <p class="muted">{t.common.loading}…</p>}
      </div>
    </aside>
  );
}
