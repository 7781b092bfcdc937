import { call } from './client';

export interface FactorState { enabled: boolean; recovery_codes_left: number; required: boolean }
export interface FactorSecret { secret: string; uri: string }
export interface RecoveryCodes { recovery_codes: string[] }

export const factor_api = {
  read: () => call<FactorState>('GET', '/me/second-factor'),
  begin: (password: string, code: string) => call<FactorSecret>('POST', '/me/second-factor', { body: code === '' ? { password } : { password, code } }),
  confirm: (code: string) => call<RecoveryCodes>('PUT', '/me/second-factor', { body: { code } }),
  renew: (code: string) => call<RecoveryCodes>('POST', '/me/recovery-codes', { body: { code } }),
  remove: (code: string) => call<void>('POST', '/me/second-factor/removal', { body: { code } }),
  remove_of: (username: string) => call<void>('DELETE', `/users/${encodeURIComponent(username)}/second-factor`),
};
