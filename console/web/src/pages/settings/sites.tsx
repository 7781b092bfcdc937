import { useState } from 'preact/hooks';
import { sites_api } from '../../api/settings';
import type { Me, Site, SiteDay, UnknownHosts } from '../../api/types';
import { count_text, time_text } from '../../lib/format';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { attack_words, say, t } from '../../text';
import { Dot, type Tone } from '../../ui/badge';
import { Button, IconButton } from '../../ui/button';
import { AreaField, Check, SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { EditDialog, lines_of, RemoveButton, SectionHead } from './crud';

const default_site = '0';
const max_unknown_shown = 100;
const mode_tones: Record<Site['mode'], Tone> = { block: 'good', monitor: 'warn', off: 'quiet' };

// Lists and rates are no matter of sensitivity.
const judged_by_sensitivity = (type: string): boolean => type !== 'acl' && type !== 'rate_limit';

// As it was typed where it is no number: the server's words stand at the field then.
const number_or_text = (text: string): number | string => (/^\d+$/.test(text.trim()) ? Number(text) : text);

// Kinds of attack that this site judges otherwise than the rest.
function ByType({ rows, change, error }: { rows: [string, string][]; change: (rows: [string, string][]) => void; error: string | undefined }) {
  const free = Object.keys(t.attack).filter((type) => judged_by_sensitivity(type) && !rows.some(([taken]) => taken === type));
  const put = (at: number, row: [string, string]): void => change(rows.map((old, i) => (i === at ? row : old)));
  return (
    <details class="advanced" open={rows.length > 0} data-testid="site-by-type">
      <summary>{t.sites.by_type}</summary>
      <p class="hint">{t.sites.by_type_hint}</p>
      {rows.map(([type, sensitivity], at) => (
        <div key={type} class="form-row by-type" data-testid="by-type-row">
          <SelectField label={t.exceptions.type} value={type} onChange={(next) => put(at, [next, sensitivity])} options={[type, ...free].map((one) => [one, attack_words(one)] as const)} />
          <SelectField label={t.sites.sensitivity} value={sensitivity} onChange={(next) => put(at, [type, next])} options={[...Object.entries(t.sites.sensitivities), ['off', t.sites.modes['off'] ?? ''] as const]} />
          <IconButton icon="trash" label={say(t.sites.by_type_remove, { type: attack_words(type) })} onClick={() => change(rows.filter((_, i) => i !== at))} />
        </div>
      ))}
      {error && <p class="field-error" role="alert">{error}</p>}
      {free[0] !== undefined && <p><Button small icon="plus" onClick={() => change([...rows, [free[0] as string, 'off']])} data-testid="by-type-add">{t.sites.by_type_add}</Button></p>}
    </details>
  );
}

function SiteDialog({ site, host = '', done, close }: { site?: Site; host?: string; done: () => void; close: () => void }) {
  const [name, set_name] = useState(site?.name ?? host);
  const [hosts, set_hosts] = useState(site?.hosts.join('\n') ?? host);
  const [url, set_url] = useState(site?.url ?? '');
  const [mode, set_mode] = useState<string>(site?.mode ?? 'block');
  const [sensitivity, set_sensitivity] = useState<string>(site?.sensitivity ?? 'balanced');
  const [chosen_oversize, set_on_oversize] = useState<string | undefined>(site?.on_oversize);
  const [chosen_limit, set_on_limit] = useState<string | undefined>(site?.on_limit);
  const at_a_limit = sensitivity === 'low' ? 'pass' : 'block';
  const on_oversize = chosen_oversize ?? at_a_limit;
  const on_limit = chosen_limit ?? at_a_limit;
  const [by_type, set_by_type] = useState<[string, string][]>(() => Object.entries(site?.sensitivity_by_type ?? {}));
  const [documents, set_documents] = useState(site?.document_fields.join('\n') ?? '');
  const [session_cookie, set_session_cookie] = useState(site?.session_cookie ?? '');
  const [block_status, set_block_status] = useState(`${site?.block_status ?? 403}`);
  const [block_body, set_block_body] = useState(site?.block_body ?? '');
  const [parameters, set_parameters] = useState(site?.mask.parameters.join('\n') ?? '');
  const [headers, set_headers] = useState(site?.mask.headers.join('\n') ?? '');
  const [cookies, set_cookies] = useState(site?.mask.cookies.join('\n') ?? '');
  const [cards, set_cards] = useState(site?.mask.card_numbers ?? false);
  const save = (): Promise<unknown> => {
    const { etag, days: _days, ...kept } = site ?? ({} as Partial<Site>);
    const mask = { headers: lines_of(headers), cookies: lines_of(cookies), parameters: lines_of(parameters), card_numbers: cards };
    const draft = { ...kept, name, hosts: lines_of(hosts), url, mode, sensitivity, sensitivity_by_type: Object.fromEntries(by_type), on_oversize, on_limit, document_fields: lines_of(documents), session_cookie, block_status: number_or_text(block_status), block_body, mask } as unknown as Partial<Site>;
    return site ? sites_api.change(site.uuid, draft, etag) : sites_api.add(draft);
  };
  return (
    <EditDialog title={site ? site.name : t.sites.new} save={save} done={done} onClose={close} testid="site-dialog">
      {(error_of) => (
        <>
          <TextField label={t.sites.name} value={name} onChange={set_name} error={error_of('name')} wide data-testid="site-name" />
          {site?.uuid !== default_site && <AreaField label={t.sites.hosts} hint={t.sites.hosts_hint} value={hosts} onChange={set_hosts} rows={3} error={error_of('hosts')} data-testid="site-hosts" />}
          <TextField label={t.sites.url} value={url} onChange={set_url} error={error_of('url')} wide />
          <div class="form-row">
            <SelectField label={t.sites.mode} hint={t.sites.mode_hint[mode]} value={mode} onChange={set_mode} options={Object.entries(t.sites.modes)} error={error_of('mode')} data-testid="site-mode" />
            <SelectField label={t.sites.sensitivity} hint={t.sites.sensitivity_hint} value={sensitivity} onChange={set_sensitivity} options={Object.entries(t.sites.sensitivities)} error={error_of('sensitivity')} data-testid="site-sensitivity" />
          </div>
          <ByType rows={by_type} change={set_by_type} error={error_of('sensitivity_by_type')} />
          <div class="form-row">
            <SelectField label={t.sites.oversize} hint={t.sites.oversize_hint} value={on_oversize} onChange={set_on_oversize} options={Object.entries(t.sites.on_oversizes)} error={error_of('on_oversize')} data-testid="site-oversize" />
            <SelectField label={t.sites.limit} hint={t.sites.limit_hint} value={on_limit} onChange={set_on_limit} options={Object.entries(t.sites.on_limits)} error={error_of('on_limit')} data-testid="site-limit" />
          </div>
          {on_oversize === 'pass' && sensitivity !== 'low' && <Notice tone="warn" testid="site-oversize-passes">{t.sites.oversize_passes}</Notice>}
          {on_oversize === 'block' && <Notice tone="info" testid="site-oversize-blocks">{t.sites.oversize_blocks}</Notice>}
          {on_limit === 'pass' && sensitivity !== 'low' && <Notice tone="warn" testid="site-limit-passes">{t.sites.limit_passes}</Notice>}
          <div class="form-row">
            <TextField label={t.sites.session_cookie} hint={t.sites.session_hint} value={session_cookie} onChange={set_session_cookie} error={error_of('session_cookie')} mono />
          </div>
          <details class="advanced" data-testid="site-documents">
            <summary>{t.documents.fields}</summary>
            <p class="hint">{t.documents.what}</p>
            <AreaField label={t.documents.field} hint={t.documents.fields_hint} value={documents} onChange={set_documents} rows={3} error={error_of('document_fields')} data-testid="site-document-fields" />
          </details>
          <details class="advanced" data-testid="site-block">
            <summary>{t.sites.block}</summary>
            <p class="hint">{t.sites.block_hint}</p>
            <TextField label={t.sites.block_status} hint={t.sites.block_status_hint} value={block_status} onChange={set_block_status} error={error_of('block_status')} inputMode="numeric" data-testid="site-block-status" />
            <AreaField label={t.sites.block_body} hint={say(t.sites.block_body_hint, { event_id: '{event_id}' })} value={block_body} onChange={set_block_body} rows={5} error={error_of('block_body')} data-testid="site-block-body" />
          </details>
          <details class="advanced">
            <summary>{t.sites.mask}</summary>
            <p class="hint">{t.sites.mask_hint}</p>
            <AreaField label={t.sites.mask_parameters} value={parameters} onChange={set_parameters} rows={2} error={error_of('mask')} />
            <AreaField label={t.sites.mask_headers} value={headers} onChange={set_headers} rows={2} />
            <AreaField label={t.sites.mask_cookies} value={cookies} onChange={set_cookies} rows={2} />
            <Check label={t.sites.mask_cards} checked={cards} onChange={set_cards} />
          </details>
        </>
      )}
    </EditDialog>
  );
}

// Where nobody enforces nothing was denied; a site whose mode changed has some of both.
function stopped_words(site: Site, day: SiteDay): string[] {
  const words: string[] = [];
  if (day.denied > 0 || site.mode === 'block') words.push(say(t.sites.denied, { n: day.denied }));
  if (day.monitored > 0 || site.mode === 'monitor') words.push(say(t.sites.would_be_denied, { n: day.monitored }));
  return words;
}

// What happened today, and what the strictest setting would have done yesterday.
function Days({ site }: { site: Site }) {
  const day_of = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  const today = site.days?.find((d) => d.day === day_of(0));
  const yesterday = site.days?.find((d) => d.day === day_of(1));
  return (
    <>
      {today ? [say(t.sites.today_counts, { requests: today.requests }), ...stopped_words(site, today)].join(t.common.list_separator) : <span class="muted nowrap">{t.hits.none}</span>}
      {site.sensitivity !== 'strict' && yesterday && yesterday.would_deny.strict > yesterday.denied + yesterday.monitored && <div class="muted">{say(t.sites.would, { n: count_text(yesterday.would_deny.strict) })}</div>}
    </>
  );
}

function Unknown({ unknown, adopt }: { unknown: UnknownHosts; adopt?: ((host: string) => void) | undefined }) {
  return (
    <>
      <h3>{t.sites.unknown}</h3>
      <p class="hint">{t.sites.unknown_lead} {unknown.other > 0 && say(t.sites.unknown_more, { n: count_text(unknown.other) })}</p>
      <Table testid="unknown-hosts" row_testid="unknown-host" rows={unknown.hosts.slice(0, max_unknown_shown)} key_of={(h) => h.host} columns={[
        { id: 'host', title: t.sites.hosts, kind: 'code', draw: (h) => <Hostile text={h.host} />, sort: (h) => h.host },
        { id: 'count', title: t.sites.count, kind: 'number', draw: (h) => count_text(h.count), sort: (h) => h.count },
        { id: 'seen', title: t.sites.seen, kind: 'short', draw: (h) => time_text(h.last_s * 1000), sort: (h) => h.last_s },
        { id: 'act', title: '', kind: 'act', draw: (h) => adopt && <Button small onClick={() => adopt(h.host)} data-testid="host-adopt">{t.sites.adopt}</Button> },
      ]} />
    </>
  );
}

export function SitesSection({ me }: { me: Me }) {
  const list = use_load('sites', sites_api.list);
  const unknown = use_load('unknown-hosts', sites_api.unknown);
  const [editing, set_editing] = useState<Site | 'new' | undefined>();
  const [host, set_host] = useState('');
  const admin = may(me, 'admin');
  const done = (): void => { set_editing(undefined); list.reload(); unknown.reload(); };
  const add = (name: string): void => { set_host(name); set_editing('new'); };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.sites as string} lead={t.sites.lead} action={admin && <Button kind="primary" icon="plus" onClick={() => add('')} data-testid="site-add">{t.sites.add}</Button>} />
      <Pending of={list} />
      <Table testid="sites" row_testid="site-row" rows={list.value ?? []} key_of={(site) => site.uuid} row_data={(site) => ({ 'data-site': site.uuid })} columns={[
        { id: 'name', title: t.sites.name, draw: (site) => <Hostile text={site.name} />, sort: (site) => site.name },
        { id: 'hosts', title: t.sites.hosts, kind: 'code', draw: (site) => (site.uuid === default_site ? <span class="muted">{t.sites.default_hosts}</span> : site.hosts.map((host) => <div key={host}><Hostile text={host} /></div>)), sort: (site) => site.hosts.join() },
        { id: 'mode', title: t.sites.mode, kind: 'short', draw: (site) => <Dot tone={mode_tones[site.mode]} text={t.sites.modes[site.mode] ?? site.mode} />, sort: (site) => site.mode },
        { id: 'sensitivity', title: t.sites.sensitivity, draw: (site) => <>{t.sites.sensitivities[site.sensitivity] ?? site.sensitivity}{Object.keys(site.sensitivity_by_type).length > 0 && <div class="muted">{say(t.sites.by_type_count, { n: Object.keys(site.sensitivity_by_type).length })}</div>}</>, sort: (site) => site.sensitivity },
        { id: 'today', title: t.sites.today, testid: 'site-days', draw: (site) => <Days site={site} /> },
        { id: 'act', title: '', kind: 'act', draw: (site) => admin && (
          <>
            <Button small onClick={() => set_editing(site)} data-testid="site-edit">{t.common.edit}</Button>
            {site.uuid !== default_site && <RemoveButton title={t.sites.delete_title} text={t.sites.delete_text} remove={() => sites_api.remove(site.uuid, site.etag)} done={list.reload} />}
          </>
        ) },
      ]} />
      {unknown.value && unknown.value.hosts.length > 0 && <Unknown unknown={unknown.value} adopt={admin ? add : undefined} />}
      {editing && <SiteDialog {...(editing === 'new' ? { host } : { site: editing })} done={done} close={() => set_editing(undefined)} />}
    </div>
  );
}
