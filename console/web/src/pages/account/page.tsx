// One's own password, second factor, sessions, language.
import { useState } from 'preact/hooks';
import { session_api } from '../../api/session';
import type { Me } from '../../api/types';
import { use_load } from '../../state/load';
import { refresh_session, session_ended } from '../../state/session';
import { t } from '../../text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Card, ErrorNotice, Notice } from '../../ui/panel';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { PreferencesForm } from './preferences';
import { SecondFactor } from './second_factor';

const refresh_ms = 15_000;  // sessions end elsewhere too

function PasswordForm() {
  const [current, set_current] = useState('');
  const [next, set_next] = useState('');
  const [state, set_state] = useState<{ busy: boolean; done: boolean; error?: unknown }>({ busy: false, done: false });
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_state({ busy: true, done: false });
    try {
      await session_api.change_password(current, next);
      set_current('');
      set_next('');
      set_state({ busy: false, done: true });
    } catch (error) {
      set_state({ busy: false, done: false, error });
    }
  };
  return (
    <form class="form short" onSubmit={submit} data-testid="password-form">
      <TextField label={t.account.current} type="password" value={current} onChange={set_current} autocomplete="current-password" required />
      <TextField label={t.account.next} type="password" value={next} onChange={set_next} autocomplete="new-password" required hint={t.door.password_hint} />
      {state.error !== undefined && <ErrorNotice error={state.error} />}
      {state.done && <Notice tone="good">{t.account.changed}</Notice>}
      <Button type="submit" kind="primary" busy={state.busy}>{t.account.change}</Button>
    </form>
  );
}

export function AccountPage({ me }: { me: Me }) {
  const list = use_load('sessions', session_api.sessions, refresh_ms);
  const [error, set_error] = useState<unknown>();
  const end_all = (): void => { session_api.log_out_everywhere().then(session_ended, set_error); };
  const end = (id: string): void => { session_api.end_session(id).then(list.reload, set_error); };
  return (
    <div class="page narrow">
      <h1>{t.account.title}: {me.username}</h1>
      <Card title={t.account.page} testid="preferences"><PreferencesForm me={me} /></Card>
      {me.signs_in === 'oidc' ? <Notice tone="info" testid="by-provider">{t.account.by_provider}</Notice> : (
        <>
          <Card title={t.account.password}><PasswordForm /></Card>
          <Card title={t.factor.title} testid="second-factor"><SecondFactor changed={() => void refresh_session()} /></Card>
        </>
      )}
      <Card title={t.account.sessions} testid="sessions" aside={<Button small onClick={end_all} data-testid="log-out-everywhere">{t.account.everywhere}</Button>}>
        {(error ?? list.error) !== undefined && <ErrorNotice error={error ?? list.error} retry={list.reload} />}
        <Table rows={(list.value?.sessions ?? []).filter((s) => s.expires_ms > Date.now())} key_of={(s) => s.id} columns={[
          { id: 'user', title: t.account.user, draw: (s) => s.username, sort: (s) => s.username },
          { id: 'address', title: t.account.address, kind: 'code', draw: (s) => s.address, sort: (s) => s.address },
          { id: 'agent', title: t.account.agent, draw: (s) => <Hostile text={s.user_agent} /> },
          { id: 'used', title: t.account.last_used, kind: 'short', draw: (s) => <Time ms={s.last_used_ms} />, sort: (s) => s.last_used_ms },
          { id: 'expires', title: t.account.expires, kind: 'short', draw: (s) => <Time ms={s.expires_ms} />, sort: (s) => s.expires_ms },
          { id: 'act', title: '', kind: 'act', draw: (s) => (s.current ? <span class="muted in-use">{t.account.this_one}</span> : <Button small onClick={() => end(s.id)}>{t.account.end}</Button>) },
        ]} />
      </Card>
    </div>
  );
}
