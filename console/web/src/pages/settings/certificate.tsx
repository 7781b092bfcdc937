// The console's own certificate: what is in use, an upload, the way back to the self-signed one.
import { useRef, useState } from 'preact/hooks';
import { certificate_api } from '../../api/settings';
import type { Certificate } from '../../api/types';
import { date_text } from '../../lib/format';
import { use_load } from '../../state/load';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { AreaField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, Confirm, Notice, Pending } from '../../ui/panel';
import { EditDialog } from './crud';

const day_ms = 86_400_000;
const warn_days = 30;

// A text that may come from a file.
function PemField({ label, hint, value, onChange, error, testid }: { label: string; hint: string; value: string; onChange: (text: string) => void; error: string | undefined; testid: string }) {
  const file = useRef<HTMLInputElement>(null);
  const read = async (): Promise<void> => {
    const chosen = file.current?.files?.[0];
    if (chosen) onChange(await chosen.text());
  };
  return (
    <div class="pem-field">
      <AreaField label={label} hint={hint} value={value} onChange={onChange} rows={6} error={error} data-testid={testid} />
      <Button small onClick={() => file.current?.click()}>{t.system.choose}</Button>
      <input ref={file} type="file" class="unseen" aria-label={`${label}: ${t.system.choose}`} tabIndex={-1} onChange={() => void read()} data-testid={`${testid}-file`} />
    </div>
  );
}

function UploadDialog({ etag, done, close }: { etag: string; done: () => void; close: () => void }) {
  const [certificate, set_certificate] = useState('');
  const [key, set_key] = useState('');
  return (
    <EditDialog title={t.system.upload_title} save={() => certificate_api.upload({ certificate, key }, etag)} done={done} onClose={close} testid="certificate-dialog">
      {(error_of) => (
        <>
          <p class="hint">{t.system.upload_lead}</p>
          <PemField label={t.system.pem} hint={t.system.pem_hint} value={certificate} onChange={set_certificate} error={error_of('certificate')} testid="certificate-pem" />
          <PemField label={t.system.key} hint={t.system.key_hint} value={key} onChange={set_key} error={error_of('key')} testid="certificate-key" />
        </>
      )}
    </EditDialog>
  );
}

function Facts({ now }: { now: Certificate }) {
  const left_days = Math.ceil((now.not_after_s * 1000 - Date.now()) / day_ms);
  return (
    <>
      {left_days <= warn_days && now.source !== 'self_signed' && (
        <Notice tone={left_days > 0 ? 'warn' : 'bad'} testid="certificate-ends">{left_days > 0 ? say(t.system.ends, { n: left_days }) : t.system.ended}</Notice>
      )}
      <dl class="pairs">
        <div><dt>{t.system.subject}</dt><dd><Hostile text={now.subject} /></dd></div>
        <div><dt>{t.system.issuer}</dt><dd><Hostile text={now.issuer} /></dd></div>
        <div><dt>{t.system.names}</dt><dd class="mono"><Hostile text={now.names.join(', ')} /></dd></div>
        <div><dt>{t.system.valid}</dt><dd>{say(t.system.span, { from: date_text(now.not_before_s * 1000), to: date_text(now.not_after_s * 1000) })}</dd></div>
        <div><dt>{t.system.fingerprint}</dt><dd class="mono" data-testid="certificate-fingerprint">{now.fingerprint_sha256.split(/(?<=:)/).map((byte) => <>{byte}<wbr /></>)}</dd></div>
      </dl>
      <p class="hint" data-testid="certificate-source">{t.system.sources[now.source] ?? now.source}</p>
    </>
  );
}

export function CertificateCard({ admin }: { admin: boolean }) {
  const loaded = use_load('certificate', (signal) => certificate_api.read(signal));
  const [open, set_open] = useState<'upload' | 'remove' | undefined>();
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const now = loaded.value;
  const done = (): void => { set_open(undefined); loaded.reload(); };
  const remove = (): void => {
    set_busy(true);
    certificate_api.remove(now?.etag ?? '').then(done, set_error).finally(() => set_busy(false));
  };
  return (
    <Card title={t.system.certificate} testid="system-certificate">
      <Pending of={loaded} />
      {now && <Facts now={now} />}
      {now && admin && now.source !== 'file' && (
        <div class="button-row">
          <Button onClick={() => set_open('upload')} data-testid="certificate-upload">{t.system.upload}</Button>
          {now.source === 'uploaded' && <Button onClick={() => { set_error(undefined); set_open('remove'); }} data-testid="certificate-remove">{t.system.self_signed}</Button>}
        </div>
      )}
      {now && open === 'upload' && <UploadDialog etag={now.etag} done={done} close={() => set_open(undefined)} />}
      {open === 'remove' && <Confirm title={t.system.self_signed_title} text={t.system.self_signed_text} action={t.system.self_signed} busy={busy} error={error} onConfirm={remove} onClose={() => set_open(undefined)} />}
    </Card>
  );
}
