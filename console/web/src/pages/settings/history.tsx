// The kept versions of the settings: what each changed, and the way back.
import { useState } from 'preact/hooks';
import { versions_api } from '../../api/settings';
import type { Me, SettingsChange } from '../../api/types';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { say, t } from '../../text';
import { Dot, type Tone } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Confirm, Empty, ErrorNotice, Notice, Pending } from '../../ui/panel';
import { Time } from '../../ui/time';
import { Table } from '../../ui/table';
import { SectionHead } from './crud';

const max_listed = 8;
const max_value = 120;
const tones: Record<SettingsChange['change'], Tone> = { added: 'good', changed: 'warn', removed: 'bad' };

function value_text(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? '';
  return text === '' ? t.history.nothing : text.length > max_value ? `${text.slice(0, max_value)}…` : text;
}

// What a change changed, a line each.
export function Members({ members }: { members: readonly { member: string; before?: unknown; after?: unknown }[] }) {
  return (
    <ul class="members">
      {members.map((m) => (
        <li key={m.member}><code>{m.member}</code> <span class="mono"><Hostile text={value_text(m.before)} /></span> → <span class="mono"><Hostile text={value_text(m.after)} /></span></li>
      ))}
    </ul>
  );
}

export function Changes({ changes }: { changes: SettingsChange[] }) {
  return (
    <ul class="changes">
      {changes.slice(0, max_listed).map((change) => (
        <li key={`${change.collection} ${change.id}`}>
          <Dot tone={tones[change.change]} text={t.history.kinds[change.change] ?? change.change} />{' '}
          {t.history.one[change.collection] ?? change.collection} {change.collection !== 'system' && <strong><Hostile text={change.name || change.id} /></strong>}
          {change.members.length > 0 && (
            <Members members={change.members} />
          )}
        </li>
      ))}
      {changes.length > max_listed && <li class="muted">{say(t.history.more, { n: changes.length - max_listed })}</li>}
    </ul>
  );
}

function Restore({ version, present, done }: { version: number; present: number; done: () => void }) {
  const [asking, set_asking] = useState(false);
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  return (
    <>
      <Button small onClick={() => { set_error(undefined); set_asking(true); }} data-testid="restore">{t.history.restore}</Button>
      {asking && <RestoreDialog version={version} busy={busy} error={error} onClose={() => set_asking(false)}
        onConfirm={async () => {
          set_busy(true);
          try {
            await versions_api.restore(version, present);
            set_asking(false);
            done();
          } catch (caught) {
            set_error(caught);
          }
          set_busy(false);
        }} />}
    </>
  );
}

// Says what going back changes before it is done.
function RestoreDialog({ version, ...rest }: { version: number; busy: boolean; error: unknown; onConfirm: () => void; onClose: () => void }) {
  const one = use_load(`version ${version}`, (signal) => versions_api.read(version, signal));
  const text = one.error !== undefined ? <ErrorNotice error={one.error} />
    : one.value ? (one.value.undo && one.value.undo.length > 0 ? <Changes changes={one.value.undo} /> : t.history.same) : t.common.loading;
  return <Confirm title={say(t.history.restore_title, { n: version })} text={text} action={t.history.restore} {...rest} />;
}

export function HistorySection({ me }: { me: Me }) {
  const list = use_load('versions', versions_api.list);
  const [restored, set_restored] = useState(false);
  const present = list.value?.[0]?.version ?? 0;
  const done = (): void => { set_restored(true); list.reload(); };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.history as string} lead={t.history.lead} />
      {restored && <Notice tone="good" testid="restored">{t.history.restored}</Notice>}
      <Pending of={list} />
      {list.value?.length === 0 && <Empty title={t.history.empty} />}
      {list.value && list.value.length > 0 && (
        <Table testid="versions" row_testid="version" rows={list.value} key_of={(v) => v.version} row_data={(v) => ({ 'data-version': v.version })} columns={[
          { id: 'version', title: t.history.version, kind: 'short', draw: (v) => v.version },
          { id: 'time', title: t.audit.time, kind: 'short', draw: (v) => (v.saved_ms > 0 ? <Time ms={v.saved_ms} /> : <span class="muted">{t.history.first}</span>) },
          { id: 'user', title: t.audit.user, draw: (v) => v.author && <Hostile text={v.node ? `${v.author} · ${v.node}` : v.author} /> },
          { id: 'changes', title: t.history.changes, draw: (v) => v.changes && <Changes changes={v.changes} /> },
          { id: 'act', title: '', kind: 'act', draw: (v) => (v.current ? <span class="muted in-use">{t.history.in_use}</span> : may(me, 'admin') && <Restore version={v.version} present={present} done={done} />) },
        ]} />
      )}
    </div>
  );
}
