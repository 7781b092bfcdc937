// The shapes of the HTTP API as this page uses them.
import type { ExceptionSettings, HostPort, ListEntrySettings, PostgresqlSettings, SiteSettings, SystemSettings, TargetSettings } from './settings_types';
import type { ConsoleStatus, EngineStatus, ListenerStatus, RingStatus, SiteDayCounts, TargetCounts } from './status_types';

export type Action = 'deny' | 'monitor' | 'allow';
export type Risk = 'low' | 'medium' | 'high';
export type Role = 'viewer' | 'operator' | 'admin';

// Empty: as the browser asks for, as the node has it.
export interface Preferences { language: string; time_zone: string }

export interface Me {
  username: string;
  role: Role;
  via: 'session' | 'token';
  expires_ms: number | null;
  node: string;
  version: string;
  settings_file: string;
  settings_of_fleet: boolean;
  fleet: boolean;       // events are those of all nodes
  time_zone: string;  // of the node: what times are shown in, unless the user prefers another
  preferences: Preferences;
  signs_in: 'password' | 'oidc';
  second_factor: boolean;
  masked: boolean;      // events come without what attackers sent
  may_unmask: boolean;  // yet one at a time may be looked at
  must_set_up_second_factor: boolean;
}

export interface SetupState {
  needed: boolean;
  open: boolean;
  closes_ms: number | null;
}

// The 58 members. Only those that the page reads by name are typed; the rest is shown as it comes.
export interface AttackRecord {
  scheme: string;
  src_ip: string;
  src_port: number;
  host: string;
  method: string;
  query_string: string;
  event_id: string;
  site_uuid: string;
  req_detect_time: number;
  req_rule_id: string;
  req_location: string;
  req_payload: string;
  req_decode_path: string;
  req_http_body_is_truncate: number;
  http_body_is_abandoned: number;
  country: string;
  province: string;
  city: string;
  timestamp: number;
  req_start_time: number;
  user_agent: string;
  referer: string;
  reason: string;
  module: string;
  node: string;
  dest_ip: string;
  dest_port: number;
  urlpath: string;
  attack_type: string;
  risk_level: Risk;
  action: Action;
  req_header_raw: string;
  body: string;
  [member: string]: unknown;
}

// Only where the console shows all nodes: whether the answer is of them, or of this node because the database is away.
export interface FleetAnswer {
  answered: boolean;
  why: string;
}

export interface EventItem {
  seq: number;
  place?: string;  // in a fleet: what `before` takes to go on behind it
  record: AttackRecord;
}

export interface Counts {
  histogram: Histogram;
  top: TopList[];
  oldest_ms: number | null;  // before it nothing is known
  fleet?: FleetAnswer;
}

export interface EventPage {
  events: EventItem[];
  before: number | string | null;
  end: number;  // first sequence that was not looked at; in a fleet a time
  fleet?: FleetAnswer;
}

// One finding of the detail block. Spans count UTF-8 bytes in the record's req_header_raw ("head") or body.
export interface FindingDetail {
  rule_id: string;
  rule_number: number;
  rule_name: string;
  cve?: string;
  attack_type: string;
  risk_level: Risk;
  location: string;
  name: string;
  span?: { part: 'head' | 'body'; begin: number; end: number };
  decode_path: string;
  denies_from: string | null;
  reason: string;
  payload: string;
  excerpt: string;
  masked: boolean;
}

export interface DetailBlock {
  enforcement?: string;
  site?: { uuid: string; name: string; mode: string; sensitivity: string };
  reason?: string;
  weightiest?: number | null;
  excepted?: number[];
  documents?: number[];
  inspection?: { inspected_octets: number; total_octets: number; limit_reached: boolean; unknown_coding?: boolean; interrupted?: boolean; by_head?: boolean };
  masked?: boolean;
  findings_left_out?: number;
  findings?: FindingDetail[];
  response?: { status: number | null; size: number } | null;  // as the gateway reported it later
}

