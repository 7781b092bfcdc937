import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { follow } from '../state/route';
import { t } from '../text';
import { Icon, type IconName } from './icon';

type ButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'icon'> & {
  icon?: IconName;
  kind?: 'plain' | 'primary' | 'danger' | 'ghost';
  small?: boolean;
  busy?: boolean;
  disabled?: boolean | undefined;
  type?: 'button' | 'submit';
  children?: ComponentChildren;
};

export function Button({ icon, kind = 'plain', small, busy, children, disabled, type = 'button', class: _class, ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} disabled={disabled || busy} aria-busy={busy ? 'true' : undefined} class={`button ${kind}${small ? ' small' : ''}${children ? '' : ' only-icon'}`}>
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </button>
  );
}

// A button whose whole face is an icon; `label` is its name.
export function IconButton({ label, ...rest }: ButtonProps & { label: string; icon: IconName }) {
  return <Button {...rest} kind={rest.kind ?? 'ghost'} aria-label={label} title={label} />;
}

export function CopyButton({ text, label, testid }: { text: () => string | Promise<string>; label: string; testid?: string }) {
  const [done, set_done] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (done === 'idle') return undefined;
    const timer = setTimeout(() => set_done('idle'), 1800);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    Promise.resolve(text()).then((copied) => navigator.clipboard.writeText(copied)).then(() => set_done('done'), () => set_done('failed'));
  };
  return (
    <Button small icon={done === 'done' ? 'check' : 'copy'} onClick={copy} data-testid={testid}>
      {done === 'done' ? t.common.copied : done === 'failed' ? t.common.copy_failed : label}
    </Button>
  );
}

// A link inside the page.
export function Link({ to, children, class: name, ...rest }: { to: string; children: ComponentChildren; class?: string; [attribute: string]: unknown }) {
  return <a {...rest} href={to} class={name} onClick={(event: MouseEvent) => follow(event, to)}>{children}</a>;
}
