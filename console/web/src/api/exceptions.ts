// Exceptions as an event makes them: tried on the stored events, then added.
import { call } from './client';
import type { ExceptionDraft } from '../lib/exception_draft';

export interface ExceptionPreview {
  event: 'untouched' | 'passes' | 'denied' | 'unknown' | null;
  would_pass: number;
  still_denied: number;
  unknown: number;
  untouched: number;
  looked_at: number;
  complete: boolean;
  oldest_ms: number | null;
  other_sources: number;
  attacking_sources: number;
  sources: { src: string; would_pass: number; other_events: number; last_ms: number; event_id: string }[];
}

export const exceptions_api = {
  preview: (body: Partial<ExceptionDraft> & { event_id: string }, signal: AbortSignal) =>
    call<ExceptionPreview>('POST', '/exceptions/preview', { body, signal }),
  add: (body: Partial<ExceptionDraft> & { enabled: boolean }) => call<unknown>('POST', '/exceptions', { body }),
};
