// Form fields: label, control, hint and error belong together, for eyes and for screen readers.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Frame {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  error_id?: string | undefined;  // of an error that stands elsewhere, where there is room for it
  wide?: boolean;
}

interface Ids {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
}

function Framed({ label, hint, error, error_id, wide, children }: Frame & { children: (ids: Ids) => ComponentChildren }) {
  const id = useId();
  const describedby = [hint ? `${id}-hint` : '', error ? `${id}-error` : '', error_id ?? ''].filter(Boolean).join(' ') || undefined;
  const wrong = Boolean(error ?? error_id);
  return (
    <div class={`field${wide ? ' wide' : ''}${wrong ? ' invalid' : ''}`}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describedby, 'aria-invalid': wrong ? 'true' : undefined })}
      {error && <p class="field-error" id={`${id}-error`} role="alert">{error}</p>}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

export type TextFieldProps = Frame & {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'password' | 'number' | 'datetime-local';
  step?: number;
  placeholder?: string;
  mono?: boolean;
  autocomplete?: string;
  disabled?: boolean;
  required?: boolean;
  name?: string;
  inputMode?: 'numeric';
  list?: string;
  'data-testid'?: string;
};

export function TextField({ label, hint, error, error_id, wide, value, onChange, mono, type = 'text', ...rest }: TextFieldProps) {
  return (
    <Framed label={label} hint={hint} error={error} error_id={error_id} wide={wide ?? false}>
      {(ids) => (
        <input {...rest} {...ids} type={type} class={mono ? 'mono' : ''} value={value} spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)} />
      )}
    </Framed>
  );
}

export type Option = readonly [value: string, text: string, disabled?: boolean];

export function SelectField({ label, hint, error, wide, value, onChange, options, ...rest }: Frame & {
  value: string; onChange: (value: string) => void; options: readonly Option[]; disabled?: boolean; 'data-testid'?: string;
}) {
  return (
    <Framed label={label} hint={hint} error={error} wide={wide ?? false}>
      {(ids) => (
        <select {...rest} {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([key, text, disabled]) => <option key={key} value={key} disabled={disabled ?? false}>{text}</option>)}
        </select>
      )}
    </Framed>
  );
}

export function AreaField({ label, hint, error, value, onChange, rows = 4, ...rest }: Frame & {
  value: string; onChange: (value: string) => void; rows?: number; placeholder?: string; disabled?: boolean; 'data-testid'?: string;
}) {
  return (
    <Framed label={label} hint={hint} error={error} wide>
      {(ids) => (
        <textarea {...rest} {...ids} class="mono" rows={rows} value={value} spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)} />
      )}
    </Framed>
  );
}

export function Check({ label, hint, checked, onChange, ...rest }: {
  label: string; hint?: string; checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean; 'data-testid'?: string;
}) {
  const id = useId();
  return (
    <div class="check">
      <input {...rest} id={id} type="checkbox" checked={checked} aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

// A few choices of which one holds, all of them in sight.
export function Segments({ label, value, onChange, options, disabled }: {
  label: string; value: string; onChange: (value: string) => void; options: readonly Option[]; disabled?: boolean;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === value ? 'true' : 'false'} data-value={key} disabled={disabled} onClick={() => onChange(key)}>{text}</button>
      ))}
    </div>
  );
}
