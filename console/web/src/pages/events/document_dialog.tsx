// "This field holds documents": a site's field in which what looks like code is shown, not run.
import { useState } from 'preact/hooks';
import { sites_api } from '../../api/settings';
import type { EventDetail } from '../../api/types';
import { name_pattern } from '../../lib/exception_draft';
import { use_load } from '../../state/load';
import { t } from '../../text';
import { TextField } from '../../ui/field';
import { Hostile } from '../../ui/hostile';
import { Pending } from '../../ui/panel';
import { EditDialog } from '../settings/crud';

// The name that can be marked so: of a body's field that is named. Signatures count in documents too.
export function document_name(event: EventDetail): string {
  const finding = event.detail.findings?.[event.detail.weightiest ?? 0];
  return finding?.location === 'body' && !finding.rule_id.startsWith('m_rule/') ? finding.name : '';
}

export function DocumentDialog({ event, done, close }: { event: EventDetail; done: () => void; close: () => void }) {
  const list = use_load('sites', sites_api.list);
  const [pattern, set_pattern] = useState(name_pattern(document_name(event)));
  const site = list.value?.find((one) => one.uuid === event.record.site_uuid);
  const save = (): Promise<unknown> => {
    if (!site) return Promise.reject(list.error ?? new Error(t.documents.no_site));
    const { etag, days: _days, ...kept } = site;
    return sites_api.change(site.uuid, { ...kept, document_fields: [...new Set([...site.document_fields, pattern.trim()])] }, etag);
  };
  return (
    <EditDialog title={t.documents.from_event} save={save} done={done} onClose={close} testid="event-document">
      {(error_of) => (
        <>
          <p class="hint">{t.documents.what}</p>
          <Pending of={list} />
          <p>{t.documents.site} <strong><Hostile text={site?.name ?? ''} /></strong></p>
          <TextField label={t.documents.field} hint={t.documents.field_hint} value={pattern} onChange={set_pattern} error={error_of('document_fields')} mono wide data-testid="document-name" />
        </>
      )}
    </EditDialog>
  );
}
