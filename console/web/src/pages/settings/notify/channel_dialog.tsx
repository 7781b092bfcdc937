// A channel: where notifications go, and a test that says how far one came.
import { useEffect, useRef, useState } from 'preact/hooks';
import { channels_api, type Channel, type ChannelTest } from '../../../api/notify';
import { languages } from '../../../lib/language';
import { problem_text } from '../../../lib/reasons';
import { language_now } from '../../../state/language';
import { say, t } from '../../../text';
import { Button } from '../../../ui/button';
import { AreaField, Check, SelectField, TextField } from '../../../ui/field';
import { Hostile } from '../../../ui/hostile';
import { ErrorNotice, Notice } from '../../../ui/panel';
import { EditDialog, type ErrorOf, lines_of } from '../crud';
import { Stage } from '../syslog/test_panel';

const fresh: Partial<Channel> = {
  name: '', enabled: true, kind: 'mail', host: '', security: 'starttls', username: '', sender: '', recipients: [], format: 'json', verify: true, ca: '',
  group_s: 60, quiet_from: '', quiet_to: '', tell_end: true, weekly_report: false,
};
const ports: Record<string, string> = { starttls: '587', tls: '465', none: '25' };

// What people type, before it is a channel: numbers and lists as text, secrets only where they are typed anew.
interface Draft { channel: Partial<Channel>; port: string; recipients: string; group: string; password: string; url: string; secret: string }

function draft_of(channel: Channel | undefined): Draft {
  const of = channel ?? { ...fresh, language: language_now() };
  return { channel: of, port: channel ? String(channel.port) : '', recipients: (of.recipients ?? []).join('\n'), group: String(of.group_s), password: '', url: '', secret: '' };
}

export function channel_of({ channel, port, recipients, group, password, url, secret }: Draft): Partial<Channel> {
  const { id: _id, etag: _etag, password_set: _p, url_set: _u, secret_set: _s, origin: _o, ...settings } = channel as Channel;
  const number = (text: string): number => (text.trim() === '' ? NaN : Number(text));
  return {
    ...settings, recipients: lines_of(recipients), group_s: number(group),
    port: port.trim() === '' ? Number(ports[settings.security]) : number(port),
    ...(password ? { password } : {}), ...(url ? { url: url.trim() } : {}), ...(secret ? { secret } : {}),
  };
}

interface Fields { draft: Draft; change: (part: Partial<Draft>) => void; set: (part: Partial<Channel>) => void; error_of: ErrorOf }

function SecretField({ label, kept, value, onChange, error, hint, testid }: { label: string; kept: boolean; value: string; onChange: (text: string) => void; error: string | undefined; hint?: string; testid: string }) {
  return <TextField label={label} type="password" value={value} onChange={onChange} error={error} hint={kept ? t.notify.kept : hint} autocomplete="new-password" data-testid={testid} />;
}

function MailFields({ draft, change, set, error_of }: Fields) {
  const { channel } = draft;
  return (
    <>
      <div class="form-row">
        <TextField label={t.notify.host} value={channel.host ?? ''} onChange={(host) => set({ host })} error={error_of('host')} mono data-testid="channel-host" />
        <TextField label={t.notify.port} value={draft.port} onChange={(port) => change({ port })} error={error_of('port')} placeholder={ports[channel.security ?? ''] ?? ''} inputMode="numeric" data-testid="channel-port" />
      </div>
      <SelectField label={t.notify.security} value={channel.security ?? ''} onChange={(v) => { set({ security: v as Channel['security'] }); change({ port: '' }); }} options={Object.entries(t.notify.securities)} error={error_of('security')} data-testid="channel-security" />
      <div class="form-row">
        <TextField label={t.notify.username} value={channel.username ?? ''} onChange={(username) => set({ username })} error={error_of('username')} hint={t.notify.username_hint} autocomplete="off" data-testid="channel-username" />
        <SecretField label={t.notify.password} kept={channel.password_set === true} value={draft.password} onChange={(password) => change({ password })} error={error_of('password')} testid="channel-password" />
      </div>
      <TextField label={t.notify.sender} value={channel.sender ?? ''} onChange={(sender) => set({ sender })} error={error_of('sender')} hint={t.notify.sender_hint} mono wide data-testid="channel-sender" />
      <AreaField label={t.notify.recipients} value={draft.recipients} onChange={(recipients) => change({ recipients })} error={error_of('recipients')} rows={2} hint={t.notify.recipients_hint} data-testid="channel-recipients" />
    </>
  );
}

function WebhookFields({ draft, change, set, error_of }: Fields) {
  const { channel } = draft;
  return (
    <>
      <TextField label={t.notify.url} value={draft.url} onChange={(url) => change({ url })} error={error_of('url')} hint={channel.url_set ? say(t.notify.url_kept, { origin: channel.origin ?? '' }) : t.notify.url_hint} mono wide autocomplete="off" data-testid="channel-url" />
      <div class="form-row">
        <SelectField label={t.notify.format} value={channel.format ?? ''} onChange={(v) => set({ format: v as Channel['format'] })} options={Object.entries(t.notify.formats)} error={error_of('format')} data-testid="channel-format" />
        <SecretField label={t.notify.secret} kept={channel.secret_set === true} value={draft.secret} onChange={(secret) => change({ secret })} error={error_of('secret')} hint={t.notify.secret_hint} testid="channel-secret" />
      </div>
    </>
  );
}

