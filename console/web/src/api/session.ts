import { call } from './client';
import type { Me, Preferences, SessionInfo, SetupState } from './types';

export const session_api = {
  me: () => call<Me>('GET', '/me'),
  setup_state: () => call<SetupState>('GET', '/setup'),
  set_up: (token: string, username: string, password: string) => call<unknown>('POST', '/setup', { body: { token, username, password } }),
  log_in: (username: string, password: string, code: string) => call<unknown>('POST', '/session', { body: { username, password, ...(code ? { code } : {}) } }),
  set_preferences: (preferences: Preferences) => call<void>('PUT', '/me/preferences', { body: preferences }),
  end_sessions_of: (username: string) => call<void>('DELETE', `/users/${encodeURIComponent(username)}/sessions`),
  log_out_everywhere: () => call<void>('DELETE', '/sessions'),
  log_out: () => call<void>('DELETE', '/session'),
  change_password: (current: string, password: string) => call<void>('PUT', '/me/password', { body: { current, password } }),
  sessions: () => call<{ sessions: SessionInfo[] }>('GET', '/sessions'),
  end_session: (id: string) => call<void>('DELETE', `/sessions/${encodeURIComponent(id)}`),
};
