// Frames of pages: cards, notices, empty and error states, dialogs.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { ApiError, NetworkError } from '../api/client';
import { problem_text } from '../lib/reasons';
import { say, t } from '../text';
import { Button, IconButton } from './button';
import { Icon } from './icon';

export function Card({ title, aside, children, testid, kind }: { title?: string; aside?: ComponentChildren; children: ComponentChildren; testid?: string; kind?: string }) {
  return (
    <section class={kind ? `card ${kind}` : 'card'} data-testid={testid}>
      {title && <header class="card-head"><h2>{title}</h2>{aside && <div class="card-aside">{aside}</div>}</header>}
      {children}
    </section>
  );
}

export function Notice({ tone, children, testid }: { tone: 'info' | 'warn' | 'bad' | 'good'; children: ComponentChildren; testid?: string }) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'} data-testid={testid}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'help' : 'warning'} />
      <div>{children}</div>
    </div>
  );
}

// The sentence to show for anything that a call can throw.
export function error_text(error: unknown): string {
  if (error instanceof ApiError) return problem_text(error.message);
  if (error instanceof NetworkError) return t.errors.network;
  return t.errors.unknown;
}

// The same beside the field it is about: the name of the member is said by the place.
export function member_error(error: unknown, member: string | undefined): string {
  const english = error instanceof ApiError ? error.message : error_text(error);
  const named = member && english.startsWith(`${member}: `);
  const rest = named ? problem_text(english.slice(member.length + 2)) : error_text(error);
  const line = member && rest.startsWith(`${member}:`) ? /^(\d+): (.*)$/s.exec(rest.slice(member.length + 1)) : null;
  if (line) return say(t.errors.at_line, { line: line[1] as string, words: line[2] as string });
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Notice tone="bad" testid="error">
      {error_text(error)}
      {retry && <Button small onClick={retry}>{t.common.retry}</Button>}
    </Notice>
  );
}

// Where rows will stand, once loading takes long enough to be noticed.
export function Skeleton() {
  return <div class="skeleton" role="status" aria-label={t.common.loading} data-testid="skeleton" />;
}

// What stands in the place of something that is read from the server, until it is there; what went wrong beside what is there.
export function Pending({ of }: { of: { value: unknown; error: unknown; reload: () => void } }) {
  if (of.error !== undefined) return <ErrorNotice error={of.error} retry={of.reload} />;
  return of.value === undefined ? <Skeleton /> : null;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty" data-testid="empty"><p class="empty-title">{title}</p>{children && <div class="empty-text">{children}</div>}</div>;
}

export function Dialog({ title, onClose, children, testid, wide }: { title: string; onClose: () => void; children: ComponentChildren; testid?: string; wide?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return undefined;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={id} data-testid={testid}
      onCancel={(event) => { event.preventDefault(); onClose(); }}
      onMouseDown={(event) => { if (event.target === element.current) onClose(); }}>
      <div class="dialog-body">
        <header class="dialog-head"><h2 id={id}>{title}</h2><IconButton icon="close" label={t.common.close} onClick={onClose} /></header>
        {children}
      </div>
    </dialog>
  );
}

export function Confirm({ title, text, action, onConfirm, onClose, busy, error }: {
  title: string; text: ComponentChildren; action: string; onConfirm: () => void; onClose: () => void; busy?: boolean; error?: unknown;
}) {
  return (
    <Dialog title={title} onClose={onClose} testid="confirm">
      <div class="dialog-text">{text}</div>
      {error !== undefined && <ErrorNotice error={error} />}
      <footer class="dialog-foot">
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button kind="danger" busy={busy ?? false} onClick={onConfirm} data-testid="confirm-yes">{action}</Button>
      </footer>
    </Dialog>
  );
}
