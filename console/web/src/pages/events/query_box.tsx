// The query box: applied as it is typed, completed from the fields and the top lists, wrong parts marked in place.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, is_abort } from '../../api/client';
import { events_api, type Selection } from '../../api/events';
import type { TopValue } from '../../api/types';
import { accept, is_unfinished, spot_at, suggestions, wrong_part, type QueryField, type Suggestion } from '../../lib/complete';
import { count_text } from '../../lib/format';
import { use_rule_names } from '../../state/rule_names';
import { attack_words, t } from '../../text';
import { IconButton } from '../../ui/button';
import { Hostile } from '../../ui/hostile';
import { Icon } from '../../ui/icon';

const typing_pause_ms = 250;
const unfinished_pause_ms = 700;  // in the middle of a field's name, or of a word of a known set
const value_age_ms = 30_000;
const most_values = 100;

// Fields by which the server counts; the others have no values to offer.
const counted = new Set(['type', 'risk', 'action', 'src', 'site', 'rule', 'host', 'path', 'method', 'location', 'module', 'country', 'province', 'city', 'ua', 'referer', 'node', 'session']);

const no_names: ReadonlyMap<string, string> = new Map();

let fields_once: Promise<QueryField[]> | undefined;
function read_fields(): Promise<QueryField[]> {
  fields_once ??= events_api.fields().catch((error: unknown) => {
    fields_once = undefined;
    throw error;
  });
  return fields_once;
}

function use_fields(wanted: boolean): QueryField[] {
  const [fields, set_fields] = useState<QueryField[]>([]);
  useEffect(() => {
    if (wanted && fields.length === 0) read_fields().then(set_fields, () => undefined);
  }, [wanted]);
  return fields;
}

// The commonest values of a field in the time span, whatever the filter.
function use_values(field: string | undefined, select: () => Selection): TopValue[] {
  const [kept, keep] = useState<Record<string, { at: number; values: TopValue[] }>>({});
  useEffect(() => {
    if (field === undefined || !counted.has(field)) return undefined;
    const have = kept[field];
    if (have && Date.now() - have.at < value_age_ms) return undefined;
    const abort = new AbortController();
    events_api.top(field, { ...select(), q: '' }, most_values, abort.signal).then(
      (top) => keep((old) => ({ ...old, [field]: { at: Date.now(), values: top.values } })),
      (error: unknown) => { if (!is_abort(error)) keep((old) => ({ ...old, [field]: { at: Date.now(), values: [] } })); },
    );
    return () => abort.abort();
  }, [field]);
  return field === undefined ? [] : kept[field]?.values ?? [];
}

function hint_of(suggestion: Suggestion, field: string | undefined): string {
  if (suggestion.kind === 'or') return t.events.complete_or;
  if (suggestion.kind === 'field') return t.query_field[suggestion.label] ?? '';
  if (field === 'rule') return suggestion.insert;
  if (field === 'type') return attack_words(suggestion.label);
  if (field === 'action') return t.action[suggestion.label as keyof typeof t.action] ?? '';
  if (field === 'location') return t.place[suggestion.label] ?? '';
  return '';
}

function Wrong({ query, error, typing }: { query: string; error: ApiError; typing: boolean }) {
  const { offset, expected } = error.problem;
  const part = offset === undefined ? undefined : wrong_part(query, offset);
  // At the end of what is being typed nothing is wrong yet: something is still to come.
  const waiting = typing && part !== undefined && part.wrong === '';
  const words = expected ?? error.message;
  return (
    <div class={`query-error${waiting ? ' waiting' : ''}`} id="query-error" role="alert" data-testid="query-error">
      <p><strong>{waiting ? t.events.unfinished : t.events.bad_query}</strong> {words.charAt(0).toUpperCase() + words.slice(1)}</p>
      {part && !waiting && (
        <p class="query-place mono" data-testid="query-place"><Hostile text={part.before} /><em data-testid="query-wrong">{part.wrong === '' ? '\u2423' : <Hostile text={part.wrong} />}</em><Hostile text={part.after} /></p>
      )}
    </div>
  );
}

