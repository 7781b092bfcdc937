// One's own password and sessions.
import { useState } from 'preact/hooks';
import { session_api } from '../api/session';
import type { Me } from '../api/types';
import { use_load } from '../state/load';
import { t } from '../text';
import { Button } from '../ui/button';
import { TextField } from '../ui/field';
import { Hostile } from '../ui/hostile';
import { Card, ErrorNotice, Notice } from '../ui/panel';
import { Time } from '../ui/time';

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
  const list = use_load('sessions', session_api.sessions);
  const [error, set_error] = useState<unknown>();
  const end = (id: string): void => { session_api.end_session(id).then(list.reload, set_error); };
  return (
    <div class="page narrow">
      <h1>{t.account.title}: {me.username}</h1>
      <Card title={t.account.password}><PasswordForm /></Card>
      <Card title={t.account.sessions} testid="sessions">
        {(error ?? list.error) !== undefined && <ErrorNotice error={error ?? list.error} retry={list.reload} />}
        <table class="table">
          <thead><tr><th>{t.account.user}</th><th>{t.account.address}</th><th>{t.account.agent}</th><th>{t.account.last_used}</th><th>{t.account.expires}</th><td /></tr></thead>
          <tbody>
            {list.value?.sessions.map((s) => (
              <tr key={s.id}>
                <td>{s.username}</td>
                <td class="mono">{s.address}</td>
                <td class="breakable"><Hostile text={s.user_agent} /></td>
                <td><Time ms={s.last_used_ms} /></td>
                <td><Time ms={s.expires_ms} /></td>
                <td class="table-act">{s.current ? <span class="muted in-use">{t.account.this_one}</span> : <Button small onClick={() => end(s.id)}>{t.account.end}</Button>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </div>
  );
}
