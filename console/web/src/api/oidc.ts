// Sign-in by a provider: its settings, and the way there and back.
import { call } from './client';
import type { OidcSettings } from './settings_types';

export interface Oidc extends Omit<OidcSettings, 'client_secret'> {
  client_secret_set: boolean;
  redirect_path: string;
  etag: string;
}

export interface OidcCheck {
  ok: boolean;
  text: string;
  end_session_endpoint: string;
  keys: { kid: string; algorithm: string }[];
}

export interface OidcAnswer {
  state: string;
  code?: string;
  error?: string;
  iss?: string;
}

export const oidc_api = {
  read: (signal?: AbortSignal) => call<Oidc>('GET', '/oidc', signal ? { signal } : {}),
  change: (settings: Partial<OidcSettings>, etag: string) => call<Oidc>('PUT', '/oidc', { body: settings, etag }),
  check: (settings: Partial<OidcSettings>) => call<OidcCheck>('POST', '/oidc/check', { body: settings }),
  offered: () => call<{ enabled: boolean; label: string }>('GET', '/session/oidc'),
  begin: () => call<{ url: string }>('POST', '/session/oidc'),
  finish: (answer: OidcAnswer) => call<unknown>('PUT', '/session/oidc', { body: answer }),
  log_out: () => call<{ url: string | null }>('DELETE', '/session/oidc'),
};
