import { useState } from 'preact/hooks';
import { lists_api } from '../../api/settings';
import { list_text_api } from '../../api/sources';
import type { ListEntry, Me } from '../../api/types';
import { use_load } from '../../state/load';
import { may } from '../../state/session';
import { say, t } from '../../text';
import { Dot } from '../../ui/badge';
import { Button } from '../../ui/button';
import { SelectField, TextField } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';
import { Empty, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { EditDialog, expiry_text, ExpiryField, is_over, RemoveButton, SectionHead } from './crud';
import { ImportDialog } from './list_import';

function EntryDialog({ entry, done, close }: { entry: ListEntry | undefined; done: () => void; close: () => void }) {
  const [kind, set_kind] = useState<'allow' | 'deny'>(entry?.kind ?? 'deny');
  const [cidr, set_cidr] = useState(entry?.cidr ?? '');
  const [comment, set_comment] = useState(entry?.comment ?? '');
  const [expires_s, set_expires] = useState(entry?.expires_s ?? 0);
  const save = (): Promise<unknown> => {
    const body = { kind, cidr: cidr.trim(), comment, expires_s };
    return entry ? lists_api.change(entry.id, body, entry.etag) : lists_api.add(body);
  };
  return (
    <EditDialog title={entry ? say(t.lists.edit, { cidr: entry.cidr }) : t.lists.new} save={save} done={done} onClose={close} testid="list-dialog">
      {(error_of) => (
        <>
          <div class="form-row">
            <SelectField label={t.lists.kind} value={kind} onChange={(v) => set_kind(v as 'allow' | 'deny')} options={Object.entries(t.lists.kinds)} error={error_of('kind')} />
            <TextField label={t.lists.cidr} value={cidr} onChange={set_cidr} error={error_of('cidr')} placeholder="192.0.2.0/24" mono data-testid="list-cidr" />
          </div>
          <TextField label={t.lists.comment} value={comment} onChange={set_comment} error={error_of('comment')} wide data-testid="list-comment" />
          <ExpiryField value={expires_s} onChange={set_expires} error={error_of('expires_s')} />
        </>
      )}
    </EditDialog>
  );
}

export function ListsSection({ me }: { me: Me }) {
  const list = use_load('lists', lists_api.list);
  const [editing, set_editing] = useState<ListEntry | 'new'>();
  const [importing, set_importing] = useState(false);
  const close = (): void => set_editing(undefined);
  const operator = may(me, 'operator');
  return (
    <div class="section">
      <SectionHead title={t.settings.section.lists as string} lead={t.lists.lead} action={(
        <span class="section-actions">
          {list.value && list.value.length > 0 && <a class="button" download href={list_text_api.export_address} data-testid="list-export"><Icon name="download" /><span>{t.lists.export}</span></a>}
          {operator && <Button icon="upload" onClick={() => set_importing(true)} data-testid="list-import">{t.lists.import}</Button>}
          {operator && <Button kind="primary" icon="plus" onClick={() => set_editing('new')} data-testid="list-add">{t.lists.add}</Button>}
        </span>
      )} />
      <Pending of={list} />
      {list.value?.length === 0 && <Empty title={t.lists.empty}><p>{t.lists.empty_text}</p></Empty>}
      {list.value && list.value.length > 0 && (
        <Table testid="lists" row_testid="list-row" rows={list.value} key_of={(entry) => entry.id} row_class={(entry) => (is_over(entry.expires_s) ? 'off' : '')} columns={[
          { id: 'kind', title: t.lists.kind, kind: 'short', draw: (entry) => <Dot tone={entry.kind === 'deny' ? 'bad' : 'good'} text={t.lists.kinds[entry.kind] ?? entry.kind} />, sort: (entry) => entry.kind },
          { id: 'cidr', title: t.lists.cidr, kind: 'code', draw: (entry) => entry.cidr, sort: (entry) => entry.cidr },
          { id: 'comment', title: t.lists.comment, draw: (entry) => <Hostile text={entry.comment} />, sort: (entry) => entry.comment },
          { id: 'expires', title: t.lists.expires, draw: (entry) => expiry_text(entry.expires_s), sort: (entry) => entry.expires_s || Infinity },
          { id: 'hits', title: t.hits.title, draw: (entry) => <HitsCell hits={entry.hits} />, sort: (entry) => entry.hits?.count ?? 0 },
          { id: 'act', title: '', kind: 'act', draw: (entry) => operator && (
            <>
              <Button small onClick={() => set_editing(entry)} data-testid="list-edit">{t.common.edit}</Button>
              <RemoveButton title={t.common.remove} text={entry.cidr} remove={() => lists_api.remove(entry.id, entry.etag)} done={list.reload} />
            </>
          ) },
        ]} />
      )}
      {importing && <ImportDialog done={() => { set_importing(false); list.reload(); }} close={() => set_importing(false)} />}
      {editing && <EntryDialog entry={editing === 'new' ? undefined : editing} done={() => { close(); list.reload(); }} close={close} />}
    </div>
  );
}
