// One event: the verdict in a sentence, what matched and how it was found, the request with the matches marked, all fields.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { events_api } from '../../api/events';
import { targets_api } from '../../api/settings';
import type { AttackRecord, EventDetail, FindingDetail, Me } from '../../api/types';
import { curl_command } from '../../lib/curl';
import { count_text, time_text } from '../../lib/format';
import { by_place, located, type Located } from '../../lib/located';
import { term } from '../../lib/query';
import { plain_key } from '../../state/keys';
import { reason_text, verdict_text } from '../../lib/reasons';
import { use_load } from '../../state/load';
import { href } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, say, t } from '../../text';
import { ActionBadge, RiskBadge } from '../../ui/badge';
import { Button, CopyButton, IconButton, Link } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { Menu } from '../../ui/menu';
import { ErrorNotice, error_text, Notice } from '../../ui/panel';
import { Time } from '../../ui/time';
import { DocumentDialog, document_name } from './document_dialog';
import { ExceptionDialog } from './exception_dialog';
import { BlockDialog } from '../source/block_dialog';
import type { AddFilter } from './list';
import { RequestView, show_mark } from './request_view';
import { event_time } from './rows';
import { PinButton, TriageBlock } from './triage';

// Members whose values can be filtered for.
const query_fields: Record<string, string> = {
  event_id: 'id', attack_type: 'type', risk_level: 'risk', action: 'action', src_ip: 'src', host: 'host', method: 'method', urlpath: 'path',
  req_location: 'location', req_rule_id: 'rule', module: 'module', site_uuid: 'site', country: 'country', province: 'province', city: 'city', user_agent: 'ua', referer: 'referer',
  session: 'session', node: 'node', req_payload: 'payload',
};
const max_filter_length = 200;
const sheet = matchMedia('(max-width: 1023px)');  // the detail covers the window

