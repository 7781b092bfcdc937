// What to paste on the receiver: the files that come with wafd, each for the settings of its preset.
import { useEffect, useState } from 'preact/hooks';
import { targets_api } from '../../../api/settings';
import type { Preset } from '../../../api/types';
import { use_load } from '../../../state/load';
import { say, t } from '../../../text';
import { CopyButton } from '../../../ui/button';
import { SelectField } from '../../../ui/field';
import { Card, ErrorNotice } from '../../../ui/panel';

function Files({ id }: { id: string }) {
  const preset = use_load(id, (signal) => targets_api.preset(id, signal));
  if (preset.error !== undefined) return <ErrorNotice error={preset.error} retry={preset.reload} />;
  if (preset.value?.id !== id) return null;
  return (
    <>
      {preset.value.snippets?.map((file) => (
        <details key={file.name} class="snippet" open={preset.value?.snippets?.[0] === file} data-testid="snippet">
          <summary>{file.name}</summary>
          <div class="snippet-copy"><CopyButton label={t.common.copy} text={() => file.text} /></div>
          <pre class="raw" tabIndex={0} aria-label={file.name}>{file.text}</pre>
        </details>
      ))}
    </>
  );
}

export function SnippetsCard({ preset, presets, port, encrypted }: { preset: string; presets: Preset[]; port: string; encrypted: boolean }) {
  const [product, choose] = useState(preset);
  useEffect(() => { if (preset) choose(preset); }, [preset]);
  const shown = presets.find((p) => p.id === product);
  const expected = shown ? String(shown.settings['port'] ?? '') : '';
  return (
    <Card title={t.syslog.snippets} testid="snippets">
      <SelectField label={t.syslog.snippets_for} value={product} onChange={choose} options={[['', t.syslog.snippets_none], ...presets.map((p) => [p.id, p.name] as const)]} data-testid="snippets-product" />
      {shown && <p class="hint">{shown.about}</p>}
      {shown && expected !== port && <p class="hint warn-text">{say(t.syslog.snippets_port, { there: expected || t.syslog.snippets_port_own, here: port || t.common.none })}</p>}
      {shown && encrypted && <p class="hint warn-text">{t.syslog.snippets_tls}</p>}
      {shown && <Files key={product} id={product} />}
    </Card>
  );
}
