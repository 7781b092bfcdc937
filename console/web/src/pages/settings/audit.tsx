import { useEffect, useRef, useState } from 'preact/hooks';
import { audit_api } from '../../api/settings';
import type { AuditEntry, AuditPlace } from '../../api/types';
import { differences } from '../../lib/audit';
import { t } from '../../text';
import { Button } from '../../ui/button';
import { TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice, Skeleton } from '../../ui/panel';
import { Time } from '../../ui/time';
import { Table } from '../../ui/table';
import { SectionHead } from './crud';
import { Members } from './history';

const search_after_ms = 250;

// On one line, with places to break it at.
const spaced_json = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n */g, ' ');

function Detail({ entry }: { entry: AuditEntry }) {
  const detail = (entry.detail ?? {}) as Record<string, unknown>;
  const changed = differences(detail);
  if (changed) return changed.length > 0 ? <Members members={changed} /> : <span class="muted">{t.audit.same}</span>;
  return <><span class="below-name">{t.audit.detail}</span> <span class="mono faint breakable"><Hostile text={spaced_json(detail)} /></span></>;
}

const pages_at_most = 100;

// Every entry that the search finds, one JSON text a line.
async function export_entries(q: string): Promise<void> {
  const lines: string[] = [];
  let before: AuditPlace = null;
  for (let n = 0; n < pages_at_most; ++n) {
    const page: Awaited<ReturnType<typeof audit_api.page>> = await audit_api.page(q, before, 1000);
    for (const entry of page.entries) lines.push(`${JSON.stringify(entry)}\n`);
    before = page.before;
    if (before === null) break;
  }
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'audit.ndjson';
  link.click();
  URL.revokeObjectURL(address);
}

export function AuditSection() {
  const [entries, set_entries] = useState<AuditEntry[]>([]);
  const [before, set_before] = useState<AuditPlace>(null);
  const [state, set_state] = useState<{ loaded: boolean; error?: unknown }>({ loaded: false });
  const [typed, set_typed] = useState('');
  const [q, set_q] = useState('');
  const [exporting, set_exporting] = useState(false);
  const asked = useRef(0);
  const more = (from: AuditPlace): void => {
    const turn = ++asked.current;
    audit_api.page(q, from).then(
      (page) => {
        if (turn !== asked.current) return;
        set_entries((old) => (from === null ? page.entries : [...old, ...page.entries]));
        set_before(page.before);
        set_state({ loaded: true });
      },
      (error: unknown) => { if (turn === asked.current) set_state({ loaded: true, error }); },
    );
  };
  useEffect(() => more(null), [q]);
  useEffect(() => {
    const timer = setTimeout(() => set_q(typed.trim()), search_after_ms);
    return () => clearTimeout(timer);
  }, [typed]);
  const save_all = (): void => {
    set_exporting(true);
    export_entries(q).catch((error: unknown) => set_state({ loaded: true, error })).finally(() => set_exporting(false));
  };
  return (
    <div class="section">
      <SectionHead title={t.settings.section.audit as string} lead={t.audit.lead} />
      <div class="audit-tools">
        <TextField label={t.audit.search} value={typed} onChange={set_typed} data-testid="audit-search" />
        <Button icon="download" busy={exporting} onClick={save_all} data-testid="audit-export">{t.audit.export}</Button>
      </div>
      {!state.loaded && <Skeleton />}
      {state.error !== undefined && <ErrorNotice error={state.error} retry={() => more(null)} />}
      {state.loaded && state.error === undefined && entries.length === 0 && <Empty title={q ? t.audit.no_match : t.audit.empty} />}
      {entries.length > 0 && (
        <Table testid="audit" rows={entries} key_of={(e) => `${e.node}${e.seq}`}
          below={(e) => Object.keys(e.detail ?? {}).length > 0 && <Detail entry={e} />}
          columns={[
            { id: 'time', title: t.audit.time, kind: 'short', draw: (e) => <Time ms={e.time_ms} /> },
            { id: 'user', title: t.audit.user, draw: (e) => <Hostile text={e.user} /> },
            { id: 'via', title: t.audit.via, kind: 'short', draw: (e) => [e.via, e.node].join(' ') },
            { id: 'address', title: t.audit.address, kind: 'short', draw: (e) => <span class="mono">{e.address}</span> },
            { id: 'action', title: t.audit.action, kind: 'short', draw: (e) => <span class="mono">{e.action}</span> },
            { id: 'object', title: t.audit.object, draw: (e) => <Hostile text={e.object} /> },
          ]} />
      )}
      {before !== null && <Button onClick={() => more(before)}>{t.common.load_more}</Button>}
    </div>
  );
}
