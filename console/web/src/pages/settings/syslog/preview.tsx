// One message as it would be sent: made by the server, from the latest event or an invented one.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, is_abort } from '../../../api/client';
import { targets_api } from '../../../api/settings';
import type { MessagePreview, Transport } from '../../../api/types';
import { say, t } from '../../../text';
import { Hostile } from '../../../ui/hostile';
import { Card, error_text, Notice } from '../../../ui/panel';

const udp_unfragmented = 1472;
const wait_ms = 200;  // after the last key

interface State {
  made?: MessagePreview;
  error?: unknown;
}

function use_preview(object: Record<string, unknown>, id: string | undefined): State {
  const [state, set_state] = useState<State>({});
  const body = JSON.stringify({ ...object, host: object['host'] || 'receiver.invalid', ...(id ? { id } : {}) });
  const first = useRef(true);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      targets_api.preview(JSON.parse(body) as Record<string, unknown>, abort.signal).then(
        (made) => set_state({ made }),
        (error: unknown) => { if (!is_abort(error)) set_state((s) => ({ ...s, error })); },
      );
    }, first.current ? 0 : wait_ms);
    first.current = false;
    return () => { clearTimeout(timer); abort.abort(); };
  }, [body]);
  return state;
}

export function PreviewCard({ object, id, transport }: { object: Record<string, unknown>; id: string | undefined; transport: Transport }) {
  const { made, error } = use_preview(object, id);
  const stale = error instanceof ApiError && error.problem.status === 422;
  return (
    <Card title={t.syslog.preview} testid="preview" aside={made && <span class="muted" data-testid="preview-about">{made.source === 'invented' ? t.syslog.preview_invented : t.syslog.preview_latest} · {say(t.syslog.preview_size, { n: made.octets })}</span>}>
      {error !== undefined && <p class="hint warn-text" role="status" data-testid="preview-stale">{stale ? `${t.syslog.preview_stale} ` : ''}{error_text(error)}</p>}
      {made && transport === 'udp' && made.octets > udp_unfragmented && <Notice tone="warn" testid="fragment-warning">{t.syslog.preview_fragments}</Notice>}
      {made?.truncated && <Notice tone="info" testid="preview-cut">{t.syslog.preview_cut}</Notice>}
      <pre role="region" class={`raw preview${stale ? ' stale' : ''}`} tabIndex={0} aria-label={t.syslog.preview} data-testid="preview-text"><Hostile text={made?.message ?? ''} /></pre>
    </Card>
  );
}
