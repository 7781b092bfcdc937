// A button that opens a small panel below itself; closes on Escape, on a click elsewhere and when focus leaves.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button';
import type { IconName } from './icon';

export function Menu({ label, icon, text, children, align = 'right', testid, small }: {
  label: string; icon?: IconName; text?: string; children: (close: () => void) => ComponentChildren; align?: 'left' | 'right'; testid?: string; small?: boolean;
}) {
  const [open, set_open] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event): void => { if (!box.current?.contains(event.target as Node)) set_open(false); };
    const key = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      set_open(false);
      box.current?.querySelector('button')?.focus();
    };
    document.addEventListener('mousedown', outside);
    document.addEventListener('focusin', outside);
    document.addEventListener('keydown', key, true);
    return () => {
      document.removeEventListener('mousedown', outside);
      document.removeEventListener('focusin', outside);
      document.removeEventListener('keydown', key, true);
    };
  }, [open]);
  return (
    <div class="menu" ref={box}>
      <Button kind={small ? 'plain' : 'ghost'} small={small ?? false} {...(icon ? { icon } : {})} aria-label={text ? `${label}: ${text}` : label} title={label} aria-expanded={open ? 'true' : 'false'} aria-haspopup="true" onClick={() => set_open(!open)} data-testid={testid}>{text}</Button>
      {open && <div class={`menu-panel menu-${align}`}>{children(() => set_open(false))}</div>}
    </div>
  );
}
