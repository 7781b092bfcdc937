// "Block this source": an entry of the deny list with an end.
import { useState } from 'preact/hooks';
import { lists_api } from '../../api/settings';
import { is_private, network_around } from '../../lib/source';
import { say, t } from '../../text';
import { SelectField, TextField } from '../../ui/field';
import { Notice } from '../../ui/panel';
import { EditDialog, ExpiryField, expiry_after } from '../settings/crud';

export function BlockDialog({ address, comment: begin, done, close }: { address: string; comment: string; done: () => void; close: () => void }) {
  const network = network_around(address);
  const [cidr, set_cidr] = useState(address);
  const [comment, set_comment] = useState(begin);
  const [expires_s, set_expires] = useState(expiry_after('day'));
  const s = t.sources;
  const choices = [[address, say(s.this_address, { text: address })] as const, ...(network ? [[network, say(s.this_network, { text: network })] as const] : [])];
  return (
    <EditDialog title={say(s.block_this, { src: address })} save={() => lists_api.add({ kind: 'deny', cidr: cidr.trim(), comment, expires_s })} done={done} onClose={close} testid="block-dialog">
      {(error_of) => (
        <>
          <p class="hint">{s.block_lead}</p>
          {is_private(address) && <Notice tone="warn" testid="block-private">{s.is_private}</Notice>}
          <div class="form-row">
            <SelectField label={s.what} value={choices.some(([choice]) => choice === cidr) ? cidr : address} onChange={set_cidr} options={choices} data-testid="block-what" />
            <TextField label={t.lists.cidr} value={cidr} onChange={set_cidr} error={error_of('cidr')} mono data-testid="block-cidr" />
          </div>
          <ExpiryField value={expires_s} onChange={set_expires} error={error_of('expires_s')} begin="day" />
          <TextField label={t.lists.comment} value={comment} onChange={set_comment} error={error_of('comment')} wide data-testid="block-comment" />
        </>
      )}
    </EditDialog>
  );
}
