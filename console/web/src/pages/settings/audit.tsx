import { useEffect, useState } from 'preact/hooks';
import { audit_api } from '../../api/settings';
import type { AuditEntry } from '../../api/types';
import { t } from '../../text';
import { Button } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice } from '../../ui/panel';
import { Time } from '../../ui/time';
import { Table } from '../../ui/table';
import { SectionHead } from './crud';

// On one line, with places to break it at.
const spaced_json = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n */g, ' ');

export function AuditSection() {
  const [entries, set_entries] = useState<AuditEntry[]>([]);
  const [before, set_before] = useState<number | null>(null);
  const [state, set_state] = useState<{ loaded: boolean; error?: unknown }>({ loaded: false });
  const more = (from: number | null): void => {
    audit_api.page(from).then(
      (page) => {
        set_entries((old) => (from === null ? page.entries : [...old, ...page.entries]));
        set_before(page.before);
        set_state({ loaded: true });
      },
      (error: unknown) => set_state({ loaded: true, error }),
    );
  };
  useEffect(() => more(null), []);
  return (
    <div class="section">
      <SectionHead title={t.settings.section.audit as string} lead={t.audit.lead} />
      {state.error !== undefined && <ErrorNotice error={state.error} retry={() => more(null)} />}
      {state.loaded && state.error === undefined && entries.length === 0 && <Empty title={t.audit.empty} />}
      {entries.length > 0 && (
        <Table testid="audit" rows={entries} key_of={(e) => e.seq}
          below={(e) => Object.keys(e.detail ?? {}).length > 0 && <><span class="below-name">{t.audit.detail}</span> <span class="mono faint breakable"><Hostile text={spaced_json(e.detail)} /></span></>}
          columns={[
            { id: 'time', title: t.audit.time, kind: 'short', draw: (e) => <Time ms={e.time_ms} /> },
            { id: 'user', title: t.audit.user, draw: (e) => <Hostile text={e.user} /> },
            { id: 'via', title: t.audit.via, kind: 'short', draw: (e) => e.via },
            { id: 'address', title: t.audit.address, kind: 'short', draw: (e) => <span class="mono">{e.address}</span> },
            { id: 'action', title: t.audit.action, kind: 'short', draw: (e) => <span class="mono">{e.action}</span> },
            { id: 'object', title: t.audit.object, draw: (e) => <Hostile text={e.object} /> },
          ]} />
      )}
      {before !== null && <Button onClick={() => more(before)}>{t.common.load_more}</Button>}
    </div>
  );
}
