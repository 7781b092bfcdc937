// The form of one target with its preview, receiver snippets and the connection test.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../api/client';
import { targets_api } from '../../../api/settings';
import type { Me, Target, Transport } from '../../../api/types';
import { default_max, draft_of, new_draft, target_of, with_transport, type TargetDraft } from '../../../lib/target_form';
import { set_leave_guard } from '../../../state/route';
import { may } from '../../../state/session';
import { t } from '../../../text';
import { Button } from '../../../ui/button';
import { Check, SelectField, TextField } from '../../../ui/field';
import { Confirm, ErrorNotice, member_error, Notice } from '../../../ui/panel';
import { PreviewCard } from './preview';
import { SnippetsCard } from './snippets';
import { TargetStatusCard } from './status';
import { TestPanel } from './test_panel';

// In this version the server sends these; the others are named, so that nobody looks for them.
const available: string[] = ['udp', 'tcp', 'relp', 'json', 'cef', 'leef', 'ecs'];
const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([key, text]) => [key, available.includes(key) ? text : t.syslog.later(text), !available.includes(key)] as const);
const facilities = ['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp', 'ntp', 'audit', 'alert', 'clock',
  'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'];
const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

type Change = (patch: Partial<TargetDraft>) => void;
interface Part {
  draft: TargetDraft;
  change: Change;
  error_of: (member: string) => string | undefined;
  disabled: boolean;
}

function Destination({ draft, change, error_of, disabled, set_transport }: Part & { set_transport: (transport: Transport) => void }) {
  return (
    <>
      <div class="form-row">
        <TextField label={t.syslog.host} hint={t.syslog.host_hint} value={draft.host} onChange={(host) => change({ host })} error={error_of('host')} disabled={disabled} name="host" mono data-testid="target-host" />
        <SelectField label={t.syslog.transport} hint={t.syslog.transport_hint[draft.transport]} value={draft.transport} onChange={(v) => set_transport(v as Transport)}
          options={choices(t.syslog.transports)} error={error_of('transport')} disabled={disabled} data-testid="target-transport" />
        <TextField label={t.syslog.port} value={draft.port} onChange={(port) => change({ port })} error={error_of('port')} disabled={disabled} name="port" inputMode="numeric" mono data-testid="target-port" />
      </div>
      <div class="form-row">
        <TextField label={t.syslog.name} hint={t.syslog.name_hint} value={draft.name} onChange={(name) => change({ name })} error={error_of('name')} disabled={disabled} name="name" data-testid="target-name" />
        <Check label={t.syslog.enabled} hint={t.syslog.enabled_hint} checked={draft.enabled} onChange={(enabled) => change({ enabled })} disabled={disabled} data-testid="target-enabled" />
      </div>
    </>
  );
}