export interface EventDetail extends EventItem {
  detail: DetailBlock;
}

export interface Bucket {
  t: number;
  deny: number;
  monitor: number;
  allow: number;
}

export interface Histogram {
  from: number;
  to: number;
  bucket_ms: number;
  buckets: Bucket[];
  total: number;
  fleet?: FleetAnswer;
}

export interface TopValue {
  value: string;
  count: number;
  last_ms: number;
  deny: number;
  monitor: number;
  allow: number;
}

export interface TopList {
  field: string;
  total: number;
  distinct: number;
  values: TopValue[];
}

export type TargetStatus = TargetCounts & { state: 'disabled' | 'resolving' | 'connecting' | 'up' | 'waiting' };

export type Transport = TargetSettings['transport'];

// As a form has it: a new one has no id, and what depends on the transport may be absent.
export type Target = Omit<TargetSettings, 'id' | 'backups' | 'streams' | 'tls' | 'kafka' | 'postgresql'> & {
  id?: string;
  backups?: HostPort[];
  streams: string[];
  tls?: Record<string, unknown>;
  kafka?: Record<string, unknown>;
  postgresql?: Partial<PostgresqlSettings> & { password_set?: boolean };
  etag?: string;
  warnings?: string[];  // settings that have no effect beside the others, in the server's words
  status?: TargetStatus | null;
  [member: string]: unknown;
};

// The settings of a target for one product; `snippets` is text to paste on the receiver.
export interface Preset {
  id: string;
  name: string;
  about: string;
  files: string[];
  settings: Record<string, unknown>;
  snippets?: { name: string; text: string }[];
}

export interface MessagePreview {
  message: string;
  octets: number;
  truncated: boolean;
  source: 'wanted' | 'latest' | 'invented';
  event_id: string;
}

// A signature rule made on the console; `rule` as in a rule file, `rule_id` as in events.
export interface OwnRule {
  id: string;
  enabled: boolean;
  rule: Record<string, unknown>;
  rule_id: string;
  name: string;
  attack_type: string;
  risk: Risk;
  number: number;
  hits: Hits;
  etag: string;
}

export interface SettingsChange {
  collection: string;
  id: string;
  name: string;
  change: 'added' | 'removed' | 'changed';
  members: { member: string; before: unknown; after: unknown }[];
}

export interface SettingsVersion {
  version: number;
  saved_ms: number;
  author: string;
  node?: string;  // of a fleet
  current?: boolean;
  changes?: SettingsChange[] | null;
  undo?: SettingsChange[];
}

export interface TestStage {
  name: string;
  ok: boolean;
  ms: number;
  detail: Record<string, unknown>;
  error: string | null;
}

export interface TestResult {
  verdict: 'acknowledged' | 'accepted' | 'sent' | 'closed' | 'failed';
  text: string;
  message: string;
  stages: TestStage[];
}

export interface Hits {
  count: number;
  last_s: number | null;
}

// Requests of one day (UTC); would_deny is what the findings alone would deny at each sensitivity.
export interface SiteDay extends SiteDayCounts {
  day: string;
  would_deny: { low: number; balanced: number; strict: number };
}

export interface UnknownHosts {
  hosts: { host: string; count: number; first_s: number; last_s: number }[];
  other: number;
  forgotten: number;
}

export interface Site extends SiteSettings {
  days?: SiteDay[];
  etag?: string;
  [member: string]: unknown;
}

export interface ExceptionRule extends ExceptionSettings {
  hits?: Hits;
  etag?: string;
}

export interface ListEntry extends ListEntrySettings {
  hits?: Hits;
  etag: string;
}

export interface RuleInfo {
  id: string;
  number: number;
  name: string;
  module: string;
  attack_type: string;
  risk: Risk;
  hits?: Hits;
}