function FilterButtons({ field, value, filter }: { field: string; value: string; filter: AddFilter }) {
  const short = value.length > 40 ? `${value.slice(0, 40)}…` : value;
  return (
    <span class="field-filters">
      <IconButton small icon="plus" label={say(t.events.include, { v: short })} onClick={() => filter(field, value, false)} />
      <IconButton small icon="minus" label={say(t.events.exclude, { v: short })} onClick={() => filter(field, value, true)} />
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
        {where && <span>{say(t.detail.in_the, { where })}{first?.name ? <>{' '}<code><Hostile text={first.name} /></code></> : null}</span>}
        <RiskBadge risk={record.risk_level} />
      </p>
      {record.reason && <p class="verdict-reason"><Hostile text={verdict_text(record.reason)} /></p>}
      <p class="muted">{t.action_long[record.action]}{detail.reason && detail.reason !== record.reason ? <> <Hostile text={verdict_text(detail.reason)} /></> : null}</p>
      {detail.inspection?.by_head && <p class="muted" data-testid="by-head">{t.detail.by_head}</p>}
      {detail.inspection?.interrupted && <p class="muted" data-testid="interrupted">{t.detail.interrupted}</p>}
      {detail.response && <p class="muted" data-testid="response">{say(t.detail.response, { status: detail.response.status === null ? t.detail.response_unknown : String(detail.response.status), bytes: count_text(detail.response.size) })}{record.resp_reason_phrase ? <> <Hostile text={String(record.resp_reason_phrase)} /></> : null}</p>}
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

function Finding({ finding, strength, mark, open, filter }: { finding: FindingDetail; strength: string; mark: string | undefined; open: boolean; filter: AddFilter }) {
  return (
    <li class="finding" data-testid="finding">
      <details open={open}>
        <summary><strong><Hostile text={reason_text(finding.rule_name) || finding.rule_id} /></strong><RiskBadge risk={finding.risk_level} /><span class="finding-strength">{strength}</span></summary>
        <dl class="pairs">
          <div><dt>{t.detail.matched}</dt><dd><code class="payload"><Hostile text={finding.payload} /></code></dd></div>
          <div><dt>{t.detail.through}</dt><dd><DecodeChain path={finding.decode_path} /></dd></div>
          {finding.excerpt && finding.excerpt !== finding.payload && <div><dt>{t.detail.excerpt}</dt><dd><code class="payload faint"><Hostile text={finding.excerpt} /></code></dd></div>}
          <div><dt>{t.detail.rule}</dt><dd><code class="rule-id">{finding.rule_id}</code>{finding.cve && <> <code><Hostile text={finding.cve} /></code></>} <FilterButtons field="rule" value={finding.rule_id} filter={filter} /></dd></div>
        </dl>
      </details>
      {mark !== undefined && <Button small onClick={() => show_mark(mark)} data-testid="finding-mark">{t.detail.show_mark}</Button>}
    </li>
  );
}

function Findings({ findings, event, marks, filter }: { findings: FindingDetail[]; event: EventDetail; marks: Located; filter: AddFilter }) {
  const { detail } = event;
  const excepted = new Set(detail.excepted ?? []);
  const documents = new Set(detail.documents ?? []);
  const weightiest = detail.weightiest ?? 0;
  const strength = (finding: FindingDetail, i: number): string =>
    (excepted.has(i) ? t.detail.excepted : documents.has(i) ? t.documents.recorded : finding.denies_from ? say(t.detail.strict_from, { s: (t.sites.sensitivities[finding.denies_from] ?? finding.denies_from).toLowerCase() }) : t.detail.only_recorded);
  const left_out = detail.findings_left_out ?? 0;
  return (
    <>
      {by_place(findings, weightiest).map((place) => (
        <section key={`${place.location}\0${place.name}`} class="found-in">
          <h4>{t.place[place.location] ?? place.location}{place.name && <> <code><Hostile text={place.name} /></code></>}</h4>
          <ol class="findings">
            {place.findings.map((i) => {
              const finding = findings[i] as FindingDetail;
              return <Finding key={i} finding={finding} strength={strength(finding, i)} mark={marks.mark_of[i]} open={i === weightiest} filter={filter} />;
            })}
          </ol>
        </section>
      ))}
      {left_out > 0 && <p class="muted">+ {count_text(left_out)}</p>}
    </>
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

function Neighbours({ record, block }: { record: AttackRecord; block: (() => void) | undefined }) {
  const to = (field: string, value: string): string => href('events', { q: term(field, value), range: 'all' });
  return (
    <nav class="neighbours" aria-label={t.detail.same_source}>
      <Link to={to('src', record.src_ip)} data-testid="same-source">{t.detail.same_source}</Link>
      <Link to={to('rule', record.req_rule_id)} data-testid="same-rule">{t.detail.same_rule}</Link>
      <Link to={to('host', record.host)}>{t.detail.same_host}</Link>
      <Link to={href('source', { src: record.src_ip })} data-testid="source-page">{t.sources.page}</Link>
      {block && <Button small icon="block" onClick={block} data-testid="block-source">{t.sources.block}</Button>}
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

// Everything that can be copied; the syslog line as each target gets it.
function Copies({ record, masked }: { record: AttackRecord; masked: boolean }) {
  const targets = use_load('targets', targets_api.list);
  const known = targets.value ?? [];
  const line = (target?: string) => () => events_api.syslog(record.event_id, target).then((answer) => answer.message);
  return (
    <div class="copies">
      <CopyButton label={t.detail.copy_json} text={() => JSON.stringify(record, null, 2)} testid="copy-json" />
      <CopyButton label={t.detail.copy_curl} text={() => curl_command(record)} testid="copy-curl" />
      <CopyButton label={t.detail.copy_link} text={() => `${location.origin}${href('events', { event: record.event_id, range: 'all' })}`} />
      {masked ? null : known.length < 2 ? <CopyButton label={t.detail.copy_syslog} text={line(known[0]?.id)} testid="copy-syslog" /> : (
        <>
          {known.map((target) => <CopyButton key={target.id as string} label={`${t.detail.copy_syslog}: ${say(t.detail.syslog_as, { name: target.name })}`} text={line(target.id)} testid="copy-syslog-target" />)}
          <CopyButton label={`${t.detail.copy_syslog}: ${t.detail.syslog_default}`} text={line()} />
        </>
      )}
    </div>
  );
}

function Body({ event, me, filter, except, mark_document, block }: { event: EventDetail; me: Me; filter: AddFilter; except: () => void; mark_document: () => void; block: () => void }) {
  const { record, detail } = event;
  const findings = useMemo(() => findings_of(event), [event]);
  const marks = useMemo(() => located(record, findings), [record, findings]);
  const documents = detail.documents ?? [];
  const operator = may(me, 'operator');
  return (
    <>
      <Sentence record={record} detail={detail} />
      <div class="detail-actions">
        {operator && findings.length > 0 && <Button small kind="primary" icon="shield" onClick={except} data-testid="make-exception">{t.exceptions.from_event}</Button>}
        <Menu icon="copy" label={t.common.copy} text={t.common.copy} small align="left" testid="copy-menu">{() => <Copies record={record} masked={me.masked} />}</Menu>
        {operator && <PinButton id={record.event_id} />}
        {operator && <Link to={href('try', { event: record.event_id })} class="button small" data-testid="judge-again"><Icon name="bolt" /><span>{t.detail.judge_again}</span></Link>}
        {may(me, 'admin') && document_name(event) !== '' && !documents.includes(detail.weightiest ?? 0) && <Button small icon="shield" onClick={mark_document} data-testid="make-document">{t.documents.from_event}</Button>}
      </div>
      <h3>{t.detail.request}</h3>
      {record.http_body_is_abandoned === 1 ? <Notice tone="warn">{t.detail.abandoned}</Notice>
        : record.req_http_body_is_truncate === 1 && <Notice tone="info">{t.detail.cut}</Notice>}
      <RequestView record={record} marks={marks} found={findings.length > 0} />
      <h3>{t.detail.findings}</h3>
      <Findings findings={findings} event={event} marks={marks} filter={filter} />
      <TriageBlock id={record.event_id} writable={operator} />
      <Facts record={record} filter={filter} />
      <Neighbours record={record} block={operator && record.src_ip !== '' ? block : undefined} />
      <FieldsTable record={record} filter={filter} />
    </>
  );
}

// What a viewer may do about the mask: one event at a time, and it is written down.
function Masked({ id, me, shown }: { id: string; me: Me; shown: (event: EventDetail) => void }) {
  const [error, set_error] = useState<unknown>();
  return (
    <Notice tone="info" testid="masked">
      {t.detail.masked}
      {me.may_unmask && <Button small onClick={() => { events_api.unmask(id).then(shown, set_error); }} data-testid="unmask">{t.detail.unmask}</Button>}
      {error !== undefined && <ErrorNotice error={error} />}
    </Notice>
  );
}

export function DetailPanel({ id, me, entered, close, step, filter }: { id: string; me: Me; entered: number; close: () => void; step: (by: number) => void; filter: AddFilter }) {
  const [excepting, set_excepting] = useState(false);
  const [documenting, set_documenting] = useState(false);
  const [blocking, set_blocking] = useState(false);
  const [made, set_made] = useState({ id: '', words: '' });
  const loaded = use_load(id, (signal) => events_api.one(id, signal));
  const [unmasked, set_unmasked] = useState<EventDetail | undefined>();
  const bare = unmasked?.record.event_id === id;
  const event = bare ? { ...loaded, value: unmasked } : loaded;
  const box = useRef<HTMLElement>(null);
  // Opened by key: keys now scroll and leave the detail. Others keep the focus where it is.
  useEffect(() => { if (entered > 0 || sheet.matches) box.current?.focus(); }, [entered]);
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
      {blocking && fits && event.value && <BlockDialog address={event.value.record.src_ip} comment={say(t.sources.of_event, { id })} done={() => { set_blocking(false); set_made({ id, words: t.sources.made }); }} close={() => set_blocking(false)} />}
      <div class="detail-body">
        {made.id === id && <Notice tone="good" testid="exception-made">{made.words}</Notice>}
        {me.masked && fits && !bare && <Masked id={id} me={me} shown={set_unmasked} />}
        {gone ? <Notice tone="warn" testid="event-gone">{gone.oldest_ms ? `${t.detail.not_found} ${say(t.detail.reaches, { time: time_text(gone.oldest_ms) })}` : error_text(event.error)}</Notice>
          : event.error !== undefined ? <ErrorNotice error={event.error} retry={event.reload} />
          : event.value ? <Body event={event.value} me={me} filter={filter} except={() => set_excepting(true)} mark_document={() => set_documenting(true)} block={() => set_blocking(true)} /> : <p class="muted">{t.common.loading}…</p>}
      </div>
    </aside>
  );
}