function Format({ draft, change, error_of, disabled }: Part) {
  const unframed = draft.transport !== 'tcp';
  const toggle_stream = (name: string, on: boolean): void => change({ streams: on ? [...draft.streams, name] : draft.streams.filter((s) => s !== name) });
  return (
    <details class="advanced" open={['header', 'content', 'framing', 'facility', 'severity', 'app_name', 'hostname', 'filter', 'streams', 'request_detail', 'max_message_bytes', 'rate_limit', 'wait_for_report_ms', 'source_address', 'time_precision'].some((m) => error_of(m)) || undefined} data-testid="target-advanced">
      <summary>{t.syslog.advanced}</summary>
      <div class="form-row">
        <SelectField label={t.syslog.header} value={draft.header} onChange={(header) => change({ header })} options={Object.entries(t.syslog.headers)} error={error_of('header')} disabled={disabled} />
        <SelectField label={t.syslog.content} value={draft.content} onChange={(content) => change({ content })} options={choices(t.syslog.contents)} error={error_of('content')} disabled={disabled} />
        <SelectField label={t.syslog.framing} hint={unframed ? t.syslog.framing_none : t.syslog.framing_hint} value={draft.framing} onChange={(framing) => change({ framing })} options={Object.entries(t.syslog.framings)} error={error_of('framing')} disabled={disabled || unframed} data-testid="target-framing" />
      </div>
      <div class="form-row">
        <SelectField label={t.syslog.facility} value={draft.facility} onChange={(facility) => change({ facility })} options={facilities.map((name, i) => [String(i), `${i} ${name}`] as const)} error={error_of('facility')} disabled={disabled} />
        <SelectField label={t.syslog.severity} value={draft.severity} onChange={(severity) => change({ severity })} options={[['by_risk', t.syslog.by_risk], ...severities.map((name, i) => [String(i), `${i} ${name}`] as const)]} error={error_of('severity')} disabled={disabled} />
        <SelectField label={t.syslog.precision} value={draft.time_precision} onChange={(time_precision) => change({ time_precision })} options={Object.entries(t.syslog.precisions)} error={error_of('time_precision')} disabled={disabled} />
      </div>
      <div class="form-row">
        <TextField label={t.syslog.app_name} value={draft.app_name} onChange={(app_name) => change({ app_name })} error={error_of('app_name')} disabled={disabled} mono />
        <TextField label={t.syslog.hostname} hint={t.syslog.hostname_hint} value={draft.hostname} onChange={(hostname) => change({ hostname })} error={error_of('hostname')} disabled={disabled} mono />
        <TextField label={t.syslog.source_address} hint={t.syslog.source_hint} value={draft.source_address} onChange={(source_address) => change({ source_address })} error={error_of('source_address')} disabled={disabled} mono />
      </div>
      <TextField label={t.syslog.filter} hint={t.syslog.filter_hint} value={draft.filter} onChange={(filter) => change({ filter })} error={error_of('filter')} disabled={disabled} mono wide data-testid="target-filter" />
      <div class="form-row">
        <SelectField label={t.syslog.request_detail} hint={t.syslog.request_detail_hint} value={draft.request_detail} onChange={(request_detail) => change({ request_detail })} options={Object.entries(t.syslog.request_details)} error={error_of('request_detail')} disabled={disabled} />
        <TextField label={t.syslog.max} hint={t.syslog.max_hint} value={draft.max_message_bytes} placeholder={default_max[draft.transport]} onChange={(max_message_bytes) => change({ max_message_bytes })} error={error_of('max_message_bytes')} disabled={disabled} inputMode="numeric" mono />
        <TextField label={t.syslog.rate} hint={t.syslog.rate_hint} value={draft.rate_limit} onChange={(rate_limit) => change({ rate_limit })} error={error_of('rate_limit')} disabled={disabled} inputMode="numeric" mono />
        <TextField label={t.syslog.report_wait} hint={t.syslog.report_wait_hint} value={draft.wait_for_report_ms} onChange={(wait_for_report_ms) => change({ wait_for_report_ms })} error={error_of('wait_for_report_ms')} disabled={disabled} inputMode="numeric" mono data-testid="target-report-wait" />
      </div>
      <div class="form-row">
        <fieldset class="checks">
          <legend>{t.syslog.streams}</legend>
          {Object.entries(t.syslog.stream).map(([name, text]) => <Check key={name} label={text} checked={draft.streams.includes(name)} onChange={(on) => toggle_stream(name, on)} disabled={disabled} />)}
          {error_of('streams') && <p class="field-error" role="alert">{error_of('streams')}</p>}
        </fieldset>
        <div class="checks">
          <Check label={t.syslog.sequence_id} hint={t.syslog.sequence_hint} checked={draft.sequence_id} onChange={(sequence_id) => change({ sequence_id })} disabled={disabled} />
          <Check label={t.syslog.bom} hint={t.syslog.bom_hint} checked={draft.bom} onChange={(bom) => change({ bom })} disabled={disabled} />
        </div>
      </div>
    </details>
  );
}

// A form with unsaved input is not left by a click on a link without a question.
function use_guard(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    set_leave_guard(() => confirm(t.common.unsaved));
    return () => set_leave_guard(undefined);
  }, [dirty]);
}

