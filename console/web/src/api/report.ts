// The report of a span: counts by hour or day, for up to a year.
import { call, with_parameters, type Parameters } from './client';

export interface ActionCounts { deny: number; monitor: number; allow: number }
export interface ReportCounts extends ActionCounts { requests: number; unjudged: number }
export interface ReportRow extends ActionCounts { value: string; name: string }

export interface Report {
  node: string;
  from: number;
  to: number;
  begins_ms: number | null;
  bucket_ms: number;
  buckets: (ActionCounts & { t: number; requests: number })[];
  totals: ReportCounts;
  before: ReportCounts;
  sites: ReportRow[];
  rules: ReportRow[];
  types: ReportRow[];
}

export const read_report = (parameters: Parameters, signal?: AbortSignal): Promise<Report> => call<Report>('GET', with_parameters('/report', parameters), signal ? { signal } : {});
