import { useEffect, useState } from 'preact/hooks';
import { audit_api } from '../../api/settings';
import type { AuditEntry } from '../../api/types';
import { t } from '../../text';
import { Button } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Empty, ErrorNotice } from '../../ui/panel';
import { Time } from '../../ui/time';
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
        <table class="table" data-testid="audit">
          <thead><tr><th>{t.audit.time}</th><th>{t.audit.user}</th><th>{t.audit.via}</th><th>{t.audit.address}</th><th>{t.audit.action}</th><th>{t.audit.object}</th></tr></thead>
          {entries.map((e) => (
            <tbody key={e.seq} class="audit-entry">
              <tr>
                <td class="nowrap"><Time ms={e.time_ms} /></td>
                <td class="breakable"><Hostile text={e.user} /></td>
                <td class="nowrap">{e.via}</td>
                <td class="mono nowrap">{e.address}</td>
                <td class="mono nowrap">{e.action}</td>
                <td class="breakable"><Hostile text={e.object} /></td>
              </tr>
              {Object.keys(e.detail ?? {}).length > 0 && (
                <tr class="audit-detail"><th scope="row">{t.audit.detail}</th><td colSpan={5} class="breakable mono faint"><Hostile text={spaced_json(e.detail)} /></td></tr>
              )}
            </tbody>
          ))}
        </table>
      )}
      {before !== null && <Button onClick={() => more(before)}>{t.common.load_more}</Button>}
    </div>
  );
}
