import { useState } from 'preact/hooks';
import { tokens_api } from '../../api/settings';
import type { Token } from '../../api/types';
import { use_load } from '../../state/load';
import { t } from '../../text';
import { Button, CopyButton } from '../../ui/button';
import { SelectField, TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice, Notice } from '../../ui/panel';
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

export function TokensSection() {
  const list = use_load('tokens', tokens_api.list);
  const [adding, set_adding] = useState(false);
  const [fresh, set_fresh] = useState<Token | undefined>();
  return (
    <div class="section">
      <SectionHead title={t.settings.section.tokens as string} lead={t.tokens.lead} action={<Button kind="primary" icon="plus" onClick={() => set_adding(true)} data-testid="token-add">{t.tokens.add}</Button>} />
      {fresh?.token && (
        <Notice tone="good" testid="new-token">
          {t.tokens.once}
          <p><code class="token">{fresh.token}</code> <CopyButton label={t.common.copy} text={() => fresh.token ?? ''} /></p>
        </Notice>
      )}
      {list.error !== undefined && <ErrorNotice error={list.error} retry={list.reload} />}
      {list.value?.length === 0 && <Empty title={t.tokens.empty} />}
      {list.value && list.value.length > 0 && (
        <table class="table" data-testid="tokens">
          <thead><tr><th>{t.tokens.name}</th><th>{t.tokens.scope}</th><th>{t.tokens.created}</th><th>{t.tokens.by}</th><th>{t.tokens.expires}</th><th>{t.tokens.last_used}</th><td /></tr></thead>
          <tbody>
            {list.value.map((token) => (
              <tr key={token.id}>
                <td><Hostile text={token.name} /></td>
                <td>{t.tokens.scopes[token.scope] ?? token.scope}</td>
                <td><Time ms={token.created_ms} /></td>
                <td>{token.created_by}</td>
                <td>{expiry_text(token.expires_s)}</td>
                <td><Ago ms={token.last_used_ms} now={Date.now()} /></td>
                <td class="table-act"><RemoveButton title={t.tokens.delete_title} text={<Hostile text={token.name} />} action={t.tokens.revoke} remove={() => tokens_api.remove(token.id, token.etag)} done={list.reload} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {adding && <TokenDialog made={(token) => { set_fresh(token); list.reload(); }} close={() => set_adding(false)} />}
    </div>
  );
}
