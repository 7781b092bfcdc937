// Who is logged in, and what the page shows while nobody is.
import { ApiError, NetworkError, when_unauthenticated } from '../api/client';
import { oidc_api } from '../api/oidc';
import { session_api } from '../api/session';
import type { Me, Role, SetupState } from '../api/types';
import { set_zone } from '../lib/format';
import { follow_account } from './language';
import { oidc_answer } from './oidc_answer';
import { Store, use_store } from './store';

export type Session =
  | { kind: 'starting' }
  | { kind: 'setup'; setup: SetupState }
  | { kind: 'login'; expired: boolean; error?: unknown }  // error: of a sign-in by the provider
  | { kind: 'in'; me: Me; expired?: true }  // expired: the view stays behind the login, with all that was typed
  | { kind: 'unreachable' };

const session = new Store<Session>({ kind: 'starting' });

export function use_session(): Session {
  return use_store(session);
}

// Who one is, and the zone that times are shown in.
async function read_me(): Promise<Me> {
  const me = await session_api.me();
  set_zone(me.preferences.time_zone || me.time_zone);
  await follow_account(me.preferences.language);
  return me;
}

// After a change that is about everybody, such as the node's time zone: everything is drawn again.
export async function refresh_session(): Promise<void> {
  const me = await read_me();
  const now = session.get();
  if (now.kind === 'in') session.set({ ...now, me });
}

export async function start_session(): Promise<void> {
  const answer = oidc_answer();
  if (answer) {
    try {
      await oidc_api.finish(answer);
    } catch (error) {
      return session.set({ kind: 'login', expired: false, error });
    }
  }
  try {
    session.set({ kind: 'in', me: await read_me() });
  } catch (error) {
    if (error instanceof NetworkError) session.set({ kind: 'unreachable' });
    else if (error instanceof ApiError) await show_door();
    else throw error;
  }
}

async function show_door(): Promise<void> {
  try {
    const setup = await session_api.setup_state();
    session.set(setup.needed ? { kind: 'setup', setup } : { kind: 'login', expired: false });
  } catch {
    session.set({ kind: 'unreachable' });
  }
}

export async function end_session(): Promise<void> {
  const now = session.get();
  try {
    if (now.kind !== 'in' || now.me.signs_in !== 'oidc') return await session_api.log_out();
    const { url } = await oidc_api.log_out();
    if (url?.startsWith('https://')) location.assign(url);
  } finally {
    session.set({ kind: 'login', expired: false });
  }
}

// All sessions of the user are gone, this one too.
export function session_ended(): void {
  session.set({ kind: 'login', expired: false });
}

when_unauthenticated(() => {
  const now = session.get();
  if (now.kind === 'in' && !now.expired) session.set({ ...now, expired: true });
});

const ranks: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

export function may(me: Me, role: Role): boolean {
  return ranks[me.role] >= ranks[role];
}
