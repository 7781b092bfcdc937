// Many list entries at once: pasted or from a file, looked at before they are taken.
import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { list_text_api, type ImportRequest, type ListImport } from '../../api/sources';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { AreaField, SelectField, TextField } from '../../ui/field';
import { member_error, Notice } from '../../ui/panel';
import { EditDialog, ExpiryField } from './crud';

function import_words(found: ListImport): string {
  const l = t.lists;
  return [
    say(l.import_added, { n: found.added }), say(l.import_present, { n: found.present }),
    ...(found.changed ? [say(l.import_changed, { n: found.changed })] : []), ...(found.ended ? [say(l.import_ended, { n: found.ended })] : []),
  ].join(t.common.list_separator);
}

export function ImportDialog({ done, close }: { done: () => void; close: () => void }) {
  const [kind, set_kind] = useState<'allow' | 'deny'>('deny');
  const [text, set_text] = useState('');
  const [comment, set_comment] = useState('');
  const [expires_s, set_expires] = useState(0);
  const [found, set_found] = useState<ListImport | undefined>();
  const [wrong, set_wrong] = useState('');
  const [busy, set_busy] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const l = t.lists;
  const asked: ImportRequest = { text, kind, comment, expires_s };
  const put = (next: string): void => { set_text(next); set_found(undefined); set_wrong(''); };
  const check = (): void => {
    set_busy(true);
    set_wrong('');
    set_found(undefined);
    list_text_api.check(asked)
      .then(set_found, (error: unknown) => set_wrong(member_error(error, error instanceof ApiError ? error.problem.member : undefined)))
      .finally(() => set_busy(false));
  };
  const read = (files: FileList | null): void => { void files?.[0]?.text().then(put); };
  return (
    <EditDialog title={l.import_title} save={() => list_text_api.import(asked)} done={done} onClose={close} testid="import-dialog">
      {(error_of) => (
        <>
          <p class="hint">{l.import_lead}</p>
          <div class="button-row">
            <Button onClick={() => file.current?.click()}>{t.rules.file}</Button>
            <input ref={file} type="file" accept=".txt,.csv,.list,.netset,text/*" class="unseen" aria-label={t.rules.file} tabIndex={-1} onChange={(event) => read(event.currentTarget.files)} data-testid="import-file" />
          </div>
          <AreaField label={l.import_text} value={text} onChange={put} rows={10} error={error_of('text') ?? (wrong || undefined)} placeholder="192.0.2.0/24" data-testid="import-text" />
          <div class="form-row">
            <SelectField label={l.kind} value={kind} onChange={(v) => set_kind(v as 'allow' | 'deny')} options={Object.entries(l.kinds)} error={error_of('kind')} />
            <ExpiryField value={expires_s} onChange={set_expires} error={error_of('expires_s')} />
          </div>
          <TextField label={l.comment} hint={l.import_comment} value={comment} onChange={set_comment} error={error_of('comment')} wide />
          <div class="import-check"><Button busy={busy} onClick={check} data-testid="import-check">{l.import_check}</Button></div>
          {found && <Notice tone="info" testid="import-result">{import_words(found)}</Notice>}
        </>
      )}
    </EditDialog>
  );
}
