import type { Hits } from '../api/types';
import { count_text, time_text } from '../lib/format';
import { say, t } from '../text';

const stale_ms = 90 * 86_400_000;

// How often something had to do with a request, and when it did last.
export function HitsCell({ hits, now = Date.now() }: { hits: Hits | undefined; now?: number }) {
  if (!hits || hits.count === 0 || hits.last_s === null) return <span class="muted nowrap">{t.hits.none}</span>;
  const last_ms = hits.last_s * 1000;
  return (
    <span title={say(t.hits.last, { time: time_text(last_ms) })}>
      {count_text(hits.count)}{now - last_ms > stale_ms && <span class="muted"> · {t.hits.stale}</span>}
    </span>
  );
}