function CommonFields({ draft, change, set, error_of }: Fields) {
  const { channel } = draft;
  return (
    <>
      <div class="form-row">
        <TextField label={t.notify.group} value={draft.group} onChange={(group) => change({ group })} error={error_of('group_s')} hint={t.notify.group_hint} inputMode="numeric" data-testid="channel-group" />
        <TextField label={t.notify.quiet_from} value={channel.quiet_from ?? ''} onChange={(quiet_from) => set({ quiet_from })} error={error_of('quiet_from')} placeholder="22:00" hint={t.notify.quiet_hint} data-testid="channel-quiet-from" />
        <TextField label={t.notify.quiet_to} value={channel.quiet_to ?? ''} onChange={(quiet_to) => set({ quiet_to })} error={error_of('quiet_to')} placeholder="07:00" data-testid="channel-quiet-to" />
      </div>
      <SelectField label={t.notify.language} value={channel.language ?? 'en'} onChange={(v) => set({ language: v as Channel['language'] })} options={Object.entries(languages)} hint={t.notify.language_hint} error={error_of('language')} data-testid="channel-language" />
      <AreaField label={t.notify.ca} value={channel.ca ?? ''} onChange={(ca) => set({ ca })} error={error_of('ca')} rows={2} hint={t.notify.ca_hint} data-testid="channel-ca" />
      <Check label={t.notify.verify} checked={channel.verify !== false} onChange={(verify) => set({ verify })} data-testid="channel-verify" />
      <Check label={t.notify.tell_end} checked={channel.tell_end !== false} onChange={(tell_end) => set({ tell_end })} />
      <Check label={t.notify.weekly_report} checked={channel.weekly_report === true} onChange={(weekly_report) => set({ weekly_report })} data-testid="channel-weekly" />
      <Check label={t.notify.enabled} checked={channel.enabled !== false} onChange={(enabled) => set({ enabled })} />
    </>
  );
}

function ChannelTester({ draft, id }: { draft: Draft; id: string | undefined }) {
  const [state, set_state] = useState<{ busy: boolean; result?: ChannelTest; error?: unknown; tested?: string }>({ busy: false });
  const run = async (): Promise<void> => {
    const tested = JSON.stringify(draft);
    set_state({ busy: true });
    try {
      set_state({ busy: false, tested, result: await channels_api.test({ ...channel_of(draft), ...(id ? { id } : {}) }) });
    } catch (error) {
      set_state({ busy: false, error });
    }
  };
  // The dialog is longer than most windows, and what it ends with covers what has just come.
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: 'center' }), [state.result]);
  return (
    <section class="channel-test" data-testid="channel-test">
      <Button icon="bolt" busy={state.busy} onClick={() => void run()} data-testid="channel-test-run">{t.notify.test}</Button>
      <p class="hint">{t.notify.test_lead}</p>
      <div aria-live="polite">
        {state.error !== undefined && <ErrorNotice error={state.error} />}
        {state.result && (
          <div ref={shown} class={state.tested === JSON.stringify(draft) ? 'test-result' : 'test-result stale'}>
            <Notice tone={state.result.verdict === 'accepted' ? 'good' : 'bad'} testid="channel-verdict">
              <span data-verdict={state.result.verdict}><Hostile text={problem_text(state.result.text)} /></span>
            </Notice>
            <ol class="stages">{state.result.stages.map((stage) => <Stage key={stage.name} stage={stage} udp={false} />)}</ol>
          </div>
        )}
      </div>
    </section>
  );
}

export function ChannelDialog({ channel, done, close }: { channel: Channel | undefined; done: () => void; close: () => void }) {
  const [draft, set_draft] = useState(() => draft_of(channel));
  const change = (part: Partial<Draft>): void => set_draft((now) => ({ ...now, ...part }));
  const set = (part: Partial<Channel>): void => set_draft((now) => ({ ...now, channel: { ...now.channel, ...part } }));
  const save = (): Promise<unknown> => (channel ? channels_api.change(channel.id, channel_of(draft), channel.etag) : channels_api.add(channel_of(draft)));
  return (
    <EditDialog title={channel ? channel.name : t.notify.new_channel} save={save} done={done} onClose={close} testid="channel-dialog">
      {(error_of) => {
        const fields = { draft, change, set, error_of };
        return (
          <>
            <div class="form-row">
              <TextField label={t.notify.name} value={draft.channel.name ?? ''} onChange={(name) => set({ name })} error={error_of('name')} data-testid="channel-name" />
              <SelectField label={t.notify.kind} value={draft.channel.kind ?? ''} onChange={(v) => set({ kind: v as Channel['kind'] })} options={Object.entries(t.notify.kinds)} error={error_of('kind')} data-testid="channel-kind" />
            </div>
            {draft.channel.kind === 'mail' ? <MailFields {...fields} /> : <WebhookFields {...fields} />}
            <CommonFields {...fields} />
            <ChannelTester draft={draft} id={channel?.id} />
          </>
        );
      }}
    </EditDialog>
  );
}
