import { useState } from 'preact/hooks';
import { exceptions_api } from '../../api/settings';
import type { ExceptionRule, Me } from '../../api/types';
import { use_load } from '../../state/load';
import { go, href, use_route } from '../../state/route';
import { may } from '../../state/session';
import { attack_words, t } from '../../text';
import { Button } from '../../ui/button';
import { Check, SelectField, TextField } from '../../ui/field';
import { HitsCell } from '../../ui/hits';
import { Hostile } from '../../ui/hostile';
import { Empty, Pending } from '../../ui/panel';
import { RuleField, RuleName } from '../../ui/rule_name';
import { Table } from '../../ui/table';
import { EditDialog, expiry_text, is_over, ExpiryField, RemoveButton, SectionHead } from './crud';

type Draft = Omit<ExceptionRule, 'id' | 'author'> & { id?: string; author?: string };

const empty: Draft = { enabled: true, comment: '', host: '', path: '', location: '', name: '', rule_id: '', attack_type: null, expires_s: 0 };
const places = ['urlpath', 'query', 'header', 'cookie', 'body', 'file'];

function ExceptionDialog({ start, done, close }: { start: Draft; done: () => void; close: () => void }) {
  const [draft, set_draft] = useState(start);
  const change = (patch: Partial<Draft>): void => set_draft((d) => ({ ...d, ...patch }));
  const save = (): Promise<unknown> => {
    const { id, author: _author, hits: _hits, etag, ...body } = draft;
    return id ? exceptions_api.change(id, body, etag) : exceptions_api.add(body);
  };
  return (
    <EditDialog title={start.id ? t.common.edit : t.exceptions.new} save={save} done={done} onClose={close} testid="exception-dialog">
      {(error_of) => (
        <>
          <p class="hint">{t.exceptions.needs}</p>
          <div class="form-row">
            <TextField label={t.exceptions.host} value={draft.host} onChange={(host) => change({ host })} error={error_of('host')} mono />
            <TextField label={t.exceptions.path} value={draft.path} onChange={(path) => change({ path })} error={error_of('path')} mono />
          </div>
          <div class="form-row">
            <SelectField label={t.exceptions.location} value={draft.location} onChange={(location) => change({ location })} error={error_of('location')}
              options={[['', t.exceptions.any], ...places.map((p) => [p, t.place[p] ?? p] as const)]} />
            <TextField label={t.exceptions.name} value={draft.name} onChange={(name) => change({ name })} error={error_of('name')} mono />
          </div>
          <RuleField label={t.exceptions.rule} value={draft.rule_id} onChange={(rule_id) => change({ rule_id })} error={error_of('rule_id')} />
          <div class="form-row">
            <SelectField label={t.exceptions.type} value={draft.attack_type ?? ''} onChange={(v) => change({ attack_type: v || null })} error={error_of('attack_type')}
              options={[['', t.exceptions.any_type], ...Object.entries(t.attack)]} />
            <ExpiryField value={draft.expires_s} onChange={(expires_s) => change({ expires_s })} error={error_of('expires_s')} />
          </div>
          <TextField label={t.exceptions.comment} value={draft.comment} onChange={(comment) => change({ comment })} error={error_of('comment')} wide />
          <Check label={t.exceptions.enabled} checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
        </>
      )}
    </EditDialog>
  );
}

// Prefilled by the address, as an event's "This is legitimate" does.
function draft_from(params: URLSearchParams): Draft | undefined {
  if (params.get('new') !== '1') return undefined;
  const of = (name: string): string => params.get(name) ?? '';
  return { ...empty, host: of('host'), path: of('path'), location: of('location'), name: of('name'), rule_id: of('rule_id'), comment: of('comment') };
}

export function ExceptionsSection({ me }: { me: Me }) {
  const { params } = use_route();
  const list = use_load('exceptions', exceptions_api.list);
  const [editing, set_editing] = useState<Draft | undefined>(() => draft_from(params));
  const operator = may(me, 'operator');
  const close = (): void => {
    set_editing(undefined);
    go(href('settings', { section: 'exceptions' }), 'replace');
  };
  const cell = (text: string, any: string) => (text ? <Hostile text={text} title breaks /> : <span class="muted">{any}</span>);
  return (
    <div class="section">
      <SectionHead title={t.settings.section.exceptions as string} lead={t.exceptions.lead} action={operator && <Button kind="primary" icon="plus" onClick={() => set_editing(empty)} data-testid="exception-add">{t.exceptions.add}</Button>} />
      <Pending of={list} />
      {list.value?.length === 0 && <Empty title={t.exceptions.empty}><p>{t.exceptions.empty_text}</p></Empty>}
      {list.value && list.value.length > 0 && (
        <Table testid="exceptions" rows={list.value} key_of={(e) => e.id} row_class={(e) => (e.enabled && !is_over(e.expires_s) ? '' : 'off')} columns={[
          { id: 'host', title: t.exceptions.host, kind: 'code', draw: (e) => cell(e.host, t.exceptions.any_host), sort: (e) => e.host },
          { id: 'path', title: t.exceptions.path, kind: 'code', draw: (e) => cell(e.path, t.exceptions.any_path), sort: (e) => e.path },
          { id: 'location', title: t.exceptions.location, draw: (e) => <>{t.place[e.location] ?? t.exceptions.any} {e.name && <code><Hostile text={e.name} /></code>}</>, sort: (e) => `${e.location} ${e.name}` },
          { id: 'what', title: t.exceptions.what, draw: (e) => (e.attack_type ? attack_words(e.attack_type) : e.rule_id ? <RuleName id={e.rule_id} /> : <span class="muted">{t.exceptions.anything}</span>), sort: (e) => e.attack_type ?? e.rule_id },
          { id: 'comment', title: t.exceptions.comment, draw: (e) => <Hostile text={e.comment} />, sort: (e) => e.comment },
          { id: 'author', title: t.exceptions.author, draw: (e) => e.author, sort: (e) => e.author },
          { id: 'expires', title: t.exceptions.expires, draw: (e) => expiry_text(e.expires_s), sort: (e) => e.expires_s || Infinity },
          { id: 'hits', title: t.hits.title, testid: 'exception-hits', draw: (e) => <HitsCell hits={e.hits} />, sort: (e) => e.hits?.count ?? 0 },
          { id: 'act', title: '', kind: 'act', draw: (e) => operator && (
            <>
              <Button small onClick={() => set_editing(e)}>{t.common.edit}</Button>
              <RemoveButton title={t.common.remove} text={<Hostile text={`${e.host} ${e.path} ${e.comment}`} />} remove={() => exceptions_api.remove(e.id, e.etag)} done={list.reload} />
            </>
          ) },
        ]} />
      )}
      {editing && <ExceptionDialog start={editing} done={() => { close(); list.reload(); }} close={close} />}
    </div>
  );
}
