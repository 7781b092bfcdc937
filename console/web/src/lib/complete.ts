// Completion in the query box: what stands at the caret, and what could stand there. Pure; the fields and their
// value sets come from the server.
import { quote_value } from './query';

export interface QueryField {
  name: string;
  help: string;
  values: string[];  // the whole set, or none: any text
}

// The word at the caret. `from` and `to` say what an accepted suggestion replaces.
export interface Spot {
  from: number;
  to: number;
  typed: string;         // what stands before the caret in it, quotes undone
  field?: string;        // of a value; none: a field's name is wanted
  first: boolean;        // nothing stands before it in its group, so `or` cannot
}

export interface Suggestion {
  insert: string;
  label: string;
  kind: 'field' | 'value' | 'or';
  count?: number;        // events that have the value, if known
}

const blank = (c: string | undefined): boolean => c === undefined || /\s/.test(c);

export function spot_at(text: string, caret: number): Spot | undefined {
  let begin = 0;         // of the term
  let value = -1;        // of the value in it
  let quote = -1;
  let first = true;
  let field = '';
  for (let i = 0; i < caret; ++i) {
    const c = text[i] as string;
    if (quote >= 0) {
      if (c === '\\') ++i;
      else if (c === '"') quote = -1;
      continue;
    }
    if (blank(c) || c === '(' || c === ')') {
      if (c === '(') first = true;
      else if (i > begin) first = /^or$/i.test(text.slice(begin, i));
      begin = i + 1;
      value = -1;
      field = '';
    } else if (c === '"') {
      quote = i;
    } else if (c === ':' && value < 0 && /^-*[a-z_]+$/i.test(text.slice(begin, i))) {
      field = text.slice(begin, i).replace(/^-+/, '').toLowerCase();
      value = i + 1;
    } else if (c === ',' && value >= 0) {
      value = i + 1;
    }
  }
  if (value >= 0) {
    const from = value;
    if (from > caret) return undefined;
    const quoted = text[from] === '"' && caret > from;
    let to = caret;
    if (quoted) {
      while (to < text.length && text[to] !== '"') to += text[to] === '\\' ? 2 : 1;
      to = Math.min(text.length, to + 1);
    } else {
      while (to < text.length && !/[\s,()"]/.test(text[to] as string)) ++to;
    }
    const typed = text.slice(from, caret);
    return { from, to, field, first, typed: quoted ? typed.slice(1).replace(/\\(.)/g, '$1') : typed };
  }
  const word = text.slice(begin, caret);
  if (quote >= 0 || !/^-*[a-z_]*$/i.test(word)) return undefined;
  const from = begin + (/^-*/.exec(word) as RegExpExecArray)[0].length;
  let to = caret;
  while (to < text.length && /[a-z_]/i.test(text[to] as string)) ++to;
  if (text[to] === ':') ++to;
  return { from, to, typed: text.slice(from, caret), first };
}

function ranked<T>(items: T[], text_of: (item: T) => string, typed: string): T[] {
  const wanted = typed.toLowerCase();
  const begins = items.filter((item) => text_of(item).toLowerCase().startsWith(wanted));
  const holds = items.filter((item) => !begins.includes(item) && text_of(item).toLowerCase().includes(wanted));
  return [...begins, ...holds];
}

// `known` are values from the top list of the field, commonest first.
// `names`: what values are called by people (rules); those that nothing was counted of are offered behind the others.
export function suggestions(spot: Spot, fields: QueryField[], known: { value: string; count: number }[], names: ReadonlyMap<string, string> = new Map(), most = 10): Suggestion[] {
  if (spot.field === undefined) {
    const named: Suggestion[] = ranked(fields, (f) => f.name, spot.typed).map((f) => ({ insert: `${f.name}:`, label: f.name, kind: 'field' }));
    const or: Suggestion[] = !spot.first && 'or'.startsWith(spot.typed.toLowerCase()) ? [{ insert: 'or ', label: 'or', kind: 'or' }] : [];
    return [...(spot.typed === '' ? named.concat(or) : or.concat(named))].slice(0, spot.typed === '' ? named.length + or.length : most);
  }
  const field = fields.find((f) => f.name === spot.field);
  if (!field) return [];
  const counts = new Map(known.map((k) => [k.value, k.count]));
  const values = field.values.length > 0
    ? [...field.values].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
    : [...new Set([...known.map((k) => k.value), ...names.keys()])].filter((v) => v !== '');
  const by_name = ranked(values, (v) => names.get(v) ?? v, spot.typed);
  const found = names.size === 0 ? by_name : [...new Set([...by_name, ...ranked(values, (v) => v, spot.typed)])];
  return found.slice(0, most).map((v) => {
    const count = counts.get(v);
    return { insert: quote_value(v), label: names.get(v) ?? v, kind: 'value', ...(count !== undefined ? { count } : {}) };
  });
}

// The text with a suggestion in it, and where the caret goes. A value at the end is followed by a blank.
export function accept(text: string, spot: Spot, suggestion: Suggestion): { text: string; caret: number } {
  const rest = text.slice(spot.to);
  const insert = suggestion.kind === 'value' && rest === '' ? `${suggestion.insert} ` : suggestion.insert;
  return { text: text.slice(0, spot.from) + insert + rest, caret: spot.from + insert.length };
}

// Whether the word at the caret looks like the beginning of something: what it would find meanwhile is of no interest.
export function is_unfinished(spot: Spot | undefined, fields: QueryField[]): boolean {
  if (!spot) return false;
  const typed = spot.typed.toLowerCase();
  if (spot.field === undefined) return typed !== '' && fields.some((f) => f.name.startsWith(typed));
  if (typed === '') return true;
  const values = fields.find((f) => f.name === spot.field)?.values ?? [];
  return !values.includes(typed) && values.some((v) => v.startsWith(typed));
}

// Index in `text` of an offset that counts bytes of its UTF-8.
export function index_of_byte(text: string, bytes: number): number {
  let seen = 0;
  let index = 0;
  for (const c of text) {
    if (seen >= bytes) break;
    const point = c.codePointAt(0) as number;
    seen += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    index += c.length;
  }
  return index;
}

// Splits a query around its wrong part: from the offset to the end of that word; empty at the end of the query.
export function wrong_part(text: string, offset: number): { before: string; wrong: string; after: string } {
  const at = index_of_byte(text, offset);
  let end = at;
  while (end < text.length && !blank(text[end])) ++end;
  return { before: text.slice(0, at), wrong: text.slice(at, end), after: text.slice(end) };
}
