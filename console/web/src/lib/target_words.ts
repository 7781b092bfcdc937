// The state of a syslog target in words of honest strength.
import type { TargetStatus, Transport } from '../api/types';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

// An acknowledgement that is this late: the receiver does not read, though its connection stands.
const unread_ms = 10_000;

// UDP is never called connected: nobody can know.
export function target_state(status: TargetStatus | null | undefined, transport: Transport, enabled: boolean): { key: string; tone: Tone } {
  if (!enabled) return { key: 'disabled', tone: 'quiet' };
  if (!status) return { key: 'unknown', tone: 'quiet' };
  if (status.state === 'up' && status.unacknowledged_ms >= unread_ms) return { key: 'unread', tone: 'warn' };
  if (status.state === 'up') return transport === 'udp' ? { key: 'up_udp', tone: 'quiet' } : { key: 'up', tone: 'good' };
  if (status.state === 'waiting') return { key: 'waiting', tone: 'bad' };
  if (status.state === 'disabled') return { key: 'disabled', tone: 'quiet' };
  return { key: status.state, tone: 'warn' };
}
