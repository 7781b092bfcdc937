// One message as it would be sent, from the latest event or an invented one.
import { useMemo } from 'preact/hooks';
import { events_api } from '../../../api/events';
import { sample_record } from '../../../lib/sample_record';
import { preview } from '../../../lib/syslog_preview';
import { preview_target, type TargetDraft } from '../../../lib/target_form';
import { use_load } from '../../../state/load';
import { t } from '../../../text';
import { Hostile } from '../../../ui/hostile';
import { Card, Notice } from '../../../ui/panel';
import { event_time } from '../../events/rows';

const udp_unfragmented = 1472;

export function PreviewCard({ draft, node }: { draft: TargetDraft; node: string }) {
  const latest = use_load('latest', (signal) => events_api.page({ q: '' }, 1, null, signal));
  const opened_ms = useMemo(() => Date.now(), []);
  const real = latest.value?.events[0]?.record;
  const record = useMemo(() => real ?? sample_record(node, opened_ms), [real]);
  const target = preview_target(draft);
  const message = preview(target, record, node, event_time(record));
  return (
    <Card title={t.syslog.preview} testid="preview" aside={<span class="muted">{t.syslog.preview_lead}, {real ? t.syslog.preview_latest : t.syslog.preview_invented} · {t.syslog.preview_size(message.octets)}</span>}>
      {draft.transport === 'udp' && message.octets > udp_unfragmented && <Notice tone="warn" testid="fragment-warning">{t.syslog.preview_fragments}</Notice>}
      {message.octets > target.max_message_bytes && <Notice tone="info">{t.syslog.preview_cut(target.max_message_bytes)}</Notice>}
      <pre class="raw preview" tabIndex={0}><Hostile text={message.text} /></pre>
    </Card>
  );
}
