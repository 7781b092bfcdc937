// The rows of the settings objects as types: what is stored. tests/console/settings/rows_test.cc has the two equal.

export interface SiteSettings {
  uuid: string;  // Digits, given by wafd; 0 is the default site.
  name: string;  // What people call it; required.
  url: string;  // Where it is found, for people; in events as site_url.
  hosts: string[];  // Names without port, *. and a name, or addresses; empty for the default site alone.
  mode: 'block' | 'monitor' | 'off';  // block: attacks are denied; monitor: they are recorded alone; off: nothing is denied or recorded.
  sensitivity: 'low' | 'balanced' | 'strict';  // How little evidence is enough to deny; strict needs least.
  sensitivity_by_type: Record<string, 'low' | 'balanced' | 'strict' | 'off'>;  // The same for single attack types.
  on_oversize: 'pass' | 'monitor' | 'block_unless_file' | 'block';  // Of requests whose body did not come whole: beyond max_body_bytes or what the gateway hands over. What came is judged all the same. block_unless_file passes those that were cut within an uploaded file, also one in a form, though fields may follow behind it. A file that is the whole body (a picture, film, archive) passes always, and a body of which the gateway hands over nothing does. A new site blocks at balanced and strict and passes at low, unless set.
  on_limit: 'pass' | 'monitor' | 'block';  // Of requests in which judging reached a limit, that have more than 4,096 header lines, or that are in a coding or character set that is not known. A new site blocks them at balanced and strict and passes them at low, unless set.
  document_fields: string[];  // Names of body fields that hold documents, patterns as in exceptions: what is found there is recorded and not denied, but for signatures (m_rule).
  session_cookie: string;  // Name of the cookie whose value names a session; empty: none.
  block_status: number;  // 403 unless set.
  block_body: string;  // Empty: the usual JSON. {event_id} stands for the id. Gateways over T1K make the body themselves.
  mask: Mask;  // What is masked in events beyond what always is.
}

export interface Mask {
  headers: string[];  // Header fields whose values are masked.
  cookies: string[];  // Cookies whose values are masked.
  parameters: string[];  // Parameters of query and body whose values are masked.
  card_numbers: boolean;  // Whether numbers of payment cards are masked.
}

export interface ExceptionSettings {
  id: string;  // Given by wafd.
  enabled: boolean;  // Whether it is in force.
  comment: string;  // Why it is there.
  author: string;  // Who made it; set by wafd.
  host: string;  // A name without port, or *. and a name; empty: any, as in the members below.
  path: string;  // Percent-decoded once; * is any text without a slash, ** any text.
  location: string;  // urlpath, query, header, cookie, body or file; with _name behind it: in the name.
  name: string;  // Of the parameter, header or cookie; * as in paths, items[*].name for every index.
  rule_id: string;  // As in events.
  attack_type: string | null;  // Findings of this type; null: of any.
  expires_s: number;  // Unix seconds, 0: never.
}

export interface ListEntrySettings {
  id: string;  // Given by wafd.
  kind: 'allow' | 'deny';  // allow: passed whatever is found; deny: blocked. Required.
  cidr: string;  // An IPv4 or IPv6 address or prefix, such as 192.0.2.0/24.
  comment: string;  // Why it is there.
  expires_s: number;  // Unix seconds, 0: never.
}

export interface SystemSettings {
  trusted_proxies: string[] | null;  // CIDR; from these X-Forwarded-For and the like are believed. Empty: from loopback.
  time_zone: string | null;  // IANA name, of times in events and messages.
  geoip_database: string | null;  // Absolute path of a MaxMind DB file; empty: none.
  second_factor_roles: string[] | null;  // Roles (viewer, operator, admin) of users who must set up a second factor before anything else.
}

export interface TargetSettings {
  id: string;  // 8 to 64 of a-z, 0-9 and -, given by wafd.
  name: string;  // What people call it; required.
  enabled: boolean;  // Whether anything is sent.
  transport: 'udp' | 'tcp' | 'tls' | 'relp' | 'kafka' | 'postgresql';  // How it is reached; required.
  host: string;  // A host name or an address; required.
  port: number;  // 514, 601, 6514, 2514, 9092 or 5432 by transport unless set.
  backups: HostPort[];  // At most 8 receivers that are tried in turn when the first cannot be reached.
  header: 'rfc5424' | 'rfc3164';  // The syslog header of a message.
  content: 'json' | 'cef' | 'leef' | 'ecs';  // How the event is written (FORMATS.md).
  framing: 'octet_counting' | 'lf';  // Where a message ends on tcp and tls.
  facility: number;  // The syslog facility.
  severity: 'by_risk' | number;  // The syslog severity, or by_risk: by the event's risk.
  app_name: string;  // The syslog app-name: printable ASCII without spaces.
  hostname: string;  // The syslog host name; empty: the node's.
  filter: string;  // An event query: which events are sent; empty: all.
  streams: ('event' | 'audit' | 'health')[];  // What is sent: attack events, lines of the audit log, the node's health.
  request_detail: 'full' | 'headers' | 'none';  // full: head and body of the request; headers: the head; none: neither.
  max_message_bytes: number;  // Longer messages are cut; 8192 on udp, 1048576 on postgresql, else 65536 unless set. What is possible depends on transport and content.
  time_precision: 3 | 6;  // Digits behind the seconds.
  bom: boolean;  // Whether the text begins with a byte order mark (RFC 5424).
  sequence_id: boolean;  // Whether messages are numbered (meta sequenceId).
  rate_limit: number;  // Messages a second; 0: no limit.
  wait_for_report_ms: number;  // How long an event whose gateway announced a response report waits for it; 0: sent at once, without.
  source_address: string;  // The address of this machine that it is sent from; empty: any.
  tls: TlsSettings;  // Protection of the connection.
  kafka: Record<string, unknown>;  // What only kafka has.
  postgresql: PostgresqlSettings;  // What only postgresql has.
}

