// English texts of the server (reasons of findings, names of rules, texts of problems), in the language of the page: each is
// a template in which {} is put in. Records and answers themselves stay as they are. Pure.

interface Template { parts: string[]; into: string }

let exact: ReadonlyMap<string, string> = new Map();
let templates: readonly Template[] = [];  // the one that says most comes first
let endings: readonly (readonly [string, string])[] = [];  // "; the site is in monitor mode": what a decision adds to a sentence

// `pairs`: English templates and their translations, which have {} in the same order, or {0}, {1}; none: English.
export function use_reasons(pairs: Record<string, string>): void {
  exact = new Map(Object.entries(pairs));
  endings = [...exact].filter(([english]) => english.startsWith('; '));
  templates = [...exact].filter(([english]) => english.includes('{}')).map(([english, into]) => ({ parts: english.split('{}'), into }))
    .sort((a, b) => b.parts.join('').length - a.parts.join('').length);
}

// The texts in the placeholders of a template; undefined if the text does not match it.
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

// The text of a verdict: a sentence, which may lose its full stop before what the decision adds to it, or the name of a rule with
// the vulnerabilities that it is about in parentheses.
export function verdict_text(english: string): string {
  const ending = endings.find(([one]) => english.endsWith(one));
  if (ending) {
    const sentence = english.slice(0, -ending[0].length);
    return (exact.get(`${sentence}.`)?.replace(/。$/, '') ?? verdict_text(sentence)) + ending[1];
  }
  const [, name, numbers] = /^(.+)( \(CVE-[^()]+\))$/s.exec(english) ?? [];
  return name !== undefined && numbers !== undefined && exact.has(name) ? exact.get(name) + numbers : reason_text(english);
}

// A problem's text, which may begin with the name of the member that it is about, or with the number of a line; of several lines
// each is said by itself.
export function problem_text(english: string): string {
  if (exact.size === 0 || exact.has(english)) return reason_text(english, 1);
  const [one = '', ...more] = english.split(/; (?=line \d+: |and \d+ more lines$)/);
  if (more.length > 0) return [one, ...more].map(problem_text).join('；');
  const [, line, what] = /^line (\d+): (.*)$/s.exec(english) ?? [];
  if (line !== undefined && what !== undefined) return reason_text(`line ${line}: `) + problem_text(what);
  const [, member = '', rest = english] = /^([a-z_][\w.[\]]*: )(.*)$/s.exec(english) ?? [];
  return member ? member + problem_text(rest) : reason_text(rest, 1);
}
