// Every text of the page, in one place, so that a language can be added. Functions take what is put in.
import { count_text } from './lib/format';

const events = (n: number): string => (n === 1 ? '1 event' : `${count_text(n)} events`);

export const t = {
  product: 'wafd',
  action: { deny: 'Blocked', monitor: 'Would block', allow: 'Below threshold' },
  action_long: {
    deny: 'The gateway was told to block it.',
    monitor: 'It would have been blocked, but nobody enforces here.',
    allow: 'Recorded below the blocking threshold.',
  },
  risk: { low: 'Low', medium: 'Medium', high: 'High' },
  role: { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' },
  attack: {
    sqli: 'SQL injection', xss: 'Cross-site scripting', cmd_injection: 'Command injection', code_injection: 'Code injection',
    path_traversal: 'Path traversal', file_inclusion: 'File inclusion', file_upload: 'File upload', backdoor: 'Backdoor',
    deserialization: 'Deserialization', expression_injection: 'Expression injection', ssti: 'Template injection', ssrf: 'SSRF', xxe: 'XXE',
    nosql_injection: 'NoSQL injection', ldap_injection: 'LDAP injection', xpath_injection: 'XPath injection',
    crlf_injection: 'CRLF injection', info_leak: 'Information leak', scanner: 'Scanner', http_violation: 'HTTP violation',
    acl: 'Deny list', rate_limit: 'Rate limit', custom: 'Custom rule',
  } as Record<string, string>,
  place: {
    urlpath: 'path', query: 'query parameter', header: 'header', cookie: 'cookie', body: 'body', file: 'uploaded file',
    query_name: 'name of a query parameter', header_name: 'name of a header', cookie_name: 'name of a cookie', body_name: 'name of a body parameter',
    file_name: 'name of an uploaded file', urlpath_name: 'path',
  } as Record<string, string>,

  common: {
    close: 'Close', cancel: 'Cancel', save: 'Save', remove: 'Remove', retry: 'Try again', never: 'never', none: 'none',
    actions: 'Actions', no: 'no', copy: 'Copy', copied: 'Copied', copy_failed: 'Not copied', edit: 'Edit', loading: 'Loading', yes: 'yes',
    just_now: 'just now', ago: (duration: string) => `${duration} ago`, load_more: 'Load more',
    unsaved: 'Leave without saving what was typed?', read_only: 'Your role may read this, not change it.',
  },
  errors: {
    at_line: (line: string, words: string) => `Line ${line}: ${words}`,
    network: 'The server does not answer. What is on screen may be out of date.',
    unknown: 'Something went wrong in the page.',
    crashed: 'The page failed to draw this part.',
  },
  nav: {
    main: 'Main', events: 'Events', overview: 'Overview', try_it: 'Try a request', settings: 'System settings', skip: 'Skip to content',
    theme: 'Colour scheme', theme_system: 'As the system', theme_light: 'Light', theme_dark: 'Dark',
    account: 'Account', sessions: 'Sessions and password', log_out: 'Log out', help: 'Keyboard and query help',
  },

  door: {
    setup_title: 'First start', setup_lead: 'Create the first administrator. The set-up token was printed on the terminal when wafd started and is in a file in its state folder.',
    setup_closed: 'Set-up has closed. Restart wafd to open it again, or use “wafd user add” on the server.',
    setup_until: (time: string) => `Open until ${time}.`,
    token: 'Set-up token', username: 'User name', password: 'Password', repeat: 'Password again',
    password_hint: '12 to 128 characters; common passwords are refused. A sentence is a good one.',
    mismatch: 'The two passwords differ.', too_short: (n: number) => `${n} of at least 12 characters`,
    create: 'Create administrator', login_title: 'Log in', login: 'Log in', expired: 'The session has ended. Log in again to go on where you were.',
    wait: (s: number) => `Too many attempts. Try again in ${s} s.`,
    unreachable: 'The server does not answer.',
  },

  events: {
    title: 'Events', query: 'Filter events', placeholder: 'Filter:  type:sqli risk:high -src:10.0.0.0/8 path:/login* "free text"',
    clear: 'Clear filter', range: 'Time span', range_names: { '15m': '15 min', '1h': '1 h', '24h': '24 h', '7d': '7 d', all: 'All' } as Record<string, string>,
    fixed_range: (from: string, to: string) => `${from} – ${to}`, leave_fixed: 'Back to the last 24 hours',
    live: 'Live', live_start: 'Follow live', live_stop: 'Pause live', live_state: { connecting: 'Connecting', open: 'Live', lost: 'Reconnecting', ended: 'Ended' },
    skipped: (n: number) => `${count_text(n)} skipped`, skipped_most: (n: number) => `at most ${count_text(n)} skipped`, skipped_unknown: 'Some records were overwritten before they could be compared with the filter.', fresh: (n: number) => `${events(n)} new above`,
    total: events, columns: 'Columns', columns_reset: 'Default columns', facets: 'Top lists', export: 'Export',
    export_ndjson: 'Download NDJSON', export_csv: 'Download CSV', facets_hide: 'Hide top lists', facets_show: 'Show top lists',
    times_in: (zone: string) => `Times: ${zone}`,
    histogram: 'Events over time. Drag to choose a span.', histogram_keys: 'Events over time. Arrow keys move, with Shift they choose a span, Enter shows it.', span_chosen: (from: string, to: string) => `Chosen: ${from} to ${to}`,
    bucket: (time: string, deny: number, monitor: number, allow: number) => `${time}: ${deny} blocked, ${monitor} would block, ${allow} below threshold`,
    list: 'Attack events, newest first', include: (v: string) => `Show only ${v}`, exclude: (v: string) => `Exclude ${v}`,
    empty: 'No events in this view', empty_filter: 'Nothing matches this filter in this time span.', empty_none: 'No attack has been recorded in this time span. When a gateway sends one, it appears here at once.',
    widen: 'Look at all times', remove_filter: 'Remove the filter', end_of_list: 'That is the oldest event in this view.',
    bad_query: 'The filter cannot be read.', unfinished: 'Go on:', offers: 'Suggestions', offers_keys: '↑ ↓ choose · Tab or Enter take · Esc close', complete_or: 'either side may hold', top_empty: 'Nothing yet', top_failed: 'Not read',
    column: {
      time: 'Time', action: 'Action', type: 'Attack', risk: 'Risk', src: 'Source', country: 'Country', province: 'Province', city: 'City', method: 'Method', host: 'Host', path: 'Path',
      location: 'Found in', payload: 'Matched', rule: 'Rule', site: 'Site', ua: 'User agent', node: 'Node', id: 'Event id', decode: 'Decoding', took: 'Judged in',
    } as Record<string, string>,
  },

  triage: {
    title: 'Triage', state: 'State', open: 'Open', closed: 'Closed', close: 'Close', reopen: 'Reopen', label: 'Label',
    labels: { '': 'No label', true_positive: 'True positive', false_positive: 'False positive' }, note: 'Note', pin: 'Pin', unpin: 'Unpin', pinned: 'Pinned: kept when the ring lets it go',
    select: 'Select this event', selected: (n: number) => `${count_text(n)} selected`, clear: 'Clear the selection',
  },
  groups: {
    shape: 'Shown as', shapes: { list: 'Events', attackers: 'Attackers', tuning: 'Tuning', pinned: 'Pinned' }, lead: { attackers: 'Events by source, rule and host', tuning: 'Events by rule, host, path and parameter' },
    parameter: 'Parameter', events: 'Events', sources: 'Sources', days: 'Days', other: 'Others', other_long: 'Other rules that found something in these events', last: 'Last', exception: 'Make an exception', more: (shown: number, all: number) => `The ${count_text(shown)} largest of ${count_text(all)} groups.`,
    no_pins: 'No pinned events', no_pins_text: 'A pinned event is copied to where it outlives the ring. Open an event and pin it.', pinned_by: 'Pinned by',
  },
  views: {
    title: 'Saved views', none: 'None yet. Save the filter, the time span and the grouping as they stand.', name: 'Name', share: 'For everybody', save: 'Save this view', shared_by: (owner: string) => `shared by ${owner}`, begin: 'Begin with this view',
  },
  query_field: {
    id: 'event id', type: 'kind of attack', risk: 'risk level', action: 'what happened', src: 'address, network or part with *', host: 'host of the request', path: 'path of the request',
    method: 'request method', param: 'parameter, header, cookie or file', location: 'where it was found', payload: 'part of the matched text', rule: 'rule id or number', module: 'module of the rule',
    site: 'protected application', country: 'country of the source', province: 'province of the source', city: 'city of the source', ua: 'part of the user agent', referer: 'part of the referer', session: 'session of the client', node: 'node that judged', status: 'status of the response', response_size: 'bytes of the response, >1000000 or <100', is: 'triage and pins',
  } as Record<string, string>,

  detail: {
    by_head: 'Only the head of this request was judged: there was no time for its body.',
    interrupted: 'Judging took longer than ingest.budget_ms and was broken off; what was found by then stands.',
    title: 'Event', previous: 'Newer event (k)', next: 'Older event (j)', copy_json: 'Copy JSON', copy_curl: 'Copy curl', copy_link: 'Copy link', copy_syslog: 'Copy syslog line', syslog_as: (name: string) => `As sent to ${name}`, syslog_default: 'With default settings', judge_again: 'Judge again',
    findings: 'What matched', show_mark: 'Show in the request', where: 'Where', through: 'Decoded through', plain: 'as sent', matched: 'Matched', excerpt: 'Around it', rule: 'Rule',
    request: 'Request', body: 'Body', fields: 'All 58 fields',
    not_found: 'This event is no longer in the ring.', reaches: (time: string) => `The ring reaches back to ${time}.`,
    same_source: 'Same source', same_rule: 'Same rule', same_host: 'Same host', cut: 'The body was cut before it was recorded or judged.', abandoned: 'The body was not judged.',
    not_located: 'The matched part could not be marked in the request (masked, cut or decoded further than shown).',
    in_the: (where: string) => `in the ${where}`,
    strict_from: (s: string) => `denied from sensitivity “${s}”`, only_recorded: 'only recorded', excepted: 'accepted by an exception', empty: 'empty', null: 'not reported',
    response: (status: string, bytes: string) => `The client got ${status}, ${bytes} bytes.`, response_unknown: 'a response',
  },

  help: {
    title: 'Keyboard and query help', keys: 'Keyboard', query: 'Query',
    rows: [
      ['j / k', 'next and previous event'], ['Enter', 'open the event'], ['Esc', 'close the event, the dialog or the field'], ['/', 'go to the filter'],
      ['e', 'make an exception from the open event'], ['x', 'select the event'], ['← → Shift Enter', 'in the histogram: move, choose a span, show it'], ['l', 'start or pause live'], ['g + e o t s', 'events, overview, try a request, settings'], ['?', 'this help'],
    ] as [string, string][],
    terms: [
      ['type:sqli,xss', 'one of two attack types'], ['risk:high', 'risk level: low, medium, high'], ['action:deny', 'deny, monitor or allow'],
      ['-src:10.0.0.0/8', 'not from this network'], ['host:shop.example', 'one host'], ['path:/login*', 'path beginning'],
      ['rule:m_sqli/…', 'one rule'], ['"union select"', 'free text in payload, path, query, host, user agent, referer and body'],
      ['is:open', 'by triage; also closed, true_positive, false_positive, pinned'], ['a or (b c)', 'terms are joined by AND; or and parentheses work'],
    ] as [string, string][],
    fields: 'Fields: id type risk action src host path method param location payload rule module site country province city ua referer session node status response_size is',
  },

  overview: {
    title: 'Overview', requests: 'Requests', requests_today: 'Requests today (UTC)', rates: (requests: string, events: string) => `${requests}/s now, events ${events}/s`,
    day: 'last 24 hours', inspected: 'Inspected', inspected_of: (s: string) => `of ${s}`, judged_in: 'Time to judge, median', slowest: (p99: string, p999: string) => `99 %: ${p99} · 99.9 %: ${p999}`, rules_loaded: 'Rules loaded', top_host: 'Top hosts', top_country: 'Top countries', no_country: 'No source-location database is set (Settings, System).',
    listeners: 'Listeners', listener: 'Listener', address: 'Address', enforcing: 'Enforcing', connections: 'Connections', last_request: 'Last request', refused: 'Refused',
    silent: 'Silent: has a gateway stopped calling?', never_called: 'No request yet', watching: 'Watching only', active: 'Receiving',
    targets: 'Syslog targets', target: 'Target', state: 'State', lag: 'Waiting', sent: 'Sent', acknowledged: 'Acknowledged', lost: 'Lost', last_error: 'Last error', no_targets: 'No target yet. Events stay in the ring and on this page.', add_target: 'Add a syslog target',
    ring: 'Ring', ring_fill: (used: string, size: string) => `${used} of ${size}`, ring_reach: 'Reaches back', ring_reach_rate: (d: string) => `about ${d} at the present rate`, ring_empty: 'empty', ring_refused: 'Could not be stored', ring_events: 'Events kept',
    console: 'Console', fingerprint: 'Certificate fingerprint (SHA-256)', version: 'Version', node: 'Node', streams: 'Live tails', sessions: 'Sessions', settings_version: 'Settings version', not_ready: 'Not ready',
    top_src: 'Top sources', top_rule: 'Top rules', top_path: 'Top paths', top_type: 'Attacks', ring_refused_bad: (n: number) => `${events(n)} could not be stored in the ring.`,
    notes: 'Notes',
  },

  target_state: { disabled: 'Disabled', resolving: 'Resolving', connecting: 'Connecting', up: 'Connected', unread: 'Connected, not acknowledging', up_udp: 'Sending (UDP, unconfirmed)', waiting: 'Waiting to retry', unknown: 'Not known yet' } as Record<string, string>,

  settings: {
    title: 'System settings', sections: 'Sections',
    section: { syslog: 'Syslog', sites: 'Sites', exceptions: 'Exceptions', lists: 'Allow and deny lists', rules: 'Rules', users: 'Users', tokens: 'API tokens', audit: 'Audit log', history: 'History', system: 'System' } as Record<string, string>,
    of_file: 'These settings come from the file', of_file_how: 'They are shown here and changed there; wafd takes a new file over by itself.',
    conflict: 'Someone else changed this meanwhile. Copy what you need, reload and try again.', no_admin: 'Only administrators see this.',
  },

  syslog: {
    lead: 'Events are forwarded to these receivers, each as one syslog message: every event, or those that a target’s filter takes. Host and port are all a target needs.', all_events: 'every event',
    add: 'Add target', new: 'New syslog target', edit: (name: string) => `Syslog target: ${name}`, empty: 'No syslog target yet', empty_text: 'Add your SIEM or log server; events are sent from then on.',
    name: 'Name', name_hint: 'Empty: host and port', enabled: 'Enabled', enabled_hint: 'A disabled target keeps its place and resumes there.', host: 'Host', host_hint: 'Name, IPv4 or IPv6 address', transport: 'Transport', port: 'Port',
    transports: { udp: 'UDP', tcp: 'TCP', tls: 'TLS', relp: 'RELP', kafka: 'Kafka' } as Record<string, string>,
    transport_hint: {
      udp: 'Simple and unconfirmed: nobody can tell whether a datagram arrived.', tcp: 'Ordered; lost messages are sent again after a break.',
      tls: 'As TCP, encrypted and authenticated.', relp: 'Acknowledged by the receiver itself.', kafka: 'A topic of an event bus.',
    } as Record<string, string>,
    advanced: 'Format and limits', header: 'Header', headers: { rfc5424: 'RFC 5424', rfc3164: 'RFC 3164 (BSD)' } as Record<string, string>,
    content: 'Content', contents: { json: 'JSON (58 fields)', cef: 'CEF', leef: 'LEEF 2.0', ecs: 'Elastic Common Schema' } as Record<string, string>,
    framing: 'Framing', framings: { octet_counting: 'Byte counting', lf: 'Line feed' } as Record<string, string>,
    framing_hint: 'How TCP messages are told apart: by a length before each (rsyslog and syslog-ng read both), or by a line end (Logstash, Graylog CEF, Wazuh).', framing_none: 'Only for TCP; the other transports keep messages apart themselves.',
    facility: 'Facility', severity: 'Severity', by_risk: 'By risk: high 2, medium 4, low 5', app_name: 'App name', hostname: 'Hostname', hostname_hint: 'Empty: the name of this node',
    filter: 'Filter', filter_hint: 'In the language of the event list. Empty: every event.', streams: 'Streams', stream: { event: 'Attack events', audit: 'Audit log', health: 'Sign of life every 5 minutes' } as Record<string, string>,
    request_detail: 'Request text', request_details: { full: 'Head and body', headers: 'Head only', none: 'Leave out' } as Record<string, string>, request_detail_hint: 'What is left out is sent as an empty field.',
    max: 'Largest message, bytes', max_hint: '2,048 or more for JSON. Fields are cut in a fixed order to fit.', rate: 'Rate limit, messages a second', rate_hint: '0: none. It delays, it never drops.', report_wait: 'Wait for the response report, ms', report_wait_hint: '0: sent at once. Else events whose gateway reports the response wait that long for it, at most 60,000.', source_address: 'Source address', source_hint: 'Empty: chosen by the system', precision: 'Time precision', precisions: { '3': 'Milliseconds', '6': 'Microseconds' } as Record<string, string>,
    bom: 'Byte order mark before the message', bom_hint: 'RFC 5424 asks for it; it breaks most JSON receivers.', sequence_id: 'Sequence number in structured data', sequence_hint: 'Lets a receiver prove a loss.',
    preset: 'Receiver', preset_none: 'Any other', preset_hint: 'Choosing a product sets transport, port, header, content and framing as it needs them.',
    tls: 'Encryption', tls_on: 'Encrypt with TLS', tls_verify: 'Verify the receiver’s certificate', tls_verify_hint: 'By the CA and the name below.', tls_unverified: 'Anybody on the way can pose as the receiver and read every event.', tls_pinned: 'Only the fingerprint below is compared.',
    tls_ca: 'CA certificates', tls_ca_hint: 'PEM text, or file:/PATH on this node. Empty: those of the system.', tls_name: 'Server name', tls_name_hint: 'Empty: the host', tls_min: 'Minimum version',
    tls_fingerprint: 'Certificate fingerprint (SHA-256)', tls_fingerprint_hint: 'If given, only a receiver with exactly this certificate is believed.',
    tls_client: 'Client certificate', tls_certificate: 'Certificate', tls_key: 'Private key', tls_pem_hint: 'PEM text, or file:/PATH on this node.', tls_key_hint: 'PEM text, or file:/PATH on this node. It is never shown again.', secret_kept: 'One is stored. Empty: it stays, unless receiver or encryption change: then it is asked for again.',
    kafka_topic: 'Topic', kafka_compression: 'Compression', kafka_uncompressed: 'None', sasl: 'Login (SASL)', sasl_none: 'None', sasl_username: 'User name', sasl_password: 'Password',
    backups: 'Backup receivers', backups_label: 'Backup receivers, in this order', backups_hint: 'One HOST or HOST:PORT a line. Used while the ones before do not answer.', brokers: 'Further brokers', brokers_label: 'Further brokers', brokers_hint: 'One HOST or HOST:PORT a line. The cluster is found over any of them.',
    trust: 'Trust this certificate', trust_text: 'The receiver’s certificate is not verified. If the fingerprint is the one that the receiver’s owner tells you, trust it instead of a CA.',
    preview: 'Preview', preview_latest: 'The latest event as it would be sent', preview_invented: 'An invented event as it would be sent', preview_stale: 'As before the last change:',
    preview_size: (n: number) => `${count_text(n)} bytes`, preview_fragments: 'More than 1,472 bytes: on UDP the datagram will be fragmented, and many firewalls drop fragments. Use TCP.', preview_cut: 'Longer than the largest message: fields are cut to fit, and the flags of cut texts are set.',
    test: 'Test connection', test_sample: 'Send a sample event', test_lead: 'Tests the form as it stands, saved or not.', testing: 'Testing, at most 8 seconds',
    stage: { resolve: 'Resolve', connect: 'Connect', tls: 'TLS', write: 'Write', after: 'Afterwards' } as Record<string, string>,
    verdict: { acknowledged: 'Acknowledged by the receiver', accepted: 'Accepted by the next hop’s TCP', sent: 'Sent; UDP cannot confirm delivery', closed: 'Port closed', ended: 'Closed by the receiver', failed: 'Failed' } as Record<string, string>,
    stage_detail: {
      addresses: 'Addresses', used: 'Used', local: 'From', peer: 'To', version: 'Version', cipher: 'Cipher', verified: 'Believed', subject: 'Certificate of', issuer: 'Issued by', names: 'Names', not_after: 'Valid until',
      fingerprint_sha256: 'Fingerprint (SHA-256)', framing: 'Framing', octets: 'Bytes', event_id: 'Event id', open: 'Still open', how: 'Ended by', icmp: 'ICMP answer', unacknowledged_octets: 'Bytes not acknowledged', acknowledged: 'Acknowledged', topic: 'Topic', partition: 'Partition', offset: 'Offset',
    } as Record<string, string>,
    test_message: 'Bytes sent', test_unsent: 'Bytes that would have been sent', test_search: 'Search your SIEM for this event id', stage_ms: (ms: number) => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`, test_stale: 'The form has changed since this test.',
    snippets: 'Receiver configuration', snippets_for: 'To paste on the receiver', snippets_none: 'Choose a product', snippets_port: (there: string, here: string) => `The snippet listens on port ${there || 'of its own'}, this target sends to ${here || 'none'}.`, snippets_tls: 'The snippet is for an unencrypted connection; give its input the receiver’s certificate.', delete_title: 'Remove this target?', delete_text: (name: string) => `“${name}” gets no further events, and its place in the ring is forgotten.`, udp_lost: (n: number) => `${events(n)} lost: overtaken by the ring before they were sent`,
    put_aside: 'Put aside', audit_lost: 'Audit lines lost', unacknowledged: 'Not acknowledged yet', resent: 'Sent again', truncated: 'Cut to fit', errors: 'Errors', reconnects: 'Reconnects', last_sent: 'Last sent', connected_to: 'Connected to', saved: 'Saved. It takes effect at once.',
  },

  sites: {
    lead: 'A site is a protected application. Requests whose host belongs to no site use the default site.', name: 'Name', hosts: 'Hosts', hosts_hint: 'One a line; *.shop.example covers its subdomains', url: 'Address', mode: 'Mode', sensitivity: 'Sensitivity', add: 'Add site', new: 'New site', default_hosts: 'every other host',
    modes: { block: 'Block', monitor: 'Monitor', off: 'Off' } as Record<string, string>, mode_hint: { block: 'Attacks get the block answer.', monitor: 'Attacks are recorded and pass.', off: 'Nothing is judged.' } as Record<string, string>,
    sensitivities: { low: 'Low', balanced: 'Balanced', strict: 'Strict' } as Record<string, string>, sensitivity_hint: 'Strict denies everything that balanced denies, balanced everything that low denies.',
    oversize: 'Did not come whole', oversize_hint: 'A body beyond what is taken in, or one that the gateway does not hand over. What came is judged.', limit: 'Not judged whole', limit_hint: 'A limit of judging was reached, or the coding or character set is not known.', limit_passes: 'Such requests pass: an attack can hide behind what reaches a limit. Ordinary requests are far from all of them; “Block” is what new sites do.', on_limits: { pass: 'Pass', monitor: 'Monitor', block: 'Block' } as Record<string, string>, session_cookie: 'Session cookie', session_hint: 'Its value becomes the field “session” of events.', block: 'Block answer', block_hint: 'What a blocked client gets. Over T1K the gateway makes the body and takes the status from here.', block_status: 'Status', block_status_hint: 'nginx auth_request passes on 401 and 403 alone.', block_body: 'Body', block_body_hint: 'Empty: the usual JSON. {event_id} stands for the id that support can search for. Text that begins with < is sent as HTML.', delete_title: 'Remove this site?', delete_text: 'Its hosts fall to the default site.',
    today: 'Today (UTC)', today_counts: (requests: string, stopped: string) => `${requests} requests${stopped ? `, ${stopped}` : ''}`, denied: (n: string) => `${n} denied`, would_be_denied: (n: string) => `${n} would have been denied`, by_type: 'Sensitivity by kind of attack', by_type_hint: 'What is not named here follows the sensitivity above.', by_type_add: 'Add a kind of attack', by_type_remove: (type: string) => `Remove ${type}`, by_type_count: (n: number) => (n === 1 ? 'one kind of attack otherwise' : `${n} kinds of attack otherwise`), would: (n: string) => `strict would have denied ${n} yesterday`,
    unknown: 'Hosts without a site', unknown_lead: 'Requests asked for these hosts, and the default site took them.', seen: 'Last seen', count: 'Requests', adopt: 'Adopt', unknown_more: (n: string) => `${n} more requests named no host that a site could have.`,
    mask: 'Masking', mask_cards: 'Mask card numbers', mask_parameters: 'Further parameters to mask', mask_headers: 'Further headers to mask', mask_cookies: 'Cookies to mask', mask_hint: 'One a line. Passwords and Authorization are always masked.',
  },
  exceptions: { lead: 'An exception accepts what would match. The more it names, the less it opens.', add: 'Add exception', new: 'New exception', host: 'Host', path: 'Path', location: 'Found in', any: 'anywhere', name: 'Parameter', rule: 'Rule id', type: 'Attack type', any_type: 'any', comment: 'Comment', expires: 'Expires', author: 'By', enabled: 'Enabled', empty: 'No exceptions', needs: 'At least one of host, path, place, parameter, rule or type is needed.', from_event: 'This is legitimate',
    narrow: 'As narrow as the event allows. The more it names, the less it opens.', any_host: 'any host', any_path: 'any path', any_name: 'any parameter', what: 'What it accepts', this_rule: 'This rule', all_of: (type: string) => `All ${type}`,
    anything: 'Any attack', anything_hint: 'Whatever is found there is accepted.', why: 'Why this is legitimate', at_once: 'Applies at once.', allow: 'Accept from now on', made: 'The exception applies now.',
  },
  documents: {
    from_event: 'This field holds documents', fields: 'Fields that hold documents', field: 'Name of the field', field_hint: '* is any text without a dot, items[*].text every index.', fields_hint: 'One a line. * is any text without a dot, items[*].text every index.', site: 'Site:',
    what: 'Texts about programs look like attacks. In these fields of a body what is found is recorded and not denied, but for signatures of products.',
    recorded: 'only recorded, the field holds documents', made: 'What is found in this field is recorded from now on, not denied.', no_site: 'The site is gone.',
  },
  exception_preview: {
    title: 'What it would change', would_pass: 'would pass', still_denied: 'still denied by another finding', unknown: 'unknown',
    event: { passes: 'This event would pass.', denied: 'This event would still be denied by another finding.', unknown: 'Whether this event would pass cannot be known.', untouched: 'It does not touch this event.', gone: 'This event is no longer in the ring.' } as Record<string, string>,
    of: (n: string, since: string, complete: boolean) => `Of ${n} stored events that were blocked or would be${since ? `, since ${since}` : ''}${complete ? '' : '; older ones were not looked at'}.`,
    attackers: (n: number) => `${n === 1 ? 'One source' : `${count_text(n)} sources`} whose events would pass ${n === 1 ? 'does' : 'do'} other things that are stopped: look before you accept.`,
    others: (n: number) => (n === 1 ? 'One other source would pass' : `${count_text(n)} other sources would pass`), source_pass: (n: number) => `${count_text(n)} would pass`, source_other: (n: number) => `${count_text(n)} other stopped`, no_others: 'No other source is concerned.',
  },
  hits: { title: 'Hits', none: 'none yet', stale: 'no hit for 90 days', last: (time: string) => `last ${time}` },
  lists: { lead: 'Allowed addresses are not judged; denied ones are blocked before anything else.', add: 'Add entry', kind: 'List', kinds: { allow: 'Allow', deny: 'Deny' } as Record<string, string>, cidr: 'Address or network', comment: 'Comment', expires: 'Expires', empty: 'No entries', new: 'New entry', edit: (cidr: string) => `Entry ${cidr}` },
  expiry: { label: 'Expires', never: 'Never', hour: 'In an hour', day: 'In a day', week: 'In a week', month: 'In 30 days', year: 'In a year', keep: (time: string) => `On ${time}`, over: (time: string) => `expired ${time}` },
  rules: { lead: 'What the engine looks for. The number is what receivers find in req_skynet_rule_id_list.', search: 'Search rules', name: 'Name', type: 'Attack', risk: 'Risk', number: 'Number', id: 'Rule id', empty: 'No rule matches',
    add: 'Add rules', new: 'New signature rules', change: (name: string) => `Rule: ${name}`, file: 'Choose a file …', text: 'Rules (JSON)', text_hint: 'One rule, or a rule file with {"rules": […]}. Mistakes are said with their line.', enabled: 'In force',
    own: 'Rules of your own', built_in: 'Built-in rules', soon: 'Changes of rules are in force within a few seconds.', on: 'Switch on', off: 'Switch off', is_off: 'off', off_comment: (name: string) => `Rule switched off: ${name}`, delete_title: 'Remove this rule?',
  },
  users: { lead: 'Viewers read; operators also handle exceptions, rules and lists; administrators do everything.', add: 'Add user', new: 'New user', username: 'User name', role: 'Role', password: 'Password', new_password: 'New password (empty: keep)', created: 'Created', last_login: 'Last login', delete_title: 'Remove this user?', edit: (name: string) => `User ${name}` },
  tokens: { lead: 'For scripts: “Authorization: Bearer …”. Only a digest is stored.', add: 'Create token', new: 'New API token', name: 'Name', scope: 'Scope', scopes: { read: 'Read', write: 'Write', admin: 'Admin' } as Record<string, string>, created: 'Created', by: 'By', expires: 'Expires', last_used: 'Last used', once: 'Copy it now: it is shown this once.', delete_title: 'Revoke this token?', revoke: 'Revoke', empty: 'No API tokens' },
  node: {
    title: 'This node', as_configured: (value: string) => `As the configuration has it: ${value}`, set_here: '(set here)', configured: '(as configured)', loopback: 'loopback', none: 'none',
    time_zone: 'Time zone', time_zone_label: 'Name of the time zone', time_zone_hint: 'Such as Europe/Lisbon. For times in events and syslog messages, and for those of this page.',
    trusted_proxies: 'Trusted proxies', trusted_proxies_label: 'Addresses and networks', trusted_proxies_hint: 'One a line, such as 10.0.0.0/8. X-Forwarded-For and X-Real-IP are believed from these alone. Empty: from loopback.',
    geoip_database: 'Source locations', geoip_database_label: 'Database file', geoip_database_hint: 'Path of a MaxMind DB file on this node (City or Country). Empty: none.',
  },
  system: {
    lead: 'What holds for the whole node, the console’s certificate, and what the configuration file decides.',
    places: 'Source locations', no_places: 'No database: events have no country, province and city.', file: 'File', database: 'Database', built: 'Made', places_how: 'A new file is taken over without a restart. To install a free one:',
    certificate: 'Certificate of the console', subject: 'Subject', issuer: 'Issuer', names: 'Names', valid: 'Valid', span: (from: string, to: string) => `${from} to ${to}`, fingerprint: 'SHA-256',
    sources: { self_signed: 'Self-signed: browsers warn of it. Compare the fingerprint with the one that wafd prints when it starts, or upload a certificate.', uploaded: 'Uploaded', file: 'Read from the files that console.certificate and console.key name; a new one is taken over on “systemctl reload wafd”.' } as Record<string, string>,
    ended: 'This certificate has ended: browsers refuse it.', ends: (days: number) => (days === 1 ? 'This certificate ends within a day.' : `This certificate ends in ${days} days.`),
    upload: 'Upload certificate', upload_title: 'Certificate of the console', upload_lead: 'New connections use it at once, those that are open keep the present one.', pem: 'Certificate', pem_hint: 'PEM: the certificate of this console first, then those between it and its authority.', key: 'Private key', key_hint: 'PEM, without a pass phrase. It is never shown again.', choose: 'Choose a file …',
    self_signed: 'Back to self-signed', self_signed_title: 'Remove the uploaded certificate?', self_signed_text: 'New connections use the self-signed one again, and browsers warn of it.',
    config: 'Configuration', config_how: 'Changed in /etc/wafd/wafd.json or on the command line, in force after a restart. What differs from its default is marked.', search: 'Search keys', columns: ['Key', 'Value', 'Meaning'], of_default: 'default', empty: '(empty)', no_key: 'No key matches',
  },
  history: {
    lead: 'Every change of syslog targets, sites, exceptions, lists, rules and this node’s settings is kept as a version, the newest 20. Going back to one makes a new version of it.',
    version: 'Version', changes: 'What it changed', in_use: 'in use', restore: 'Go back to this', restore_title: (n: number) => `Go back to version ${n}?`, restored: 'Done. It takes effect at once.', first: 'first start',
    same: 'It says the same as the settings in use.', empty: 'No change has been made yet', more: (n: number) => `and ${count_text(n)} more`, nothing: '(empty)',
    kinds: { added: 'Added', removed: 'Removed', changed: 'Changed' } as Record<string, string>,
    one: { system: 'this node’s settings', targets: 'syslog target', sites: 'site', exceptions: 'exception', lists: 'list entry', rules: 'rule' } as Record<string, string>,
  },
  audit: { lead: 'Every change, who made it and from where.', time: 'Time', user: 'User', via: 'Via', address: 'Address', action: 'Action', object: 'Object', detail: 'Detail', empty: 'Nothing yet' },
  account: { title: 'Account', password: 'Change password', current: 'Current password', next: 'New password', change: 'Change password', changed: 'Changed. Other sessions of yours have ended.', sessions: 'Sessions', this_one: 'this session', end: 'End', address: 'Address', agent: 'Browser', last_used: 'Last used', expires: 'Expires', user: 'User' },
  try_it: { title: 'Try a request', taken: (id: string) => `From event ${id}`, incomplete: 'This event was recorded masked or cut. Where the missing part matters, the verdict here says nothing about the request as it came.', lead: 'Paste an HTTP request. It is judged here and now, and recorded nowhere.', request: 'HTTP request', sensitivity: 'Sensitivity', site_default: 'As the site', run: 'Judge', took: (us: string) => `judged in ${us} µs`, inspected: (a: string, b: string) => `${a} of ${b} inspected`, pass: 'Nothing found', pass_text: 'This request would pass.', unknown: 'Unknown', unknown_text: 'Nothing was found in what was recorded. Whether the request as it came would pass cannot be said.', draft: 'With a draft', draft_hint: 'Judged again as if this were in force.', draft_rule: 'Draft rule (JSON, as in a rule file)', draft_path: 'Draft exception: path', draft_name: 'Draft exception: parameter', with_draft: 'With the draft', excepted: 'accepted by an exception' },
} as const;

export function attack_words(type: string): string {
  return t.attack[type] ?? type;
}