// Enter makes a step that Back returns from; typing replaces the address.
export function QueryBox({ query, error, apply, select }: {
  query: string; error: unknown; apply: (query: string, how: 'push' | 'replace') => void; select: () => Selection;
}) {
  const [text, set_text] = useState(query);
  const [caret, set_caret] = useState(-1);   // while suggestions are wanted
  const [chosen, choose] = useState(-1);
  const [focused, set_focused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const typed = useRef(query);
  useEffect(() => {
    if (query === typed.current) return;
    typed.current = query;
    set_text(query);
  }, [query]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const fields = use_fields(focused);
  const spot = useMemo(() => (caret < 0 ? undefined : spot_at(text, caret)), [text, caret]);
  const values = use_values(spot?.field, select);
  const rules = use_rule_names(spot?.field === 'rule');
  const names = spot?.field === 'rule' ? rules : no_names;
  const offered = useMemo(() => (spot ? suggestions(spot, fields, values, names) : []), [spot, fields, values, names]);
  // What is typed already in full needs no offer.
  const open = offered.length > 0 && !(offered.length === 1 && spot !== undefined && offered[0]?.insert === text.slice(spot.from, spot.to));

  const change = (value: string): void => {
    set_text(value);
    clearTimeout(timer.current);
    const pause_ms = is_unfinished(spot_at(value, input.current?.selectionStart ?? value.length), fields) ? unfinished_pause_ms : typing_pause_ms;
    timer.current = setTimeout(() => { typed.current = value.trim(); apply(value.trim(), 'replace'); }, pause_ms);
  };
  const close = (): void => { set_caret(-1); choose(-1); };
  const submit = (value: string): void => {
    clearTimeout(timer.current);
    typed.current = value.trim();
    set_text(value);
    close();
    apply(value.trim(), 'push');
  };
  const take = (suggestion: Suggestion): void => {
    if (!spot || !input.current) return;
    const next = accept(text, spot, suggestion);
    input.current.value = next.text;
    input.current.setSelectionRange(next.caret, next.caret);
    input.current.focus();
    choose(-1);
    set_caret(suggestion.kind === 'field' ? next.caret : -1);
    change(next.text);
  };
  const on_key = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      if (!open) set_caret(input.current?.selectionStart ?? text.length);
      else choose((now) => (now + step + offered.length + (now < 0 && step < 0 ? 1 : 0)) % offered.length);
      return;
    }
    const pick = offered[chosen] ?? (event.key === 'Tab' && spot?.typed ? offered[0] : undefined);
    if (open && pick && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      event.preventDefault();
      take(pick);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      event.preventDefault();  // or the browser empties the field
      if (open) close();
      else input.current?.blur();
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight' || event.key === 'Home' || event.key === 'End') {
      close();
    }
  };
  const wrong = error instanceof ApiError && error.problem.status === 400 && error.problem.member === 'q' ? error : undefined;
  return (
    <form class={`query${wrong ? ' wrong' : ''}`} role="search" onSubmit={(event) => { event.preventDefault(); submit(text); }}
      onFocusOut={(event) => { if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) { close(); set_focused(false); } }}>
      <Icon name="search" />
      <input ref={input} type="search" class="mono" value={text} aria-label={t.events.query} placeholder={t.events.placeholder} spellcheck={false} autocomplete="off"
        role="combobox" aria-autocomplete="list" aria-expanded={open ? 'true' : 'false'} aria-controls="query-offers" aria-activedescendant={open && chosen >= 0 ? `offer-${chosen}` : undefined}
        aria-invalid={wrong ? 'true' : undefined} aria-describedby={wrong ? 'query-error' : undefined} data-testid="query" id="query"
        onFocus={() => set_focused(true)} onClick={close}
        onInput={(event) => { change(event.currentTarget.value); set_caret(event.currentTarget.selectionStart ?? event.currentTarget.value.length); choose(-1); }}
        onKeyDown={on_key} />
      {text !== '' && <IconButton icon="close" label={t.events.clear} small onClick={() => { submit(''); input.current?.focus(); }} data-testid="query-clear" />}
      <div class="query-below">
        {wrong && !open && <Wrong query={query} error={wrong} typing={focused} />}
        <ul id="query-offers" class={`offers${open ? '' : ' closed'}`} role="listbox" aria-label={t.events.offers} data-testid="query-offers">
          {open && offered.map((suggestion, i) => (
            <li key={suggestion.insert} id={`offer-${i}`} role="option" aria-selected={i === chosen ? 'true' : 'false'} class="offer" data-testid="query-offer"
              onMouseDown={(event) => { event.preventDefault(); take(suggestion); }}>
              <span class={spot?.field === 'rule' ? 'offer-text' : 'offer-text mono'}><Hostile text={suggestion.label} />{suggestion.kind === 'field' && <span class="faint">:</span>}</span>
              <span class="offer-hint">{hint_of(suggestion, spot?.field)}</span>
              {suggestion.count !== undefined && <span class="offer-count">{count_text(suggestion.count)}</span>}
            </li>
          ))}
        </ul>
        {open && <p class="offers-keys" aria-hidden="true">{t.events.offers_keys}</p>}
      </div>
    </form>
  );
}
