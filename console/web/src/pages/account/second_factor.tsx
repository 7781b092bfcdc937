// The second factor: a code of an authenticator app beside the password.
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { factor_api, type FactorSecret } from '../../api/second_factor';
import { qr_code } from '../../lib/qr';
import { use_load } from '../../state/load';
import { say, t } from '../../text';
import { Button, CopyButton } from '../../ui/button';
import { TextField } from '../../ui/field';
import { error_text, ErrorNotice, member_error, Notice, Pending } from '../../ui/panel';

const quiet = 4;  // modules around a code, so that readers find it

function Qr({ text }: { text: string }) {
  const grid = qr_code(text);
  if (!grid) return null;
  const size = grid.length + 2 * quiet;
  const path = grid.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t.factor.qr} shape-rendering="crispEdges" data-testid="factor-qr">
      <rect class="qr-ground" width={size} height={size} /><path d={path} />
    </svg>
  );
}

// One field and one button, and with `with_code` a field for a code; the server's word stands at the field it is of.
function Ask({ label, type, action, act, hint, name, danger, with_code }: {
  label: string; type: 'password' | 'text'; action: string; act: (value: string, code: string) => Promise<void>; hint?: string; name: string; danger?: boolean; with_code?: boolean;
}) {
  const [value, set_value] = useState('');
  const [code, set_code] = useState('');
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_busy(true);
    set_error(undefined);
    try {
      await act(value, code);
      set_value('');
      set_code('');
    } catch (caught) {
      set_error(caught);
    }
    set_busy(false);
  };
  const member = error instanceof ApiError ? error.problem.member : undefined;
  const of_code = with_code && member === 'code';
  const own_error = error === undefined || of_code ? undefined : member ? member_error(error, member) : error_text(error);
  return (
    <form class="form short" onSubmit={submit} data-testid={`factor-${name}-form`}>
      <TextField label={label} type={type} value={value} onChange={(next) => { set_error(undefined); set_value(next); }} autocomplete={type === 'password' ? 'current-password' : 'one-time-code'} required
        hint={hint} mono={type === 'text'} error={own_error} data-testid={`factor-${name}`} />
      {with_code && <TextField label={t.factor.code} type="text" value={code} onChange={(next) => { set_error(undefined); set_code(next); }} autocomplete="one-time-code" required
        hint={t.factor.code_or_recovery} mono error={of_code ? member_error(error, 'code') : undefined} data-testid={`factor-${name}-code`} />}
      <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} data-testid={`factor-${name}-go`}>{action}</Button>
    </form>
  );
}

function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  return (
    <div data-testid="recovery-codes">
      <Notice tone="warn">{t.factor.codes_once}</Notice>
      <ul class="recovery-codes mono">{codes.map((code) => <li key={code}>{code}</li>)}</ul>
      <div class="button-row"><CopyButton label={t.factor.codes_copy} text={() => codes.join('\n')} /><Button kind="primary" onClick={done} data-testid="recovery-done">{t.factor.codes_kept}</Button></div>
    </div>
  );
}

// `changed` is called once it is on or off.
export function SecondFactor({ changed }: { changed: () => void }) {
  const loaded = use_load('second-factor', factor_api.read);
  const [secret, set_secret] = useState<FactorSecret | undefined>();
  const [codes, set_codes] = useState<string[] | undefined>();
  const [doing, set_doing] = useState<'renew' | 'remove' | undefined>();
  const now = loaded.value;
  const finish = (): void => { set_codes(undefined); set_doing(undefined); loaded.reload(); changed(); };
  if (codes) return <RecoveryCodes codes={codes} done={finish} />;
  if (!now) return <Pending of={loaded} />;
  if (secret) {
    return (
      <div class="factor-setup">
        <p>{t.factor.scan}</p>
        <Qr text={secret.uri} />
        <p class="hint">{t.factor.by_hand} <code class="factor-secret" data-testid="factor-secret">{secret.secret}</code></p>
        <Ask name="code" label={t.factor.code} type="text" action={t.factor.confirm} act={async (code) => { set_codes((await factor_api.confirm(code)).recovery_codes); set_secret(undefined); }} />
        <Button onClick={() => set_secret(undefined)}>{t.common.cancel}</Button>
      </div>
    );
  }
  return (
    <>
      <p data-testid="factor-state">{now.enabled ? say(t.factor.on, { n: now.recovery_codes_left }) : now.required ? t.factor.needed : t.factor.off}</p>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {now.enabled && now.recovery_codes_left < 3 && <Notice tone="warn">{t.factor.few_codes}</Notice>}
      {!doing && <Ask name="password" label={t.account.current} type="password" action={now.enabled ? t.factor.anew : t.factor.begin} with_code={now.enabled}
        act={async (password, code) => set_secret(await factor_api.begin(password, code))} />}
      {now.enabled && !doing && (
        <div class="button-row">
          <Button onClick={() => set_doing('renew')} data-testid="factor-renew">{t.factor.renew}</Button>
          {!now.required && <Button kind="danger" onClick={() => set_doing('remove')} data-testid="factor-remove">{t.factor.remove}</Button>}
        </div>
      )}
      {doing && (
        <>
          <Ask name="code" label={t.factor.code} type="text" hint={t.factor.code_or_recovery} danger={doing === 'remove'} action={doing === 'remove' ? t.factor.remove : t.factor.renew}
            act={async (code) => { if (doing === 'remove') { await factor_api.remove(code); finish(); } else { set_codes((await factor_api.renew(code)).recovery_codes); } }} />
          <Button onClick={() => set_doing(undefined)}>{t.common.cancel}</Button>
        </>
      )}
    </>
  );
}
