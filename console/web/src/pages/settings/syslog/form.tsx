// The form of one target with its preview, receiver snippets and the connection test.
import { useEffect, useRef, useState } from 'preact/hooks';
import { problem_text } from '../../../lib/reasons';
import { ApiError } from '../../../api/client';
import { targets_api } from '../../../api/settings';
import type { Me, Target } from '../../../api/types';
import { draft_of, encrypted, may_encrypt, new_draft, target_of, with_preset, with_transport, type TargetDraft } from '../../../lib/target_form';
import { use_leave_guard } from '../../../state/leave_guard';
import { use_load } from '../../../state/load';
import { set_leave_guard } from '../../../state/route';
import { may } from '../../../state/session';
import { say, t } from '../../../text';
import { Button } from '../../../ui/button';
import { Hostile } from '../../../ui/hostile';
import { Confirm, ErrorNotice, member_error, Notice } from '../../../ui/panel';
import { Backups, Destination, Encryption, Format, Kafka, Postgres, PresetChoice, shown_members, type Change, type Part } from './form_parts';
import { PreviewCard } from './preview';
import { SnippetsCard } from './snippets';
import { TargetStatusCard } from './status';
import { TestPanel } from './test_panel';

function Problem({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.problem.status === 412) return <Notice tone="warn" testid="conflict">{t.settings.conflict}</Notice>;
  return <ErrorNotice error={error} />;
}

// "tls.ca" blames itself and "tls"; "backups[0].port" blames "backups".
const within = (blamed: string, member: string): boolean => blamed === member || blamed.startsWith(`${member}.`) || blamed.startsWith(`${member}[`);

export function TargetForm({ me, stored, leave }: { me: Me; stored?: Target; leave: (saved: boolean) => void }) {
  const opened = useRef(stored);  // as it was when the form opened: what If-Match refers to
  const initial = useRef(stored ? draft_of(stored) : new_draft);
  const [draft, set_draft] = useState<TargetDraft>(initial.current);
  const [error, set_error] = useState<unknown>();
  const [busy, set_busy] = useState(false);
  const [asking, set_asking] = useState(false);
  const presets = use_load('presets', targets_api.presets);
  const form = useRef<HTMLFormElement>(null);
  const admin = may(me, 'admin');
  use_leave_guard(admin && JSON.stringify(draft) !== JSON.stringify(initial.current));
  useEffect(() => { if (!stored) form.current?.querySelector<HTMLElement>('[name=host]')?.focus(); }, []);

  const problem = error instanceof ApiError ? error.problem : undefined;
  const blamed = problem?.member;
  const shown_here = blamed !== undefined && shown_members(draft).some((member) => within(blamed, member));
  const error_of = (member: string): string | undefined => (blamed !== undefined && within(blamed, member) ? member_error(error, blamed) : undefined);
  const change: Change = (patch) => {
    set_draft((d) => ({ ...d, ...patch }));
    if (blamed && Object.keys(patch).some((member) => within(blamed, member))) set_error(undefined);
  };
  const object = (): Record<string, unknown> => target_of(draft, opened.current);
  const choose_preset = (id: string): void => {
    const preset = presets.value?.find((p) => p.id === id);
    set_error(undefined);
    set_draft((d) => (preset ? with_preset(d, preset) : { ...d, preset: '' }));
  };
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
      await targets_api.remove(opened.current?.id ?? '', opened.current?.etag);
      set_leave_guard(undefined);
      leave(false);
    } catch (caught) {
      set_error(caught);
    }
    set_busy(false);
  };
  const trust = (fingerprint_sha256: string): void => change({ tls: { ...draft.tls, verify: false, fingerprint_sha256 } });
  const part: Part = { draft, change, error_of, disabled: !admin };
  const name = opened.current?.name ?? '';

  return (
    <div class="section">
      <header class="section-head"><h2>{stored ? say(t.syslog.edit, { name }) : t.syslog.new}</h2></header>
      {!admin && <Notice tone="info">{t.common.read_only}</Notice>}
      <div class="form-columns">
        <div class="form-main">
          <form ref={form} class="form card" onSubmit={save} data-testid="target-form" noValidate>
            <PresetChoice presets={presets.value ?? []} draft={draft} choose={choose_preset} disabled={!admin} />
            <Destination {...part} set_transport={(transport) => { set_draft((d) => with_transport(d, transport)); set_error(undefined); }} />
            {draft.transport === 'kafka' && <Kafka {...part} />}
            {draft.transport === 'postgresql' && <Postgres {...part} />}
            {(draft.transport === 'tls' || may_encrypt(draft.transport)) && <Encryption {...part} />}
            <Format {...part} />
            <Backups {...part} />
            {error !== undefined && !shown_here && <Problem error={error} />}
            <footer class="form-foot">
              {admin && <Button type="submit" kind="primary" busy={busy} data-testid="target-save">{t.common.save}</Button>}
              <Button onClick={() => leave(false)} data-testid="target-cancel">{admin ? t.common.cancel : t.common.close}</Button>
              {admin && stored && <span class="push"><Button kind="danger" icon="trash" onClick={() => set_asking(true)} data-testid="target-remove">{t.common.remove}</Button></span>}
            </footer>
          </form>
          <PreviewCard object={object()} id={opened.current?.id} transport={draft.transport} />
          <SnippetsCard preset={draft.preset} presets={presets.value ?? []} port={draft.port} encrypted={encrypted(draft)} />
        </div>
        <div class="form-side">
          {admin && <TestPanel draft={draft} object={object} id={opened.current?.id} on_problem={set_error} trust={trust} />}
          {stored?.warnings?.map((text) => <Notice key={text} tone="warn" testid="target-warning"><Hostile text={problem_text(text)} /></Notice>)}
          {stored?.status && <TargetStatusCard status={stored.status} transport={stored.transport} enabled={stored.enabled} />}
        </div>
      </div>
      {asking && <Confirm title={t.syslog.delete_title} text={say(t.syslog.delete_text, { name })} action={t.common.remove} busy={busy} onConfirm={remove} onClose={() => set_asking(false)} />}
    </div>
  );
}
