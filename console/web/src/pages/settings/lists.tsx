import { useState } from 'preact/hooks';
import { lists_api } from '../../api/settings';
import type { Me } from '../../api/types';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { t } from '../../text';
import { Dot } from '../../ui/badge';
import { Button } from '../../ui/button';
import { SelectField, TextField } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice } from '../../ui/panel';
import { EditDialog, expiry_text, ExpiryField, RemoveButton, SectionHead } from './crud';

function EntryDialog({ done, close }: { done: () => void; close: () => void }) {
  const [kind, set_kind] = useState<'allow' | 'deny'>('deny');
  const [cidr, set_cidr] = useState('');
  const [comment, set_comment] = useState('');
  const [expires_s, set_expires] = useState(0);
  return (
    <EditDialog title={t.lists.new} save={() => lists_api.add({ kind, cidr: cidr.trim(), comment, expires_s })} done={done} onClose={close} testid="list-dialog">
      {(error_of) => (
        <>
          <div class="form-row">
            <SelectField label={t.lists.kind} value={kind} onChange={(v) => set_kind(v as 'allow' | 'deny')} options={Object.entries(t.lists.kinds)} error={error_of('kind')} />
            <TextField label={t.lists.cidr} value={cidr} onChange={set_cidr} error={error_of('cidr')} placeholder="192.0.2.0/24" mono />
          </div>
          <TextField label={t.lists.comment} value={comment} onChange={set_comment} error={error_of('comment')} wide />
          <ExpiryField value={expires_s} onChange={set_expires} error={error_of('expires_s')} />
        </>
      )}
    </EditDialog>
  );
}

export function ListsSection({ me }: { me: Me }) {
  const list = use_load('lists', lists_api.list);
  const [adding, set_adding] = useState(false);
  const operator = may(me, 'operator');
  return (
    <div class="section">
      <SectionHead title={t.settings.section.lists as string} lead={t.lists.lead} action={operator && <Button kind="primary" icon="plus" onClick={() => set_adding(true)} data-testid="list-add">{t.lists.add}</Button>} />
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      {list.value?.length === 0 && <Empty title={t.lists.empty} />}
      {list.value && list.value.length > 0 && (
        <table class="table" data-testid="lists">
          <thead><tr><th>{t.lists.kind}</th><th>{t.lists.cidr}</th><th>{t.lists.comment}</th><th>{t.lists.expires}</th><th>{t.hits.title}</th><td /></tr></thead>
          <tbody>
            {list.value.map((entry) => (
              <tr key={entry.id}>
                <td><Dot tone={entry.kind === 'deny' ? 'bad' : 'good'} text={t.lists.kinds[entry.kind] ?? entry.kind} /></td>
                <td class="mono">{entry.cidr}</td>
                <td class="breakable"><Hostile text={entry.comment} /></td>
                <td>{expiry_text(entry.expires_s)}</td>
                <td><HitsCell hits={entry.hits} /></td>
                <td class="table-act">{operator && <RemoveButton title={t.common.remove} text={entry.cidr} remove={() => lists_api.remove(entry.id, entry.etag)} done={list.reload} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && <EntryDialog done={() => { set_adding(false); list.reload(); }} close={() => set_adding(false)} />}
    </div>
  );
}
