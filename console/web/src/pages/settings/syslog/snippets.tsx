// Configuration of receivers, to copy.
import { useState } from 'preact/hooks';
import { snippets } from '../../../lib/snippets';
import { preview_target, type TargetDraft } from '../../../lib/target_form';
import { t } from '../../../text';
import { CopyButton } from '../../../ui/button';
import { Segments } from '../../../ui/field';
import { Card } from '../../../ui/panel';

export function SnippetsCard({ draft }: { draft: TargetDraft }) {
  const list = snippets(preview_target(draft));
  const [product, choose] = useState(list[0]?.product ?? '');
  const shown = list.find((s) => s.product === product);
  return (
    <Card title={t.syslog.snippets} testid="snippets" aside={shown && <CopyButton label={t.common.copy} text={() => shown.text} />}>
      <p class="lead">{t.syslog.snippets_lead}</p>
      <Segments label={t.syslog.snippets} value={product} onChange={choose} options={list.map((s) => [s.product, s.product] as const)} />
      {shown?.note && <p class="hint warn-text">{shown.note}</p>}
      <pre class="raw" tabIndex={0}>{shown?.text}</pre>
    </Card>
  );
}
