// What the server says in English (reasons of findings, names of rules, texts of problems), in the language of the page: each is
// a template in which {} is put in. Records and answers themselves stay as they are. Pure.

interface Template { parts: string[]; into: string }

let exact: ReadonlyMap<string, string> = new Map();
let templates: readonly Template[] = [];  // the one that says most comes first

// `pairs`: English templates and their translations, which have {} in the same order, or {0}, {1}; none: English.
export function use_reasons(pairs: Record<string, string>): void {
  exact = new Map(Object.entries(pairs));
  templates = [...exact].filter(([english]) => english.includes('{}')).map(([english, into]) => ({ parts: english.split('{}'), into }))
    .sort((a, b) => b.parts.join('').length - a.parts.join('').length);
}

// What stands in the places that a template leaves open; nothing if the text is none of it.
function open_in(parts: readonly string[], text: string): string[] | undefined {
  const [first, ...rest] = parts as [string, ...string[]];
  if (!text.startsWith(first)) return undefined;
  const out: string[] = [];
  let at = first.length;
  for (let i = 0; i < rest.length; ++i) {
    const part = rest[i] as string;
    const found = i + 1 === rest.length ? text.length - part.length : text.indexOf(part, at);
    if (found < at || !text.startsWith(part, found)) return undefined;
    out.push(text.slice(at, found));
    at = found + part.length;
  }
  return out;
}

// `depth`: how deep what is put in may be a phrase of the server's too ("expected {}"). In a reason it is the attacker's.
export function reason_text(english: string, depth = 0): string {
  const whole = exact.get(english);
  if (whole !== undefined) return whole;
  for (const { parts, into } of templates) {
    const open = open_in(parts, english);
    if (!open) continue;
    let next = 0;
    return into.replace(/\{(\d?)\}/g, (_, n: string) => {
      const value = open[n === '' ? next++ : Number(n)] ?? '';
      return depth > 0 ? reason_text(value, depth - 1) : value;
    });
  }
  return english;
}

// A problem's text, which may begin with the name of the member that it is about.
export function problem_text(english: string): string {
  if (exact.size === 0 || exact.has(english)) return reason_text(english, 1);
  const [, member = '', rest = english] = /^([a-z_][\w.[\]]*: )(.*)$/s.exec(english) ?? [];
  return member + reason_text(rest, 1);
}
