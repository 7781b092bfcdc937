// The parts of a target's form: where to, how encrypted, into which topic, in which shape.
import type { Preset, Transport } from '../../../api/types';
import { default_max, may_encrypt, type KafkaDraft, type PostgresDraft, type TargetDraft, type TlsDraft } from '../../../lib/target_form';
import { t } from '../../../text';
import { AreaField, Check, SelectField, TextField } from '../../../ui/field';

const facilities = ['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp', 'ntp', 'audit', 'alert', 'clock',
  'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'];
const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];

export type Change = (patch: Partial<TargetDraft>) => void;
export interface Part {
  draft: TargetDraft;
  change: Change;
  error_of: (member: string) => string | undefined;  // the server's words for a member and what is inside of it
  disabled: boolean;
}

// Members of the format part: it opens when the server refuses one of them.
const format_members = ['header', 'content', 'framing', 'facility', 'severity', 'app_name', 'hostname', 'filter', 'streams', 'request_detail', 'max_message_bytes',
  'rate_limit', 'wait_for_report_ms', 'source_address', 'time_precision', 'bom', 'sequence_id'];

// What the form shows, and so can say in place.
export function shown_members(draft: TargetDraft): string[] {
  const tls = draft.transport === 'tls' || may_encrypt(draft.transport) ? ['tls'] : [];
  return ['name', 'enabled', 'host', 'transport', 'port', 'backups', ...format_members, ...tls, ...(draft.transport === 'kafka' ? ['kafka'] : []), ...(draft.transport === 'postgresql' ? ['postgresql'] : [])];
}

export function PresetChoice({ presets, draft, choose, disabled }: { presets: Preset[]; draft: TargetDraft; choose: (id: string) => void; disabled: boolean }) {
  const about = presets.find((p) => p.id === draft.preset)?.about;
  return (
    <SelectField label={t.syslog.preset} hint={about ?? t.syslog.preset_hint} value={draft.preset} onChange={choose} disabled={disabled} wide data-testid="target-preset"
      options={[['', t.syslog.preset_none], ...presets.map((p) => [p.id, p.name] as const)]} />
  );
}

export function Destination({ draft, change, error_of, disabled, set_transport }: Part & { set_transport: (transport: Transport) => void }) {
  const port_error = error_of('port');  // under the row: its field has no room for a sentence
  return (
    <>
      <div class="form-row destination">
        <TextField label={t.syslog.host} hint={t.syslog.host_hint} value={draft.host} onChange={(host) => change({ host })} error={error_of('host')} disabled={disabled} name="host" mono data-testid="target-host" />
        <SelectField label={t.syslog.transport} value={draft.transport} onChange={(v) => set_transport(v as Transport)}
          options={Object.entries(t.syslog.transports)} error={error_of('transport')} disabled={disabled} data-testid="target-transport" />
        <TextField label={t.syslog.port} value={draft.port} onChange={(port) => change({ port })} error_id={port_error && 'port-error'} disabled={disabled} name="port" inputMode="numeric" mono data-testid="target-port" />
      </div>
      {port_error && <p class="field-error row-error" id="port-error" role="alert">{t.syslog.port}: {port_error}</p>}
      <p class="hint transport-hint">{t.syslog.transports[draft.transport]}: {t.syslog.transport_hint[draft.transport]}</p>
      <div class="form-row">
        <TextField label={t.syslog.name} hint={t.syslog.name_hint} value={draft.name} onChange={(name) => change({ name })} error={error_of('name')} disabled={disabled} name="name" data-testid="target-name" />
        <Check label={t.syslog.enabled} hint={t.syslog.enabled_hint} checked={draft.enabled} onChange={(enabled) => change({ enabled })} disabled={disabled} data-testid="target-enabled" />
      </div>
    </>
  );
}

