// The provider by which people sign in: what it is, which groups are which role, and whether it answers.
import { useState } from 'preact/hooks';
import { oidc_api, type Oidc, type OidcCheck } from '../../api/oidc';
import type { Me } from '../../api/types';
import type { OidcSettings } from '../../api/settings_types';
import { problem_text } from '../../lib/reasons';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { t } from '../../text';
import { Button, CopyButton } from '../../ui/button';
import { AreaField, Check, SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, ErrorNotice, Notice, Pending } from '../../ui/panel';
import { EditDialog, type ErrorOf, lines_of, SectionHead } from './crud';

type Groups = 'admin_groups' | 'operator_groups' | 'viewer_groups';
const group_lists: readonly [Groups, 'admin' | 'operator' | 'viewer'][] = [['admin_groups', 'admin'], ['operator_groups', 'operator'], ['viewer_groups', 'viewer']];

// What people type: lists as text, the secret only where it is typed anew.
interface Draft { settings: Oidc; lists: Record<Groups | 'scopes' | 'acr_values', string>; secret: string }

function draft_of(settings: Oidc): Draft {
  const text = (list: string[]): string => list.join('\n');
  return {
    settings, secret: '',
    lists: { admin_groups: text(settings.admin_groups), operator_groups: text(settings.operator_groups), viewer_groups: text(settings.viewer_groups), scopes: settings.scopes.join(' '), acr_values: settings.acr_values.join(' ') },
  };
}

function settings_of({ settings, lists, secret }: Draft): Partial<OidcSettings> {
  const { client_secret_set: _set, redirect_path: _path, etag: _etag, ...rest } = settings;
  const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
  return {
    ...rest, issuer: rest.issuer.trim(), client_id: rest.client_id.trim(), scopes: words(lists.scopes), acr_values: words(lists.acr_values),
    admin_groups: lines_of(lists.admin_groups), operator_groups: lines_of(lists.operator_groups), viewer_groups: lines_of(lists.viewer_groups),
    ...(secret ? { client_secret: secret } : {}),
  };
}

interface Fields { draft: Draft; set: (part: Partial<Oidc>) => void; list: (name: keyof Draft['lists']) => (text: string) => void; secret: (text: string) => void; error_of: ErrorOf }

function ClientFields({ draft, set, secret, error_of }: Fields) {
  const { settings } = draft;
  return (
    <>
      <TextField label={t.sign_in.issuer} value={settings.issuer} onChange={(issuer) => set({ issuer })} error={error_of('issuer')} hint={t.sign_in.issuer_hint} mono wide data-testid="oidc-issuer" />
      <div class="form-row">
        <TextField label={t.sign_in.client_id} value={settings.client_id} onChange={(client_id) => set({ client_id })} error={error_of('client_id')} mono autocomplete="off" data-testid="oidc-client-id" />
        <TextField label={t.sign_in.client_secret} type="password" value={draft.secret} onChange={secret} error={error_of('client_secret')} hint={settings.client_secret_set ? t.notify.kept : t.sign_in.client_secret_hint} autocomplete="new-password" data-testid="oidc-client-secret" />
      </div>
      <TextField label={t.sign_in.label} value={settings.label} onChange={(label) => set({ label })} error={error_of('label')} hint={t.sign_in.label_hint} data-testid="oidc-label" />
      <AreaField label={t.notify.ca} value={settings.ca} onChange={(ca) => set({ ca })} error={error_of('ca')} rows={2} hint={t.notify.ca_hint} data-testid="oidc-ca" />
    </>
  );
}

function RoleFields({ draft, set, list, error_of }: Fields) {
  return (
    <fieldset class="part">
      <legend>{t.sign_in.roles}</legend>
      <p class="hint">{t.sign_in.roles_hint}</p>
      {group_lists.map(([name, role]) => <AreaField key={name} label={t.role[role]} value={draft.lists[name]} onChange={list(name)} error={error_of(name)} rows={2} data-testid={`oidc-${name}`} />)}
      <SelectField label={t.sign_in.default_role} value={draft.settings.default_role} onChange={(v) => set({ default_role: v as Oidc['default_role'] })} options={[['none', t.sign_in.refused], ['viewer', t.role.viewer]]} error={error_of('default_role')} data-testid="oidc-default-role" />
    </fieldset>
  );
}

