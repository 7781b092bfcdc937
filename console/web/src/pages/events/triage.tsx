// What an analyst says of events: open or closed, true or false positive, a note; of one, or of those selected.
import { useEffect, useState } from 'preact/hooks';
import type { Label, Mark, State } from '../../api/triage';
import { time_text } from '../../lib/format';
import { change_marks, read_marks, set_pinned, use_marks } from '../../state/marks';
import { say, t } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { Segments } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { error_text, Notice } from '../../ui/panel';

const untouched = { state: 'open' as State, label: '' as Label, note: '', by: '', at_ms: null, pinned: false };

// The narrow place before a row.
export function MarkIcons({ mark }: { mark: Mark | undefined }) {
  if (!mark) return null;
  return (
    <span class="mark-icons">
      {mark.pinned && <span title={t.triage.pinned} class="mark-pinned"><Icon name="pin" /></span>}
      {mark.state === 'closed' && <span title={`${t.triage.closed}${mark.label ? ` · ${t.triage.labels[mark.label]}` : ''}`} class={`mark-closed ${mark.label}`}><Icon name="check" /></span>}
      {mark.state === 'open' && mark.label !== '' && <span title={t.triage.labels[mark.label]} class={`mark-label ${mark.label}`}><Icon name={mark.label === 'true_positive' ? 'bolt' : 'shield'} /></span>}
    </span>
  );
}

export function TriageBlock({ id, writable }: { id: string; writable: boolean }) {
  const marks = use_marks();
  const mark = marks.get(id) ?? untouched;
  const [note, set_note] = useState<string | undefined>();
  const [failed, set_failed] = useState('');
  useEffect(() => {
    const abort = new AbortController();
    read_marks([id], abort.signal);
    set_note(undefined);
    set_failed('');
    return () => abort.abort();
  }, [id]);
  const act = (change: { state?: State; label?: Label; note?: string }): void => {
    set_failed('');
    change_marks([id], change).then(() => { if ('note' in change) set_note(undefined); }, (error: unknown) => set_failed(error_text(error)));
  };
  const typed = note ?? mark.note;
  return (
    <section class="triage" aria-label={t.triage.title} data-testid="triage">
      <div class="triage-row">
        <Segments label={t.triage.state} value={mark.state} disabled={!writable} onChange={(state) => act({ state: state as State })} options={[['open', t.triage.open], ['closed', t.triage.closed]]} />
        <Segments label={t.triage.label} value={mark.label} disabled={!writable} onChange={(label) => act({ label: label as Label })}
          options={[['', t.triage.labels['']], ['true_positive', t.triage.labels.true_positive], ['false_positive', t.triage.labels.false_positive]]} />
        {mark.by !== '' && mark.at_ms !== null && <span class="muted triage-by" data-testid="triage-by"><Hostile text={mark.by} />, {time_text(mark.at_ms)}</span>}
      </div>
      {(writable || mark.note) && (
        <div class="triage-note">
          <textarea rows={typed.includes('\n') || typed.length > 90 ? 3 : 1} value={typed} placeholder={t.triage.note} aria-label={t.triage.note} readOnly={!writable} maxLength={2000} data-testid="triage-note"
            onInput={(event) => set_note(event.currentTarget.value)} />
          {note !== undefined && note !== mark.note && <Button small onClick={() => act({ note })} data-testid="triage-save">{t.common.save}</Button>}
        </div>
      )}
      {failed && <Notice tone="bad">{failed}</Notice>}
    </section>
  );
}

export function PinButton({ id }: { id: string }) {
  const pinned = use_marks().get(id)?.pinned ?? false;
  const [failed, set_failed] = useState('');
  return (
    <>
      <Button small icon="pin" aria-pressed={pinned ? 'true' : 'false'} onClick={() => { set_failed(''); set_pinned(id, !pinned).catch((error: unknown) => set_failed(error_text(error))); }} data-testid="pin">{pinned ? t.triage.unpin : t.triage.pin}</Button>
      {failed && <span class="bad" role="alert">{failed}</span>}
    </>
  );
}

export function SelectionBar({ ids, clear, done }: { ids: string[]; clear: () => void; done: () => void }) {
  const [failed, set_failed] = useState('');
  const act = (change: { state?: State; label?: Label }) => (): void => {
    set_failed('');
    change_marks(ids, change).then(done, (error: unknown) => set_failed(error_text(error)));
  };
  return (
    <div class="selection" role="toolbar" aria-label={say(t.triage.selected, { n: ids.length })} data-testid="selection">
      <strong>{say(t.triage.selected, { n: ids.length })}</strong>
      <Button small icon="check" onClick={act({ state: 'closed' })} data-testid="selection-close">{t.triage.close}</Button>
      <Button small onClick={act({ state: 'open' })}>{t.triage.reopen}</Button>
      <Button small icon="bolt" onClick={act({ state: 'closed', label: 'true_positive' })}>{t.triage.labels.true_positive}</Button>
      <Button small icon="shield" onClick={act({ state: 'closed', label: 'false_positive' })} data-testid="selection-false">{t.triage.labels.false_positive}</Button>
      {failed && <span class="bad" role="alert">{failed}</span>}
      <IconButton small icon="close" label={t.triage.clear} onClick={clear} />
    </div>
  );
}

