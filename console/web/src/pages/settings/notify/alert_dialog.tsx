// An alert rule: when somebody is told, and by which channels.
import { useState } from 'preact/hooks';
import { alerts_api, type Alert, type Channel } from '../../../api/notify';
import { t } from '../../../text';
import { Check, SelectField, TextField } from '../../../ui/field';
import { EditDialog } from '../crud';

const fresh: Partial<Alert> = { name: '', enabled: true, when: 'matches', query: 'action:deny', count: 100, minutes: 5, of: 'rule', hours: 24, channels: [] };

// The members that a kind of rule looks at.
export const members_of: Record<string, readonly string[]> = {
  matches: ['query', 'count', 'minutes'], first_seen: ['query', 'of'], target_dead: ['minutes'], gateway_silent: ['minutes'], overload: ['count', 'minutes'], ring_reach: ['hours'], node_silent: ['minutes'],
};

type Numbers = Record<'count' | 'minutes' | 'hours', string>;

export function AlertDialog({ alert, channels, done, close }: { alert: Alert | undefined; channels: readonly Channel[]; done: () => void; close: () => void }) {
  const [draft, set_draft] = useState<Partial<Alert>>(alert ?? fresh);
  const [numbers, set_numbers] = useState<Numbers>({ count: String(draft.count), minutes: String(draft.minutes), hours: String(draft.hours) });
  const set = (part: Partial<Alert>): void => set_draft((now) => ({ ...now, ...part }));
  const shown = members_of[draft.when ?? ''] ?? [];
  const save = (): Promise<unknown> => {
    const { id: _id, etag: _etag, ...settings } = draft as Alert;
    const number = (text: string): number => (text.trim() === '' ? NaN : Number(text));
    const body = { ...settings, count: number(numbers.count), minutes: number(numbers.minutes), hours: number(numbers.hours) };
    return alert ? alerts_api.change(alert.id, body, alert.etag) : alerts_api.add(body);
  };
  const chosen = draft.channels ?? [];
  return (
    <EditDialog title={alert ? alert.name : t.notify.new_alert} save={save} done={done} onClose={close} testid="alert-dialog">
      {(error_of) => (
        <>
          <TextField label={t.notify.name} value={draft.name ?? ''} onChange={(name) => set({ name })} error={error_of('name')} wide data-testid="alert-name" />
          <SelectField label={t.notify.when} value={draft.when ?? ''} onChange={(v) => set({ when: v as Alert['when'] })} options={Object.entries(t.notify.whens)} error={error_of('when')} wide data-testid="alert-when" />
          {shown.includes('query') && <TextField label={t.notify.query} value={draft.query ?? ''} onChange={(query) => set({ query })} error={error_of('query')} hint={t.notify.query_hint} mono wide data-testid="alert-query" />}
          {shown.includes('of') && <SelectField label={t.notify.of} value={draft.of ?? ''} onChange={(v) => set({ of: v as Alert['of'] })} options={Object.entries(t.notify.ofs)} hint={t.notify.of_hint} error={error_of('of')} data-testid="alert-of" />}
          <div class="form-row">
            {(['count', 'minutes', 'hours'] as const).filter((name) => shown.includes(name)).map((name) => (
              <TextField key={name} label={t.notify[name]} value={numbers[name]} onChange={(text) => set_numbers((now) => ({ ...now, [name]: text }))} error={error_of(name)} inputMode="numeric" data-testid={`alert-${name}`} />
            ))}
          </div>
          <fieldset class="checks">
            <legend>{t.notify.channels}</legend>
            <p class="hint">{t.notify.channels_hint}</p>
            {channels.map((channel) => (
              <Check key={channel.id} label={channel.name} checked={chosen.includes(channel.id)} onChange={(yes) => set({ channels: yes ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id) })} />
            ))}
          </fieldset>
          <Check label={t.notify.enabled} checked={draft.enabled !== false} onChange={(enabled) => set({ enabled })} />
        </>
      )}
    </EditDialog>
  );
}
