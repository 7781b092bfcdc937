// The rows of console/base/status_tables.cc as types; tests/console/status_schema_test.cc has the two equal.

export interface EngineStatus {
  rules: number;  // Rules in use.
  requests: number;  // Requests judged.
  denied: number;  // Requests denied.
  monitored: number;  // Requests that would have been denied.
  allowed_recorded: number;  // Requests recorded below the threshold.
  ring_refused: number;  // Events that the ring could not take.
  total_octets: number;  // Bytes of requests. [bytes]
  inspected_octets: number;  // Bytes of requests that were inspected. [bytes]
  bodies_truncated: number;  // Requests of whose body a part lay beyond the limits and was not inspected.
  bodies_abandoned: number;  // Requests whose body was not inspected.
  limits_reached: number;  // Requests in which a limit of fields, depth or decodings left something out.
  interrupted: number;  // Requests whose judging was broken off after ingest.budget_ms.
  judged_by_head: number;  // Requests of which the head alone was judged, because there was no time for the body.
  overload_passed: number;  // Of those, requests that were passed by ingest.on_overload.
  overload_blocked: number;  // Of those, requests that were blocked by ingest.on_overload.
  plugin_skipped: number;  // Requests that gateways passed without asking, as they told.
  waiting: number;  // Requests that wait for their turn to be judged.
  given_up: number;  // Requests that waited and were not judged: their gateway went first.
  reports: number;  // Response reports of gateways.
  reports_unmatched: number;  // Response reports that belong to no event in the ring.
  plugin_unjudged: number;  // Requests that gateways passed because asking failed, as they told.
  detect_us: number;  // Time spent judging. [microseconds]
  detect_us_p50: number;  // Half of all requests took no longer to judge. [microseconds]
  detect_us_p99: number;  // 99 in 100 requests took no longer to judge. [microseconds]
  detect_us_p999: number;  // 999 in 1000 requests took no longer to judge. [microseconds]
}

export interface RingStatus {
  size_octets: number;  // Size of the ring. [bytes]
  used_octets: number;  // Bytes of the ring in use. [bytes]
  oldest_seq: number;  // Sequence of the oldest event held. [sequence]
  end_seq: number;  // Sequence that the next event gets. [sequence]
  oldest_ms: number | null;  // Unix time in ms of the oldest event held; null if there is none. [unix_ms]
  reach_ms: number | null;  // How far back a full ring will reach, at the rate so far. [milliseconds]
  refused: number;  // Events that the ring could not take.
  recovery: string;  // How the ring was found at the start.
}

export interface ListenerStatus {
  name: string;  // Which listener it is.
  address: string;  // Where it listens.
  enforcing: boolean;  // Whether its gateways act on the answers.
  connections: number;  // Open connections of a listener.
  requests: number;  // Requests of a listener.
  bodies_seen: number;  // Requests of a listener that came with a body.
  bodies_missing: number;  // Requests of a listener that had a body which was not handed over.
  last_request_ms: number | null;  // Unix time of the last request of a listener. [unix_ms]
  refused: Record<string, number>;  // Refused input by reason.
}

export interface SiteDayCounts {
  requests: number;  // Requests of a site since midnight UTC.
  denied: number;  // Requests of a site denied since midnight UTC.
  monitored: number;  // Requests of a site that would have been denied.
  uninspected: number;  // Requests of a site not inspected in full.
  bodies_seen: number;  // Requests of a site that came with a body.
  bodies_missing: number;  // Requests of a site that had a body which was not handed over.
}

export interface TargetCounts {
  state: string;  // The state that a target is in.
  connected_to: string;  // Address and port of the receiver; empty if there is no connection.
  cursor: number;  // Sequence of the next event to be settled. [sequence]
  lag_events: number;  // Events not yet sent to a target.
  lag_ms: number;  // Age of the oldest event not yet sent. [milliseconds]
  unacknowledged: number;  // Messages written to a target and not acknowledged.
  unacknowledged_ms: number;  // How long the oldest of them has waited. [milliseconds]
  sent: number;  // Messages sent to a target.
  acknowledged: number;  // Messages acknowledged by a target.
  resent: number;  // Messages sent again to a target.
  truncated: number;  // Messages cut to a target's largest size.
  filtered: number;  // Events that a target's filter left out.
  put_aside: number;  // Messages that a target rejected.
  lost: number;  // Events overtaken by the ring before they were sent.
  lost_ranges: [number, number][];  // First and last sequence of what was lost, the newest 16 ranges.
  audit_lost: number;  // Audit lines beyond those that may wait.
  octets: number;  // Bytes sent to a target. [bytes]
  reconnects: number;  // Connections made again.
  errors: number;  // Errors of a target.
  last_error: string;  // Empty: there was none.
  last_error_ms: number;  // Unix time of a target's last error. [unix_ms]
  last_sent_ms: number;  // Unix time of the last message sent to a target. [unix_ms]
}

export interface ConsoleStatus {
  address: string;  // Where the console listens.
  connections: number;  // Open connections of the console.
  streams: number;  // Live tails and exports under way.
  fingerprint_sha256: string;  // Of its certificate.
  refused: Record<string, number>;  // Refused connections and requests by reason.
}
