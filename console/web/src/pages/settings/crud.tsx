// What the smaller settings sections share: a table, a dialog with a form, removal after a question.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import { time_text } from '../../lib/format';
import { say, t } from '../../text';
import { Button, IconButton } from '../../ui/button';
import { SelectField } from '../../ui/field';
import type { IconName } from '../../ui/icon';
import { Confirm, Dialog, ErrorNotice, member_error, Notice } from '../../ui/panel';

export type ErrorOf = (member: string) => string | undefined;

export function SectionHead({ title, lead, action }: { title: string; lead: string; action?: ComponentChildren }) {
  return <header class="section-head"><div><h2>{title}</h2><p class="lead">{lead}</p></div>{action}</header>;
}

// A form in a dialog. `children` draws the fields and gets the server's word for each member.
export function EditDialog({ title, save, done, onClose, children, testid }: {
  title: string; save: () => Promise<unknown>; done: () => void; onClose: () => void; children: (error_of: ErrorOf) => ComponentChildren; testid?: string;
}) {
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const [asked, set_asked] = useState<Set<string>>(new Set());
  const problem = error instanceof ApiError ? error.problem : undefined;
  const member = problem?.member?.split(/[.[]/)[0];
  const error_of: ErrorOf = (name) => {
    if (!asked.has(name)) asked.add(name);
    return member === name ? member_error(error, problem?.member) : undefined;
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    set_busy(true);
    set_error(undefined);
    try {
      await save();
      done();
    } catch (caught) {
      set_error(caught);
      set_asked(new Set());
    }
    set_busy(false);
  };
  const fields = children(error_of);
  // Who goes away from a conflict finds what the other one made of it, not what was read before.
  const leave = problem?.status === 412 ? done : onClose;
  const at_field = member !== undefined && asked.has(member);
  const typed = (): void => { if (at_field) set_error(undefined); };  // it was about what stood there before
  return (
    <Dialog title={title} onClose={leave} {...(testid ? { testid } : {})}>
      <form class="form" onSubmit={submit} onInput={typed} noValidate>
        {fields}
        {error !== undefined && !at_field && (problem?.status === 412 ? <Notice tone="warn">{t.settings.conflict}</Notice> : <ErrorNotice error={error} />)}
        <footer class="dialog-foot">
          <Button onClick={leave}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={busy} data-testid="save">{t.common.save}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

export function RemoveButton({ title, text, action, icon, remove, done }: { title: string; text: ComponentChildren; action?: string; icon?: IconName; remove: () => Promise<unknown>; done: () => void }) {
  const [asking, set_asking] = useState(false);
  const [busy, set_busy] = useState(false);
  const [error, set_error] = useState<unknown>();
  const confirm = async (): Promise<void> => {
    set_busy(true);
    try {
      await remove();
      set_asking(false);
      done();
    } catch (caught) {
      set_error(caught);
    }
    set_busy(false);
  };
  return (
    <>
      <IconButton small icon={icon ?? 'trash'} label={action ?? t.common.remove} onClick={() => { set_error(undefined); set_asking(true); }} data-testid="remove" />
      {asking && <Confirm title={title} text={text} action={action ?? t.common.remove} busy={busy} error={error} onConfirm={confirm} onClose={() => { set_asking(false); if (error instanceof ApiError && error.problem.status === 412) done(); }} />}
    </>
  );
}

const hour_s = 3600;
const spans: Record<string, number> = { hour: hour_s, day: 24 * hour_s, week: 168 * hour_s, month: 720 * hour_s, year: 8760 * hour_s };

export function expiry_after(span: string): number {
  return Math.floor(Date.now() / 1000) + (spans[span] ?? 0);
}

// Expiry as a span from now; `value` is Unix seconds, 0 for never. What is set already can be kept. `begin`: the span that
// `value` was made of, where nothing is set yet.
export function ExpiryField({ value, onChange, error, begin }: { value: number; onChange: (expires_s: number) => void; error: string | undefined; begin?: string }) {
  const [kept] = useState(begin ? 0 : value);
  const [choice, choose] = useState(begin ?? (value === 0 ? 'never' : 'keep'));
  const words = t.expiry as unknown as Record<string, string>;
  const options = [['never', t.expiry.never] as const, ...(kept ? [['keep', say(t.expiry.keep, { time: time_text(kept * 1000) })] as const] : []), ...Object.keys(spans).map((key) => [key, words[key] ?? key] as const)];
  const pick = (key: string): void => {
    choose(key);
    onChange(key === 'never' ? 0 : key === 'keep' ? kept : expiry_after(key));
  };
  return <SelectField label={t.expiry.label} value={choice} onChange={pick} options={options} error={error} />;
}

// What has ended stays listed and must not look as if it were in force.
export function is_over(expires_s: number): boolean {
  return expires_s !== 0 && expires_s * 1000 <= Date.now();
}

export function expiry_text(expires_s: number): string {
  if (expires_s === 0) return t.expiry.none;
  return is_over(expires_s) ? say(t.expiry.over, { time: time_text(expires_s * 1000) }) : time_text(expires_s * 1000);
}

export const lines_of = (text: string): string[] => text.split(/[\n,]/).map((line) => line.trim()).filter(Boolean);
