import { call, with_parameters } from './client';
import type { Traffic } from '../lib/traffic';
import type { AuditEntry, AuditPlace, Certificate, ConfigKey, ExceptionRule, FleetNodes, InspectDraft, InspectResult, ListEntry, MessagePreview, NodeChange, NodeSettings, OwnRule, Preset, RuleInfo, SettingsVersion, Site, Status, Target, TestResult, Token, UnknownHosts, User } from './types';

const id_path = (collection: string, id: string): string => `/${collection}/${encodeURIComponent(id)}`;

// A collection that is read whole and changed one object at a time. `Made` is what the server answers to a POST.
export function collection<Item, Draft, Made = Item>(name: string) {
  return {
    list: () => call<Record<string, Item[]>>('GET', `/${name}`).then((answer) => answer[name.split('/').pop() as string] ?? []),
    add: (draft: Draft) => call<Made>('POST', `/${name}`, { body: draft }),
    change: (id: string, draft: Draft, etag?: string) => call<Item>('PUT', id_path(name, id), { body: draft, etag }),
    remove: (id: string, etag?: string) => call<void>('DELETE', id_path(name, id), { etag }),
  };
}

export const targets_api = {
  ...collection<Target, Partial<Target>>('syslog/targets'),
  test: (target: Record<string, unknown>, send: 'connectivity' | 'sample') =>
    call<TestResult>('POST', '/syslog/test', { body: { ...target, send } }),
  preview: (target: Record<string, unknown>, signal?: AbortSignal) =>
    call<MessagePreview>('POST', '/syslog/preview', { body: target, ...(signal ? { signal } : {}) }),
  presets: () => call<{ presets: Preset[] }>('GET', '/syslog/presets').then((answer) => answer.presets),
  preset: (id: string, signal?: AbortSignal) => call<Preset>('GET', `/syslog/presets/${encodeURIComponent(id)}`, signal ? { signal } : {}),
};
export const fleet_api = {
  read: (signal: AbortSignal) => call<FleetNodes>('GET', '/fleet', { signal }),
  forget: (instance: string) => call<void>('DELETE', id_path('fleet/nodes', instance)),
};
export const sites_api = {
  ...collection<Site, Partial<Site>>('sites'),
  unknown: () => call<UnknownHosts>('GET', '/sites/unknown'),
};
export const exceptions_api = collection<ExceptionRule, Partial<ExceptionRule>>('exceptions');
export const lists_api = collection<ListEntry, Partial<ListEntry>>('lists');
export const users_api = collection<User, { username?: string; role?: string; password?: string; may_unmask?: boolean }>('users');
export const tokens_api = collection<Token, { name: string; scope: string; expires_s?: number }>('tokens');
export const rules_api = { list: () => call<{ rules: RuleInfo[]; own: OwnRule[] }>('GET', '/rules') };
export const own_rules_api = {
  add: (body: { text: string; enabled: boolean }) => call<{ own: OwnRule[] }>('POST', '/rules', { body }),
  change: (id: string, body: { text?: string; enabled?: boolean }, etag?: string) => call<OwnRule>('PUT', id_path('rules', id), { body, etag }),
  remove: (id: string, etag?: string) => call<void>('DELETE', id_path('rules', id), { etag }),
};
export const versions_api = {
  list: () => call<{ versions: SettingsVersion[] }>('GET', '/settings/versions').then((a) => a.versions),
  read: (version: number, signal?: AbortSignal) => call<SettingsVersion>('GET', `/settings/versions/${version}`, signal ? { signal } : {}),
  restore: (version: number, present: number) => call<{ version: number }>('POST', '/settings/restore', { body: { version, present } }),
};
export const certificate_api = {
  read: (signal?: AbortSignal) => call<Certificate>('GET', '/certificate', signal ? { signal } : {}),
  upload: (body: { certificate: string; key: string }, etag: string) => call<Certificate>('PUT', '/certificate', { body, etag }),
  remove: (etag: string) => call<Certificate>('DELETE', '/certificate', { etag }),
};
export const system_api = {
  read: (signal?: AbortSignal) => call<NodeSettings>('GET', '/system', signal ? { signal } : {}),
  change: (body: NodeChange, etag: string) => call<NodeSettings>('PUT', '/system', { body, etag }),
};
export const config_api = { read: (signal?: AbortSignal) => call<{ keys: ConfigKey[] }>('GET', '/config', signal ? { signal } : {}).then((answer) => answer.keys) };
export const audit_api = {
  page: (q: string, before: AuditPlace, limit = 100) => call<{ entries: AuditEntry[]; before: AuditPlace }>('GET', with_parameters('/audit', { q, limit, before })),
};
export const status_api = {
  read: (signal?: AbortSignal) => call<Status>('GET', '/status', signal ? { signal } : {}),
  traffic: (signal?: AbortSignal) => call<Traffic>('GET', '/traffic', signal ? { signal } : {}),
};
export const inspect_api = {
  run: (request: string, sensitivity: string | undefined, draft: InspectDraft | undefined) =>
    call<InspectResult>('POST', '/inspect', { body: { request, encoding: 'text', sensitivity, draft } }),
};
