// How a stored target fares right now.
import type { TargetStatus, Transport } from '../../../api/types';
import { count_text, duration_text, size_text } from '../../../lib/format';
import { target_state } from '../../../lib/target_words';
import { say, t } from '../../../text';
import { Dot } from '../../../ui/badge';
import { Hostile } from '../../../ui/hostile';
import { Card, Notice } from '../../../ui/panel';
import { Ago } from '../../../ui/time';

export function TargetStatusCard({ status, transport, enabled }: { status: TargetStatus; transport: Transport; enabled: boolean }) {
  const state = target_state(status, transport, enabled);
  const now = Date.now();
  const rows: [string, string][] = [
    [t.overview.lag, status.lag_events > 0 ? `${count_text(status.lag_events)} · ${duration_text(status.lag_ms)}` : '0'],
    [t.overview.sent, `${count_text(status.sent)} · ${size_text(status.octets)}`],
    ...(transport === 'udp' ? [] : [
      [t.overview.acknowledged, count_text(status.acknowledged)] as [string, string],
      ...(status.unacknowledged > 0 ? [[t.syslog.unacknowledged, `${count_text(status.unacknowledged)} · ${duration_text(status.unacknowledged_ms)}`] as [string, string]] : []),
    ]),
    [t.syslog.resent, count_text(status.resent)],
    [t.syslog.truncated, count_text(status.truncated)],
    [t.syslog.put_aside, count_text(status.put_aside)],
    [t.overview.lost, count_text(status.lost)],
    ...(status.audit_lost > 0 ? [[t.syslog.audit_lost, count_text(status.audit_lost)] as [string, string]] : []),
    [t.syslog.reconnects, count_text(status.reconnects)],
    [t.syslog.errors, count_text(status.errors)],
  ];
  return (
    <Card title={t.overview.state} aside={<Dot tone={state.tone} text={t.target_state[state.key] ?? state.key} />} testid="target-status">
      {status.lost > 0 && <Notice tone="bad">{say(t.syslog.udp_lost, { n: status.lost })}</Notice>}
      <dl class="pairs compact">
        {status.connected_to && <div><dt>{t.syslog.connected_to}</dt><dd class="mono">{status.connected_to}</dd></div>}
        {rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd class="num">{value}</dd></div>)}
        <div><dt>{t.syslog.last_sent}</dt><dd><Ago ms={status.last_sent_ms} now={now} /></dd></div>
        {status.last_error && <div><dt>{t.overview.last_error}</dt><dd><Hostile text={status.last_error} /> <span class="muted"><Ago ms={status.last_error_ms} now={now} /></span></dd></div>}
      </dl>
    </Card>
  );
}
