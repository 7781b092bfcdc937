import { useState } from 'preact/hooks';
import { factor_api } from '../../api/second_factor';
import { session_api } from '../../api/session';
import { users_api } from '../../api/settings';
import type { Me, Role, User } from '../../api/types';
import { use_load } from '../../state/load';
import { say, t } from '../../text';
import { Button } from '../../ui/button';
import { Check, SelectField, TextField } from '../../ui/field';
import { Pending } from '../../ui/panel';
import { Table } from '../../ui/table';
import { Ago, Time } from '../../ui/time';
import { EditDialog, RemoveButton, SectionHead } from './crud';

function UserDialog({ user, done, close }: { user?: User; done: () => void; close: () => void }) {
  const [username, set_username] = useState('');
  const [role, set_role] = useState<Role>(user?.role ?? 'viewer');
  const [password, set_password] = useState('');
  const [may_unmask, set_may_unmask] = useState(user?.may_unmask ?? false);
  const external = user?.signs_in === 'oidc';
  const save = (): Promise<unknown> =>
    user ? users_api.change(user.username, { ...(external ? {} : { role }), may_unmask, ...(password ? { password } : {}) }, user.etag) : users_api.add({ username, role, password, may_unmask });
  return (
    <EditDialog title={user ? say(t.users.edit, { name: user.username }) : t.users.new} save={save} done={done} onClose={close} testid="user-dialog">
      {(error_of) => (
        <>
          {!user && <TextField label={t.users.username} value={username} onChange={set_username} autocomplete="off" error={error_of('username')} wide />}
          {external ? <p class="hint">{t.users.external}</p> : <SelectField label={t.users.role} value={role} onChange={(v) => set_role(v as Role)} options={Object.entries(t.role)} error={error_of('role')} />}
          {role === 'viewer' && <Check label={t.users.may_unmask} hint={t.users.may_unmask_hint} checked={may_unmask} onChange={set_may_unmask} data-testid="user-unmask" />}
          {!external && <TextField label={user ? t.users.new_password : t.users.password} type="password" value={password} onChange={set_password} autocomplete="new-password" hint={t.door.password_hint} error={error_of('password')} wide />}
        </>
      )}
    </EditDialog>
  );
}

export function UsersSection({ me }: { me: Me }) {
  const list = use_load('users', users_api.list);
  const [editing, set_editing] = useState<User | 'new' | undefined>();
  return (
    <div class="section">
      <SectionHead title={t.settings.section.users as string} lead={t.users.lead} action={<Button kind="primary" icon="plus" onClick={() => set_editing('new')} data-testid="user-add">{t.users.add}</Button>} />
      <Pending of={list} />
      <Table testid="users" rows={list.value ?? []} key_of={(user) => user.username} columns={[
        { id: 'name', title: t.users.username, draw: (user) => user.username, sort: (user) => user.username },
        { id: 'role', title: t.users.role, kind: 'short', draw: (user) => t.role[user.role], sort: (user) => t.role[user.role] },
        { id: 'created', title: t.users.created, kind: 'short', draw: (user) => <Time ms={user.created_ms} />, sort: (user) => user.created_ms },
        { id: 'last', title: t.users.last_login, kind: 'short', draw: (user) => <Ago ms={user.last_login_ms} now={Date.now()} />, sort: (user) => user.last_login_ms ?? 0 },
        { id: 'by', title: t.users.signs_in, kind: 'short', draw: (user) => t.users.ways[user.signs_in], sort: (user) => user.signs_in },
        { id: 'factor', title: t.users.factor, kind: 'short', draw: (user) => (user.signs_in === 'oidc' ? '–' : user.second_factor ? t.common.yes : t.common.no), sort: (user) => String(user.second_factor) },
        { id: 'act', title: '', kind: 'act', draw: (user) => (
          <>
            <Button small onClick={() => set_editing(user)}>{t.common.edit}</Button>
            <RemoveButton icon="exit" title={t.users.end_sessions_title} text={user.username} action={t.users.end_sessions} remove={() => session_api.end_sessions_of(user.username)} done={list.reload} />
            {user.second_factor && user.username !== me.username && <RemoveButton icon="unlock" title={t.users.factor_remove_title} text={user.username} action={t.users.factor_remove} remove={() => factor_api.remove_of(user.username)} done={list.reload} />}
            {user.username !== me.username && <RemoveButton title={t.users.delete_title} text={user.username} remove={() => users_api.remove(user.username, user.etag)} done={list.reload} />}
          </>
        ) },
      ]} />
      {editing && <UserDialog {...(editing === 'new' ? {} : { user: editing })} done={() => { set_editing(undefined); list.reload(); }} close={() => set_editing(undefined)} />}
    </div>
  );
}
