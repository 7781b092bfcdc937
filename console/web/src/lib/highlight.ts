// Where in the raw request a decoded payload came from. The record holds decoded payloads and the raw text; the raw text is
// decoded step by step (percent, plus, HTML character references, \u escapes) with a map back to the raw positions.

export interface Span {
  begin: number;
  end: number;
}

interface Mapped {
  text: string;
  begin: number[];  // of each UTF-16 unit: where it began in the raw text
  end: number[];
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", colon: ':', lpar: '(', rpar: ')', Tab: '\t', NewLine: '\n' };
const escape = /%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)|\+|&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,7});|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["\\\/])/gi;

function identity(raw: string): Mapped {
  const begin = Array.from({ length: raw.length }, (_, i) => i);
  return { text: raw, begin, end: begin.map((i) => i + 1) };
}

function percent(run: string): string {
  const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => parseInt(hex, 16));
  return new TextDecoder().decode(bytes);
}

function code_text(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

function replacement(match: RegExpMatchArray): string | undefined {
  if (match[1]) return code_text(parseInt(match[1], 16));
  if (match[2]) return percent(match[2]);
  if (match[0] === '+') return ' ';
  if (match[3]) return code_text(parseInt(match[3], 16));
  if (match[4]) return code_text(parseInt(match[4], 10));
  if (match[5]) return named[match[5]];
  if (match[6]) return code_text(parseInt(match[6], 16));
  if (match[7]) return code_text(parseInt(match[7], 16));
  return match[8];
}

function decode_once(from: Mapped): Mapped {
  const out: Mapped = { text: '', begin: [], end: [] };
  let at = 0;
  const copy = (end: number): void => {
    for (; at < end; ++at) {
      out.text += from.text[at];
      out.begin.push(from.begin[at] as number);
      out.end.push(from.end[at] as number);
    }
  };
  for (const match of from.text.matchAll(escape)) {
    const text = replacement(match);
    if (text === undefined) continue;
    copy(match.index);
    const last = match.index + match[0].length;
    // A run of single-byte escapes maps one to one; anything else maps as a whole.
    const one_to_one = match[2] !== undefined && text.length === match[0].length / 3;
    for (let i = 0; i < text.length; ++i) {
      out.text += text[i];
      out.begin.push(from.begin[one_to_one ? at + i * 3 : at] as number);
      out.end.push(from.end[one_to_one ? at + i * 3 + 2 : last - 1] as number);
    }
    at = last;
  }
  copy(from.text.length);
  return out;
}

const max_rounds = 4;

// The first place of `payload` in `raw`, by the least decoding that finds it. Undefined if it is not there (masked, cut, or
// decoded in a way that only the engine knows).
export function find_payload(raw: string, payload: string, from = 0): Span | undefined {
  const wanted = payload.replace(/\u2026\[cut \d+\]$/, '').trim();
  if (wanted.length === 0) return undefined;
  let mapped = identity(raw);
  for (let round = 0; round < max_rounds; ++round) {
    for (const fold of [(s: string) => s, (s: string) => s.toLowerCase()]) {
      const haystack = fold(mapped.text);
      if (haystack.length !== mapped.text.length) continue;
      for (let at = haystack.indexOf(fold(wanted)); at >= 0; at = haystack.indexOf(fold(wanted), at + 1)) {
        const begin = mapped.begin[at] as number;
        if (begin >= from) return { begin, end: mapped.end[at + wanted.length - 1] as number };
      }
    }
    const next = decode_once(mapped);
    if (next.text === mapped.text) return undefined;
    mapped = next;
  }
  return undefined;
}

// UTF-16 index of UTF-8 byte `byte` of `text`.
export function index_of_byte(text: string, byte: number): number {
  let count = 0;
  let index = 0;
  for (const character of text) {
    if (count >= byte) return index;
    const code = character.codePointAt(0) as number;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += character.length;
  }
  return index;
}

// The span to mark for a finding whose bytes are known: the payload inside of it if it can be found there, else the span.
export function narrow_span(text: string, bytes: { begin: number; end: number }, payload: string): Span | undefined {
  const begin = index_of_byte(text, bytes.begin);
  const end = index_of_byte(text, bytes.end);
  if (end <= begin) return find_payload(text, payload);
  const inside = find_payload(text.slice(begin, end), payload);
  return inside ? { begin: begin + inside.begin, end: begin + inside.end } : { begin, end };
}

// Overlapping and unsorted spans as a sorted list without overlap.
export function merge_spans(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.begin - b.begin)) {
    const last = out[out.length - 1];
    if (last && span.begin <= last.end) last.end = Math.max(last.end, span.end);
    else out.push({ ...span });
  }
  return out;
}
