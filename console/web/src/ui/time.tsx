import { duration_text, full_time_text, time_text } from '../lib/format';
import { say, t } from '../text';

export function Time({ ms }: { ms: number }) {
  return <time dateTime={new Date(ms).toISOString()} title={full_time_text(ms)}>{time_text(ms)}</time>;
}

// "12 s ago", or the word for never.
export function Ago({ ms, now }: { ms: number | null | undefined; now: number }) {
  if (!ms) return <span class="muted">{t.common.never}</span>;
  return <time dateTime={new Date(ms).toISOString()} title={full_time_text(ms)}>{now - ms < 1000 ? t.common.just_now : say(t.common.ago, { duration: duration_text(now - ms) })}</time>;
}
