// What stands before the page: first start, login, no answer.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { session_api } from '../../api/session';
import type { Me, SetupState } from '../../api/types';
import { time_text } from '../../lib/format';
import { end_session, refresh_session, start_session } from '../../state/session';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/field';
import { Logo } from '../../ui/logo';
import { error_text, member_error, Notice } from '../../ui/panel';
import { SecondFactor } from '../account/second_factor';
import { LanguageChoice } from '../language_choice';
import { ProviderButton } from './provider_button';

const min_password = 12;

function Door({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="door">
      <div class="door-card">
        <div class="door-brand"><Logo /><span>{t.product}</span></div>
        <h1>{title}</h1>
        {children}
        <div class="door-language"><LanguageChoice /></div>
      </div>
    </main>
  );
}

// Submitting: one call at a time, its error kept until the next.
function use_submit(act: () => Promise<unknown>) {
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    set_busy(true);
    set_error(undefined);
    try {
      await act();
      await start_session();
    } catch (caught) {
      set_error(caught);
    }
    set_busy(false);
  };
  const member = error instanceof ApiError ? error.problem.member : undefined;
  // Said of what was sent: what is typed now is something else.
  const typed = <T,>(set: (value: T) => void) => (value: T): void => { set_error(undefined); set(value); };
  return { busy, error, member, submit, typed };
}

function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const wait = error instanceof ApiError ? error.problem.retry_after_s : undefined;
  return <Notice tone="bad" testid="form-error">{wait ? say(t.door.wait, { s: wait }) : error_text(error)}</Notice>;
}

export function LoginPage({ expired, refused }: { expired: boolean; refused?: unknown }) {
  const [username, set_username] = useState('');
  const [password, set_password] = useState('');
  const [code, set_code] = useState('');
  const [asked, set_asked] = useState(false);  // for the second factor
  const form = useRef<HTMLFormElement>(null);
  const { busy, error, submit, typed } = use_submit(async () => {
    try {
      await session_api.log_in(username, password, code);
    } catch (caught) {
      if (!(caught instanceof ApiError) || caught.kind !== 'second-factor') throw caught;
      set_asked(true);
    }
  });
  const wrong_code = error instanceof ApiError && error.problem.member === 'code';
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  useEffect(() => { if (asked) form.current?.querySelector<HTMLInputElement>('[name=code]')?.focus(); }, [asked]);
  useEffect(() => { if (error) form.current?.querySelector<HTMLInputElement>(wrong_code ? '[name=code]' : 'input[type=password]')?.select(); }, [error]);
  return (
    <Door title={t.door.login_title}>
      {refused !== undefined && !error ? <Notice tone="bad" testid="provider-refused">{error_text(refused)}</Notice> : null}
      {expired && !error ? <Notice tone="info">{t.door.expired}</Notice> : null}
      <form ref={form} onSubmit={submit} data-testid="login-form">
        <TextField label={t.door.username} value={username} onChange={set_username} autocomplete="username" name="username" required wide />
        <TextField label={t.door.password} value={password} onChange={set_password} type="password" autocomplete="current-password" name="password" required wide />
        {asked && <TextField label={t.factor.code} hint={t.factor.code_or_recovery} value={code} onChange={typed(set_code)} autocomplete="one-time-code" name="code" required wide mono error={wrong_code ? member_error(error, 'code') : undefined} />}
        {!wrong_code && <Problem error={error} />}
        <Button type="submit" kind="primary" busy={busy} data-testid="login-submit">{t.door.login}</Button>
      </form>
      <ProviderButton />
    </Door>
  );
}

// Over a view whose session has ended: what was typed there is still there afterwards.
export function LoginAgain() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return <dialog ref={element} class="again" aria-label={t.door.login_title} onCancel={(event) => event.preventDefault()}><LoginPage expired /></dialog>;
}

// The role needs a second factor, and the user has none yet: nothing else comes before it.
export function FactorPage({ me }: { me: Me }) {
  return (
    <Door title={t.factor.title}>
      <p class="door-lead">{say(t.factor.first, { name: me.username })}</p>
      <SecondFactor changed={() => void refresh_session()} />
      <Button kind="ghost" onClick={() => void end_session()}>{t.nav.log_out}</Button>
    </Door>
  );
}

export function SetupPage({ setup }: { setup: SetupState }) {
  const [token, set_token] = useState('');
  const [username, set_username] = useState('admin');
  const [password, set_password] = useState('');
  const [repeat, set_repeat] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const { busy, error, member, submit, typed } = use_submit(() => session_api.set_up(token.trim(), username, password));
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const short = password.length > 0 && password.length < min_password ? say(t.door.too_short, { n: password.length }) : undefined;
  const differs = repeat.length > 0 && repeat !== password ? t.door.mismatch : undefined;
  const of_member = (name: string): string | undefined => (member === name ? member_error(error, name) : undefined);
  if (!setup.open) {
    return <Door title={t.door.setup_title}><Notice tone="warn" testid="setup-closed">{t.door.setup_closed}</Notice></Door>;
  }
  return (
    <Door title={t.door.setup_title}>
      <p class="door-lead">{t.door.setup_lead} {setup.closes_ms ? say(t.door.setup_until, { time: time_text(setup.closes_ms) }) : ''}</p>
      <form ref={form} onSubmit={submit} data-testid="setup-form">
        <TextField label={t.door.token} value={token} onChange={typed(set_token)} name="token" autocomplete="off" mono required wide error={of_member('token')} />
        <TextField label={t.door.username} value={username} onChange={typed(set_username)} name="username" autocomplete="username" required wide error={of_member('username')} />
        <TextField label={t.door.password} value={password} onChange={typed(set_password)} type="password" name="password" autocomplete="new-password" required wide
          hint={t.door.password_hint} error={of_member('password') ?? short} />
        <TextField label={t.door.repeat} value={repeat} onChange={typed(set_repeat)} type="password" name="repeat" autocomplete="new-password" required wide error={differs} />
        {error !== undefined && !(member && ['token', 'username', 'password'].includes(member)) && <Problem error={error} />}
        <Button type="submit" kind="primary" busy={busy} disabled={password.length < min_password || password !== repeat} data-testid="setup-submit">{t.door.create}</Button>
      </form>
    </Door>
  );
}

export function UnreachablePage() {
  useEffect(() => {
    const timer = setInterval(() => void start_session(), 3000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Door title={t.door.unreachable}>
      <Button icon="bolt" onClick={() => void start_session()}>{t.common.retry}</Button>
    </Door>
  );
}