export function Encryption({ draft, change, error_of, disabled }: Part) {
  const { tls } = draft;
  const set = (patch: Partial<TlsDraft>): void => change({ tls: { ...tls, ...patch } });
  const optional = may_encrypt(draft.transport);
  const kafka = draft.transport === 'kafka';
  return (
    <fieldset class="part" data-testid="target-tls">
      <legend>{t.syslog.tls}</legend>
      {optional && <Check label={t.syslog.tls_on} checked={tls.enabled} onChange={(enabled) => set({ enabled })} disabled={disabled} data-testid="tls-enabled" />}
      {error_of('tls.enabled') && <p class="field-error" role="alert">{error_of('tls.enabled')}</p>}
      {(!optional || tls.enabled) && (
        <>
          <Check label={t.syslog.tls_verify} hint={tls.verify ? t.syslog.tls_verify_hint : tls.fingerprint_sha256.trim() ? t.syslog.tls_pinned : t.syslog.tls_unverified} checked={tls.verify} onChange={(verify) => set({ verify })} disabled={disabled} data-testid="tls-verify" />
          <AreaField label={t.syslog.tls_ca} hint={t.syslog.tls_ca_hint} value={tls.ca} onChange={(ca) => set({ ca })} rows={3} error={error_of('tls.ca')} disabled={disabled} data-testid="tls-ca" />
          <div class="form-row">
            {!kafka && <TextField label={t.syslog.tls_name} hint={t.syslog.tls_name_hint} value={tls.server_name} onChange={(server_name) => set({ server_name })} error={error_of('tls.server_name')} disabled={disabled} mono data-testid="tls-server-name" />}
            {!kafka && <SelectField label={t.syslog.tls_min} value={tls.min_version} onChange={(min_version) => set({ min_version })} options={[['1.2', 'TLS 1.2'], ['1.3', 'TLS 1.3']]} error={error_of('tls.min_version')} disabled={disabled} data-testid="tls-min-version" />}
          </div>
          {draft.transport !== 'postgresql' && <TextField label={t.syslog.tls_fingerprint} hint={t.syslog.tls_fingerprint_hint} value={tls.fingerprint_sha256} onChange={(fingerprint_sha256) => set({ fingerprint_sha256 })} error={error_of('tls.fingerprint_sha256')} disabled={disabled} mono wide data-testid="tls-fingerprint" />}
          <details class="advanced" open={tls.certificate !== '' || error_of('tls.certificate') !== undefined || error_of('tls.key') !== undefined}>
            <summary>{t.syslog.tls_client}</summary>
            <AreaField label={t.syslog.tls_certificate} hint={t.syslog.tls_pem_hint} value={tls.certificate} onChange={(certificate) => set({ certificate })} rows={3} error={error_of('tls.certificate')} disabled={disabled} data-testid="tls-certificate" />
            <AreaField label={t.syslog.tls_key} hint={tls.key_set ? t.syslog.secret_kept : t.syslog.tls_key_hint} value={tls.key} onChange={(key) => set({ key })} rows={3} error={error_of('tls.key')} disabled={disabled} data-testid="tls-key" />
          </details>
        </>
      )}
    </fieldset>
  );
}

export function Kafka({ draft, change, error_of, disabled }: Part) {
  const { kafka } = draft;
  const set = (patch: Partial<KafkaDraft>): void => change({ kafka: { ...kafka, ...patch } });
  return (
    <fieldset class="part" data-testid="target-kafka">
      <legend>{t.syslog.transports['kafka']}</legend>
      <div class="form-row">
        <TextField label={t.syslog.kafka_topic} value={kafka.topic} onChange={(topic) => set({ topic })} error={error_of('kafka.topic')} disabled={disabled} mono data-testid="kafka-topic" />
        <SelectField label={t.syslog.kafka_compression} value={kafka.compression} onChange={(compression) => set({ compression })} error={error_of('kafka.compression')} disabled={disabled}
          options={[['none', t.syslog.kafka_uncompressed], ...['gzip', 'snappy', 'lz4', 'zstd'].map((name) => [name, name] as const)]} />
        <SelectField label={t.syslog.sasl} value={kafka.mechanism} onChange={(mechanism) => set({ mechanism })} error={error_of('kafka.sasl.mechanism')} disabled={disabled} data-testid="kafka-sasl"
          options={[['', t.syslog.sasl_none], ...['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'].map((name) => [name, name] as const)]} />
      </div>
      {kafka.mechanism !== '' && (
        <div class="form-row">
          <TextField label={t.syslog.sasl_username} value={kafka.username} onChange={(username) => set({ username })} error={error_of('kafka.sasl.username')} disabled={disabled} autocomplete="off" mono data-testid="kafka-username" />
          <TextField label={t.syslog.sasl_password} hint={kafka.password_set ? t.syslog.secret_kept : undefined} value={kafka.password} onChange={(password) => set({ password })} type="password" error={error_of('kafka.sasl.password')} disabled={disabled} autocomplete="new-password" mono data-testid="kafka-password" />
        </div>
      )}
    </fieldset>
  );
}

export function Postgres({ draft, change, error_of, disabled }: Part) {
  const { postgresql } = draft;
  const set = (patch: Partial<PostgresDraft>): void => change({ postgresql: { ...postgresql, ...patch } });
  return (
    <fieldset class="part" data-testid="target-postgresql">
      <legend>{t.syslog.transports['postgresql']}</legend>
      <div class="form-row">
        <TextField label={t.syslog.pg_database} value={postgresql.database} onChange={(database) => set({ database })} error={error_of('postgresql.database')} disabled={disabled} mono data-testid="pg-database" />
        <TextField label={t.syslog.pg_user} value={postgresql.user} onChange={(user) => set({ user })} error={error_of('postgresql.user')} disabled={disabled} autocomplete="off" mono data-testid="pg-user" />
        <TextField label={t.syslog.sasl_password} hint={postgresql.password_set ? t.syslog.secret_kept : undefined} value={postgresql.password} onChange={(password) => set({ password })} type="password" error={error_of('postgresql.password')} disabled={disabled} autocomplete="new-password" mono data-testid="pg-password" />
      </div>
      <div class="form-row">
        <TextField label={t.syslog.pg_keep} hint={t.syslog.pg_keep_hint} value={postgresql.keep_days} onChange={(keep_days) => set({ keep_days })} error={error_of('postgresql.keep_days')} disabled={disabled} inputMode="numeric" mono data-testid="pg-keep" />
        <TextField label={t.syslog.pg_keep_gib} hint={t.syslog.pg_keep_gib_hint} value={postgresql.keep_gib} onChange={(keep_gib) => set({ keep_gib })} error={error_of('postgresql.keep_gib')} disabled={disabled} inputMode="numeric" mono data-testid="pg-keep-gib" />
      </div>
    </fieldset>
  );
}