function ClaimFields({ draft, set, list, error_of }: Fields) {
  const { settings } = draft;
  return (
    <fieldset class="part">
      <legend>{t.sign_in.claims}</legend>
      <div class="form-row">
        <TextField label={t.sign_in.groups_claim} value={settings.groups_claim} onChange={(groups_claim) => set({ groups_claim })} error={error_of('groups_claim')} hint={t.sign_in.groups_claim_hint} mono data-testid="oidc-groups-claim" />
        <TextField label={t.sign_in.username_claim} value={settings.username_claim} onChange={(username_claim) => set({ username_claim })} error={error_of('username_claim')} mono />
      </div>
      <div class="form-row">
        <TextField label={t.sign_in.scopes} value={draft.lists.scopes} onChange={list('scopes')} error={error_of('scopes')} mono data-testid="oidc-scopes" />
        <TextField label={t.sign_in.acr_values} value={draft.lists.acr_values} onChange={list('acr_values')} error={error_of('acr_values')} hint={t.sign_in.acr_values_hint} mono />
      </div>
      <Check label={t.sign_in.trust_second_factor} hint={t.sign_in.trust_second_factor_hint} checked={settings.trust_second_factor} onChange={(trust_second_factor) => set({ trust_second_factor })} data-testid="oidc-trust" />
      <Check label={t.sign_in.provider_log_out} checked={settings.provider_log_out} onChange={(provider_log_out) => set({ provider_log_out })} />
    </fieldset>
  );
}

function ProviderCheck({ draft }: { draft: Draft }) {
  const [state, set_state] = useState<{ busy: boolean; result?: OidcCheck; error?: unknown }>({ busy: false });
  const run = async (): Promise<void> => {
    set_state({ busy: true });
    try {
      set_state({ busy: false, result: await oidc_api.check({ ...settings_of(draft), enabled: false }) });
    } catch (error) {
      set_state({ busy: false, error });
    }
  };
  return (
    <section class="channel-test">
      <Button icon="bolt" busy={state.busy} onClick={() => void run()} data-testid="oidc-check">{t.sign_in.check}</Button>
      <p class="hint">{t.sign_in.check_lead}</p>
      <div aria-live="polite">
        {state.error !== undefined && <ErrorNotice error={state.error} />}
        {state.result && <Notice tone={state.result.ok ? 'good' : 'bad'} testid="oidc-check-result"><Hostile text={problem_text(state.result.text)} /> {state.result.keys.map((key) => <span key={key.kid} class="one-of"><Hostile text={`${key.algorithm} ${key.kid}`} /> </span>)}</Notice>}
      </div>
    </section>
  );
}

function ProviderDialog({ now, done, close }: { now: Oidc; done: () => void; close: () => void }) {
  const [draft, set_draft] = useState(() => draft_of(now));
  const fields = (error_of: ErrorOf): Fields => ({
    draft, error_of,
    set: (part) => set_draft((d) => ({ ...d, settings: { ...d.settings, ...part } })),
    list: (name) => (text) => set_draft((d) => ({ ...d, lists: { ...d.lists, [name]: text } })),
    secret: (secret) => set_draft((d) => ({ ...d, secret })),
  });
  return (
    <EditDialog title={t.sign_in.title} save={() => oidc_api.change(settings_of(draft), now.etag)} done={done} onClose={close} testid="oidc-dialog">
      {(error_of) => {
        const all = fields(error_of);
        return (
          <>
            <Check label={t.sign_in.enabled} checked={draft.settings.enabled} onChange={(enabled) => all.set({ enabled })} data-testid="oidc-enabled" />
            <ClientFields {...all} />
            <ProviderCheck draft={draft} />
            <RoleFields {...all} />
            <ClaimFields {...all} />
          </>
        );
      }}
    </EditDialog>
  );
}

export function SignInSection({ me }: { me: Me }) {
  const loaded = use_load('oidc', (signal) => oidc_api.read(signal));
  const [open, set_open] = useState(false);
  const now = loaded.value;
  const redirect = now ? location.origin + now.redirect_path : '';
  return (
    <div class="section">
      <SectionHead title={t.settings.section.sign_in as string} lead={t.sign_in.lead}
        action={now && may(me, 'admin') && <Button kind="primary" onClick={() => set_open(true)} data-testid="oidc-edit">{now.issuer ? t.common.edit : t.sign_in.set_up}</Button>} />
      <Pending of={loaded} />
      {now && (
        <Card title={t.sign_in.title} testid="oidc">
          <dl class="pairs">
            <div><dt>{t.sign_in.state}</dt><dd data-testid="oidc-state">{now.enabled ? t.sign_in.on : t.sign_in.off}</dd></div>
            <div><dt>{t.sign_in.issuer}</dt><dd>{now.issuer ? <Hostile text={now.issuer} /> : t.node.none}</dd></div>
            {group_lists.map(([name, role]) => <div key={name}><dt>{t.role[role]}</dt><dd>{now[name].length === 0 ? t.node.none : now[name].map((group) => <span key={group} class="one-of"><Hostile text={group} /> </span>)}</dd></div>)}
            <div><dt>{t.sign_in.default_role}</dt><dd>{now.default_role === 'viewer' ? t.role.viewer : t.sign_in.refused}</dd></div>
          </dl>
          <p class="hint">{t.sign_in.redirect}</p>
          <p><code class="token" data-testid="oidc-redirect">{redirect}</code> <CopyButton label={t.common.copy} text={() => redirect} /></p>
          <p class="hint">{t.sign_in.way_back}</p>
        </Card>
      )}
      {now && open && <ProviderDialog now={now} done={() => { set_open(false); loaded.reload(); }} close={() => set_open(false)} />}
    </div>
  );
}
