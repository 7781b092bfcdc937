// Sources of requests, and the lists of addresses as text.
import { call } from './client';
import type { ListEntry } from './types';

export interface Source {
  address: string;
  country: string;
  province: string;
  city: string;
  as_number: number;  // 0: not known
  as_name: string;
  lists: ListEntry[];  // in force, that hold the address
}

export interface ListImport {
  added: number;
  changed: number;
  present: number;
  ended: number;
}

export interface ImportRequest {
  text: string;
  kind: 'allow' | 'deny';
  comment: string;
  expires_s: number;
}

export const sources_api = {
  read: (address: string, signal: AbortSignal) => call<Source>('GET', `/sources/${encodeURIComponent(address)}`, { signal }),
};

export const list_text_api = {
  check: (list: ImportRequest) => call<ListImport>('POST', '/lists/import', { body: { ...list, check: true } }),
  import: (list: ImportRequest) => call<ListImport>('POST', '/lists/import', { body: { ...list } }),
  export_address: '/api/v1/lists/export',
};