export function Backups({ draft, change, error_of, disabled }: Part) {
  return (
    <details class="advanced" open={draft.backups !== '' || error_of('backups') !== undefined} data-testid="target-more">
      <summary>{draft.transport === 'kafka' ? t.syslog.brokers : t.syslog.backups}</summary>
      <AreaField label={draft.transport === 'kafka' ? t.syslog.brokers_label : t.syslog.backups_label} hint={draft.transport === 'kafka' ? t.syslog.brokers_hint : t.syslog.backups_hint} value={draft.backups} onChange={(backups) => change({ backups })} rows={2} error={error_of('backups')} disabled={disabled} data-testid="target-backups" />
    </details>
  );
}

export function Format({ draft, change, error_of, disabled }: Part) {
  const database = draft.transport === 'postgresql';  // it keeps the record, and chooses its own source
  const unframed = draft.transport !== 'tcp' && draft.transport !== 'tls';
  const toggle_stream = (name: string, on: boolean): void => change({ streams: on ? [...draft.streams, name] : draft.streams.filter((s) => s !== name) });
  return (
    <details class="advanced" open={format_members.some((m) => error_of(m)) || undefined} data-testid="target-advanced">
      <summary>{t.syslog.advanced}</summary>
      <div class="form-row">
        <SelectField label={t.syslog.header} value={draft.header} onChange={(header) => change({ header })} options={Object.entries(t.syslog.headers)} error={error_of('header')} disabled={disabled || database} />
        <SelectField label={t.syslog.content} value={draft.content} onChange={(content) => change({ content })} options={Object.entries(t.syslog.contents)} error={error_of('content')} disabled={disabled || database} data-testid="target-content" />
        <SelectField label={t.syslog.framing} value={draft.framing} onChange={(framing) => change({ framing })} options={Object.entries(t.syslog.framings)} error={error_of('framing')} disabled={disabled || unframed} data-testid="target-framing" />
      </div>
      <p class="hint">{unframed ? t.syslog.framing_none : t.syslog.framing_hint}</p>
      <div class="form-row">
        <SelectField label={t.syslog.facility} value={draft.facility} onChange={(facility) => change({ facility })} options={facilities.map((name, i) => [String(i), `${i} ${name}`] as const)} error={error_of('facility')} disabled={disabled} />
        <SelectField label={t.syslog.severity} value={draft.severity} onChange={(severity) => change({ severity })} options={[['by_risk', t.syslog.by_risk], ...severities.map((name, i) => [String(i), `${i} ${name}`] as const)]} error={error_of('severity')} disabled={disabled} />
        <SelectField label={t.syslog.precision} value={draft.time_precision} onChange={(time_precision) => change({ time_precision })} options={Object.entries(t.syslog.precisions)} error={error_of('time_precision')} disabled={disabled} />
      </div>
      <div class="form-row">
        <TextField label={t.syslog.app_name} value={draft.app_name} onChange={(app_name) => change({ app_name })} error={error_of('app_name')} disabled={disabled} mono />
        <TextField label={t.syslog.hostname} hint={t.syslog.hostname_hint} value={draft.hostname} onChange={(hostname) => change({ hostname })} error={error_of('hostname')} disabled={disabled} mono />
        <TextField label={t.syslog.source_address} hint={t.syslog.source_hint} value={draft.source_address} onChange={(source_address) => change({ source_address })} error={error_of('source_address')} disabled={disabled || database} mono />
      </div>
      <TextField label={t.syslog.filter} hint={t.syslog.filter_hint} value={draft.filter} onChange={(filter) => change({ filter })} error={error_of('filter')} disabled={disabled} mono wide data-testid="target-filter" />
      <div class="form-row">
        <SelectField label={t.syslog.request_detail} hint={t.syslog.request_detail_hint} value={draft.request_detail} onChange={(request_detail) => change({ request_detail })} options={Object.entries(t.syslog.request_details)} error={error_of('request_detail')} disabled={disabled} />
        <TextField label={t.syslog.max} hint={t.syslog.max_hint} value={draft.max_message_bytes} placeholder={default_max[draft.transport]} onChange={(max_message_bytes) => change({ max_message_bytes })} error={error_of('max_message_bytes')} disabled={disabled} inputMode="numeric" mono data-testid="target-max" />
      </div>
      <div class="form-row">
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