function Problem({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.problem.status === 412) return <Notice tone="warn" testid="conflict">{t.settings.conflict}</Notice>;
  return <ErrorNotice error={error} />;
}

export function TargetForm({ me, stored, leave }: { me: Me; stored?: Target; leave: (saved: boolean) => void }) {
  const opened = useRef(stored);  // as it was when the form opened: what If-Match refers to
  const initial = useRef(stored ? draft_of(stored) : new_draft);
  const [draft, set_draft] = useState<TargetDraft>(initial.current);
  const [error, set_error] = useState<unknown>();
  const [busy, set_busy] = useState(false);
  const [asking, set_asking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const admin = may(me, 'admin');
  use_guard(admin && JSON.stringify(draft) !== JSON.stringify(initial.current));
  useEffect(() => { if (!stored) form.current?.querySelector('input')?.focus(); }, []);

  const problem = error instanceof ApiError ? error.problem : undefined;
  const shown_here = problem?.member !== undefined && problem.member.split(/[.[]/)[0] as string in draft;
  const error_of = (member: string): string | undefined => (problem?.member?.split(/[.[]/)[0] === member ? member_error(error, problem.member) : undefined);
  const change: Change = (patch) => {
    set_draft((d) => ({ ...d, ...patch }));
    if (problem?.member && problem.member in patch) set_error(undefined);
  };
  const object = (): Record<string, unknown> => target_of(draft, opened.current);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_busy(true);
    set_error(undefined);
    try {
      const id = opened.current?.id;
      if (id) await targets_api.change(id, object() as Partial<Target>, opened.current?.etag);
      else await targets_api.add(object() as Partial<Target>);
      set_leave_guard(undefined);
      leave(true);
    } catch (caught) {
      set_error(caught);
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    }
    set_busy(false);
  };
  const remove = async (): Promise<void> => {
    set_busy(true);
    try {
      await targets_api.remove(opened.current?.id ?? '');
      set_leave_guard(undefined);
      leave(false);
    } catch (caught) {
      set_error(caught);
    }
    set_busy(false);
  };
  const part: Part = { draft, change, error_of, disabled: !admin };
  const name = opened.current?.name ?? '';

  return (
    <div class="section">
      <header class="section-head"><h2>{stored ? t.syslog.edit(name) : t.syslog.new}</h2></header>
      {!admin && <Notice tone="info">{t.common.read_only}</Notice>}
      <div class="form-columns">
        <div class="form-main">
          <form ref={form} class="form card" onSubmit={save} data-testid="target-form" noValidate>
            <Destination {...part} set_transport={(transport) => { set_draft((d) => with_transport(d, transport)); if (problem?.member === 'transport') set_error(undefined); }} />
            <Format {...part} />
            {error !== undefined && !shown_here && <Problem error={error} />}
            <footer class="form-foot">
              {admin && <Button type="submit" kind="primary" busy={busy} data-testid="target-save">{t.common.save}</Button>}
              <Button onClick={() => leave(false)}>{admin ? t.common.cancel : t.common.close}</Button>
              {admin && stored && <span class="push"><Button kind="danger" icon="trash" onClick={() => set_asking(true)} data-testid="target-remove">{t.common.remove}</Button></span>}
            </footer>
          </form>
          <PreviewCard draft={draft} node={me.node} />
          <SnippetsCard draft={draft} />
        </div>
        <div class="form-side">
          {admin && <TestPanel draft={draft} object={object} id={opened.current?.id} on_problem={set_error} />}
          {stored?.status && <TargetStatusCard status={stored.status} transport={stored.transport} enabled={stored.enabled} />}
        </div>
      </div>
      {asking && <Confirm title={t.syslog.delete_title} text={t.syslog.delete_text(name)} action={t.common.remove} busy={busy} onConfirm={remove} onClose={() => set_asking(false)} />}
    </div>
  );
}