export interface User {
  username: string;
  role: Role;
  created_ms: number;
  last_login_ms: number | null;
  second_factor: boolean;
  signs_in: 'password' | 'oidc';
  may_unmask: boolean;
  etag: string;
}

export interface Token {
  id: string;
  name: string;
  scope: 'read' | 'write' | 'admin';
  created_ms: number;
  created_by: string;
  expires_s: number;
  last_used_ms: number | null;
  etag: string;
  token?: string;
}

export interface SessionInfo {
  id: string;
  username: string;
  address: string;
  user_agent: string;
  created_ms: number;
  last_used_ms: number;
  expires_ms: number;
  current: boolean;
}

export type AuditPlace = number | string | null;  // where a page of the audit log goes on; a text in a fleet's

export interface AuditEntry {
  node?: string;  // in a fleet's
  seq: number;
  time_ms: number;
  user: string;
  via: string;
  address: string;
  action: string;
  object: string;
  detail: Record<string, unknown>;
}

export interface Status {
  node: string;
  version: string;
  now_ms: number;
  started_ms: number;
  ready: boolean;
  notes: string[];
  engine: EngineStatus;
  sites: { uuid: string; name: string; today: SiteDay | null }[];
  unknown_hosts: number;
  listeners: ListenerStatus[];
  targets: (TargetStatus & { id: string; name: string; transport: Transport; host: string; port: number })[];
  ring: RingStatus;
  geoip: { database: string; type: string; built_s: number; error: string };
  settings: { version: number; saved_ms: number; author: string; notice: string; file: string; fleet: boolean };
  console: ConsoleStatus & { sessions: number };
  fleet: { answered: boolean; why: string; nodes: number; silent: string[] } | null;
}

export type NodeValues = { [Member in Exclude<keyof SystemSettings, 'second_factor_roles'>]: NonNullable<SystemSettings[Member]> };

// null: as the configuration has it.
export type NodeChange = SystemSettings;
export type NodeSettings = NodeChange & { configured: NodeValues; warnings: string[]; etag: string };

export interface FleetNode {
  node: string;
  instance: string;  // of its ring
  seen_ms: number;
  silent: boolean;
  clock_ms: number;  // ahead of the database's
  version: string;
  requests_per_s: number;
  waiting: number;
  last_request_ms: number | null;
  settings_version: number;
  settings_error: string;  // what keeps it from the fleet's newest
  targets: { name: string; state: string; lag_events: number; lag_ms: number }[];
}

export interface FleetNodes { place: string; answered: boolean; why: string; now_ms: number; nodes: FleetNode[] }

export interface ConfigKey { key: string; value: string; default: string; help: string }

export interface Certificate {
  source: 'self_signed' | 'uploaded' | 'file';
  file: string; subject: string; issuer: string; names: string[];
  not_before_s: number; not_after_s: number; fingerprint_sha256: string; etag: string;
}

export interface Judgement {
  action: Action;
  attack_type: string | null;
  risk: Risk | null;
  rule_id: string;
  location: string;
  weightiest: number | null;
  reason: string;
  site: string;
  list: { id: string; kind: string; cidr: string } | null;
  would_deny: { low: boolean; balanced: boolean; strict: boolean };
  body_truncated: boolean;
  limit_reached: boolean;
  unknown_coding: boolean;
  inspected_octets: number;
  total_octets: number;
  findings: {
    rule_id: string; rule_number: number; rule_name: string; cve: string; module: string; attack_type: string; risk: Risk; location: string;
    name: string; payload: string; excerpt: string; decode_path: string; reason: string;
    span: { part: 'head' | 'body'; begin: number; end: number }; deny_from: string | null; excepted: boolean; excepted_by: string | null;
  }[];
}

export interface InspectResult extends Judgement {
  microseconds: number;
  draft: Judgement | null;
}

export interface InspectDraft {
  rule?: string;
  exception?: { path?: string; name?: string };
}
