import { useState } from 'preact/hooks';
import { tokens_api } from '../../api/settings';
import type { Token } from '../../api/types';
import { use_load } from '../../state/load';
import { token_curl } from '../../lib/curl';
import { t } from '../../text';
import { Button, CopyButton } from '../../ui/button';
import { SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, Empty, Notice, Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { Ago, Time } from '../../ui/time';
import { EditDialog, expiry_text, ExpiryField, RemoveButton, SectionHead } from './crud';

function TokenDialog({ made, close }: { made: (token: Token) => void; close: () => void }) {
  const [name, set_name] = useState('');
  const [scope, set_scope] = useState('read');
  const [expires_s, set_expires] = useState(0);
  const save = async (): Promise<void> => made(await tokens_api.add({ name, scope, expires_s }));
  return (
    <EditDialog title={t.tokens.new} save={save} done={close} onClose={close} testid="token-dialog">
      {(error_of) => (
        <>
          <TextField label={t.tokens.name} value={name} onChange={set_name} error={error_of('name')} wide />
          <div class="form-row">
            <SelectField label={t.tokens.scope} value={scope} onChange={set_scope} options={Object.entries(t.tokens.scopes)} error={error_of('scope')} />
            <ExpiryField value={expires_s} onChange={set_expires} error={error_of('expires_s')} />
          </div>
        </>
      )}
    </EditDialog>
  );
}

const api_document = '/api/v1/openapi.json';

export function TokensSection() {
  const list = use_load('tokens', tokens_api.list);
  const [adding, set_adding] = useState(false);
  const [fresh, set_fresh] = useState<Token | undefined>();
  const curl = token_curl(location.origin, fresh?.token);
  return (
    <div class="section">
      <SectionHead title={t.settings.section.tokens as string} lead={t.tokens.lead} action={<Button kind="primary" icon="plus" onClick={() => set_adding(true)} data-testid="token-add">{t.tokens.add}</Button>} />
      {fresh?.token && (
        <Notice tone="good" testid="new-token">
          {t.tokens.once}
          <p><code class="token">{fresh.token}</code> <CopyButton label={t.common.copy} text={() => fresh.token ?? ''} /></p>
        </Notice>
      )}
      <Pending of={list} />
      {list.value?.length === 0 && <Empty title={t.tokens.empty}><p>{t.tokens.empty_text}</p></Empty>}
      {list.value && list.value.length > 0 && (
        <Table testid="tokens" rows={list.value} key_of={(token) => token.id} columns={[
          { id: 'name', title: t.tokens.name, draw: (token) => <Hostile text={token.name} />, sort: (token) => token.name },
          { id: 'scope', title: t.tokens.scope, kind: 'short', draw: (token) => t.tokens.scopes[token.scope] ?? token.scope, sort: (token) => token.scope },
          { id: 'created', title: t.tokens.created, kind: 'short', draw: (token) => <Time ms={token.created_ms} />, sort: (token) => token.created_ms },
          { id: 'by', title: t.tokens.by, draw: (token) => token.created_by, sort: (token) => token.created_by },
          { id: 'expires', title: t.tokens.expires, draw: (token) => expiry_text(token.expires_s), sort: (token) => token.expires_s || Infinity },
          { id: 'used', title: t.tokens.last_used, kind: 'short', draw: (token) => <Ago ms={token.last_used_ms} now={Date.now()} />, sort: (token) => token.last_used_ms ?? 0 },
          { id: 'act', title: '', kind: 'act', draw: (token) => <RemoveButton title={t.tokens.delete_title} text={<Hostile text={token.name} />} action={t.tokens.revoke} remove={() => tokens_api.remove(token.id, token.etag)} done={list.reload} /> },
        ]} />
      )}
      <Card title={t.tokens.use} testid="token-use">
        <div class="snippet">
          <div class="snippet-copy"><CopyButton label={t.common.copy} text={() => curl} /></div>
          <pre class="raw" tabIndex={0} aria-label={t.tokens.use}>{curl}</pre>
        </div>
        <p class="hint">{t.tokens.use_hint}</p>
        <p><a href={api_document} download="wafd-openapi.json" data-testid="api-document">{t.tokens.document}</a></p>
      </Card>
      {adding && <TokenDialog made={(token) => { set_fresh(token); list.reload(); }} close={() => set_adding(false)} />}
    </div>
  );
}