export interface TlsSettings {
  enabled?: boolean;  // relp, kafka and postgresql alone: whether the connection is encrypted; on unless set for postgresql.
  verify?: boolean;  // Whether the receiver's certificate must be good.
  ca?: string;  // Who may have signed it: PEM text or file:/PATH; empty: the system's.
  server_name?: string;  // The name that it must have; empty: the host.
  fingerprint_sha256?: string;  // The one certificate that is taken: 64 hex digits, colons allowed.
  min_version?: '1.2' | '1.3';  // The oldest version of TLS that is spoken.
  certificate?: string;  // Ours, if the receiver asks: PEM text or file:/PATH.
  key?: string;  // Of our certificate; never answered.
}

export interface PostgresqlSettings {
  database?: string;  // Which database of the server.
  user?: string;  // The role to log in as.
  password?: string;  // Of the user: text or file:/PATH; empty: none. Never answered.
  keep_days?: number;  // Days that are older are dropped; 0: they are kept for ever.
  keep_gib?: number;  // The oldest days are dropped while all days together take more than that many GiB; 0: no limit.
}

export interface HostPort {
  host: string;  // A host name or an address.
  port: number;  // The transport's usual one unless set.
}

export interface ChannelSettings {
  id: string;  // Made by wafd.
  name: string;  // What people call it.
  enabled: boolean;  // Whether anything is sent there.
  kind: 'mail' | 'webhook';  // A mail server, or a webhook.
  host: string;  // mail: name or address of the server.
  port: number;  // mail: unless set 587, 465 with tls, 25 with none.
  security: 'none' | 'starttls' | 'tls';  // mail: starttls: nothing is sent before the connection is encrypted; tls: from its beginning.
  username: string;  // mail: empty: without authentication.
  password: string;  // mail: of the user, or file:/PATH; never answered.
  sender: string;  // mail: the address it comes from.
  recipients: string[];  // mail: the addresses it goes to.
  url: string;  // webhook: where it is posted; never answered, for it often is a secret.
  format: 'json' | 'slack' | 'teams' | 'dingtalk' | 'wecom' | 'feishu';  // webhook: the form of what is posted.
  secret: string;  // webhook: key of the signature (HMAC-SHA-256), or file:/PATH; empty: none; never answered.
  language: 'en' | 'zh-CN';  // What its readers read.
  verify: boolean;  // Whether the receiver's certificate must be good.
  ca: string;  // Who may have signed it: PEM text or file:/PATH; empty: the system's.
  group_s: number;  // Seconds that a notification waits for others, which then go in one message.
  quiet_from: string;  // HH:MM in the node's time zone. From then to quiet_to nothing is sent; it waits. Empty: never quiet.
  quiet_to: string;  // HH:MM, the end of the quiet time.
  tell_end: boolean;  // Whether it is told that an alert has ended.
  weekly_report: boolean;  // Whether the report of the week is sent there, on Mondays from 08:00.
}

export interface AlertSettings {
  id: string;  // Made by wafd.
  name: string;  // What people call it; stands in every message.
  enabled: boolean;  // Whether it is looked at.
  when: 'matches' | 'first_seen' | 'target_dead' | 'gateway_silent' | 'overload' | 'ring_reach' | 'node_silent';  // matches: more than count events match query in minutes. first_seen: an event matches query whose `of` no event before had. target_dead: a syslog target is not up for minutes. gateway_silent: a listener that had requests has none for minutes. overload: more than count requests in minutes were not judged whole. ring_reach: the ring reaches back less than hours. node_silent: a node of the fleet has told its database nothing for minutes.
  query: string;  // matches, first_seen: an event query; empty: every event.
  count: number;  // matches, overload: more than so many.
  minutes: number;  // Of what is looked at together.
  of: 'rule' | 'source' | 'site';  // first_seen: what is new.
  hours: number;  // ring_reach: less than so many.
  channels: string[];  // Ids of the channels that are told; empty: all.
}

export interface OidcSettings {
  enabled: boolean;  // Whether people may sign in by the provider.
  label: string;  // What stands on the button; empty: the provider's host.
  issuer: string;  // The provider's issuer URL, exactly as the provider writes it: ISSUER/.well-known/openid-configuration is read.
  client_id: string;  // wafd's client id at the provider.
  client_secret: string;  // Its secret, or file:/PATH; empty: a public client, protected by PKCE alone; never answered.
  ca: string;  // Who may have signed the provider's certificate: PEM text or file:/PATH; empty: the system's.
  scopes: string[];  // What is asked for; openid must be there.
  username_claim: string;  // The claim that gives a new user's name.
  groups_claim: string;  // The claim with the user's groups, of the ID token or else of the userinfo endpoint; /realm_access/roles leads into objects (RFC 6901).
  admin_groups: string[];  // Groups whose members are admins; the highest role counts.
  operator_groups: string[];  // Groups whose members are operators.
  viewer_groups: string[];  // Groups whose members are viewers.
  default_role: 'none' | 'viewer';  // Of people in none of these groups; none: they cannot sign in.
  acr_values: string[];  // Asked for and, in the ID token's acr, taken for a second factor, as is mfa in its amr.
  trust_second_factor: boolean;  // Where a role needs a second factor: taken to be the provider's matter, so that the ID token need not tell of one.
  provider_log_out: boolean;  // Whether who logs out here is sent to the provider's log-out.
}
