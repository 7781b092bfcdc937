// Every text of the page stands in one table, and no text of the table has lost its place on the page.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import ts from 'typescript';

const folder = path.join(process.cwd(), 'src');
const files = (fs.readdirSync(folder, { recursive: true }) as string[]).filter((name) => /\.tsx?$/.test(name)).map((name) => path.join(folder, name));
const parsed = files.map((name) => ts.createSourceFile(name, fs.readFileSync(name, 'utf8'), ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS));

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

const word = /\p{L}{2,}/u;
const spoken = new Set(['label', 'title', 'aria-label', 'aria-description', 'placeholder', 'text', 'hint', 'alt', 'error']);
// Examples of what the reader types, as what stands in <code>: the same in every language.
const examples = /^[\d.:/[\]a-f*-]+$/;

test('no component says anything but from the table', () => {
  assert.ok(files.length > 40, `${files.length} files`);
  const found: string[] = [];
  for (const source of parsed) {
    const say = (text: string): void => { if (word.test(text) && !examples.test(text)) found.push(`${path.relative(folder, source.fileName)}: ${text.trim()}`); };
    each(source, (node) => {
      if (ts.isJsxText(node) && !(ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === 'code')) say(node.text);
      if (ts.isJsxAttribute(node) && spoken.has(node.name.getText()) && node.initializer) {
        if (ts.isStringLiteral(node.initializer)) say(node.initializer.text);
        else each(node.initializer, (inner) => { if (ts.isTemplateHead(inner) || ts.isTemplateMiddle(inner) || ts.isTemplateTail(inner)) say(inner.text); });
      }
      // A child in braces: a literal, or one side of a choice.
      if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
        const branches = (e: ts.Expression): void => {
          if (ts.isStringLiteralLike(e)) say(e.text);
          else if (ts.isTemplateExpression(e)) [e.head, ...e.templateSpans.map((s) => s.literal)].forEach((part) => say(part.text));
          else if (ts.isConditionalExpression(e)) { branches(e.whenTrue); branches(e.whenFalse); }
          else if (ts.isBinaryExpression(e)) branches(e.right);
          else if (ts.isParenthesizedExpression(e)) branches(e.expression);
        };
        branches(node.expression);
      }
    });
  }
  assert.deepEqual(found, []);
});

// --- the catalogues: texts/LANGUAGE.json

type Node = string | { [key: string]: Node };
const read = (language: string): Node => JSON.parse(fs.readFileSync(path.join('texts', `${language}.json`), 'utf8')) as Node;
const languages = fs.readdirSync('texts').filter((name) => /^[a-z]{2}(-[A-Z]{2})?\.json$/.test(name)).map((name) => name.slice(0, -5));
const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

// A text, or the forms of one by plural category.
const is_plural = (node: Node): node is Record<string, string> => typeof node === 'object' && typeof node.other === 'string' && Object.keys(node).every((key) => categories.has(key));
const is_text = (node: Node): boolean => typeof node === 'string' || is_plural(node);

function texts_of(node: Node, at = 't'): [string, Node][] {
  if (is_text(node)) return [[at, node]];
  return Object.entries(node).flatMap(([key, inner]) => texts_of(inner, `${at}.${key}`));
}

// The names of what a text leaves open; of a plural: those of its fullest form, and always the number.
function open_in(node: Node): string[] {
  const names = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1] as string);
  return [...new Set(typeof node === 'string' ? names(node) : ['n', ...Object.values(node).flatMap((form) => names(form as string))])].sort();
}

const english = new Map(texts_of(read('en')));
const code_files = parsed.filter((source) => !source.fileName.endsWith('/text.ts'));

// Tables of which a member is chosen by a value.
function lookups(code: string): { tables: Set<string>; parts: Map<string, string> } {
  const tables = new Set([...code.matchAll(/\b(t(?:\.\w+)+)\s*(?:\[|\)|,|as unknown)/g)].map((m) => m[1] as string));
  const parts = new Map([...code.matchAll(/const (\w+) = (t(?:\.\w+)+);/g)].map((m) => [m[2] as string, m[1] as string]));
  for (const [whole, short] of parts) for (const [, member] of code.matchAll(new RegExp(`\\b${short}\\.(\\w+)\\b(?:\\[|\\))`, 'g'))) tables.add(`${whole}.${member}`);
  return { tables, parts };
}

test('every text of the catalogue is used', () => {
  assert.ok(english.size > 900, `${english.size} texts`);
  const code = code_files.map((source) => source.text).join('\n') + fs.readFileSync('src/text.ts', 'utf8').replace(/^.*?export const t:/s, '');
  // By its name, by the name of a table it stands in (t.role[role]), or through a short name for a part of the table (x.host).
  const { tables, parts } = lookups(code);
  const unused = [...english.keys()].filter((name) => {
    const dot = name.lastIndexOf('.');
    const parent = name.slice(0, dot);
    const short = parts.get(parent);
    return !new RegExp(`\\b${name.replace(/[^\w]/g, '\\$&')}\\b`).test(code) && ![...tables].some((table) => name.startsWith(`${table}.`) && !english.has(table)) && !(short && new RegExp(`\\b${short}\\.${name.slice(dot + 1).replace(/[^\w]/g, '\\$&')}\\b`).test(code));
  });
  assert.deepEqual(unused, []);
});

test('what a text leaves open is put in where it is said, and nowhere else is such a text shown', () => {
  const wrong: string[] = [];
  let said = 0;
  for (const source of code_files) {
    const shorts = new Map<string, string>([['t', 't']]);
    const objects = new Map<string, ts.ObjectLiteralExpression>();
    each(source, (node) => {
      if (!ts.isVariableDeclaration(node) || !node.initializer) return;
      if (/^t(\.\w+)+$/.test(node.initializer.getText())) shorts.set(node.name.getText(), node.initializer.getText());
      if (ts.isObjectLiteralExpression(node.initializer)) objects.set(node.name.getText(), node.initializer);
    });
    const full = (text: string): string => text.replace(/^\w+/, (first) => shorts.get(first) ?? first);
    // The texts that an expression may be.
    const texts = (e: ts.Expression): string[] => {
      if (ts.isConditionalExpression(e)) return [...texts(e.whenTrue), ...texts(e.whenFalse)];
      if (ts.isBinaryExpression(e)) return texts(e.left);
      if (ts.isParenthesizedExpression(e) || ts.isAsExpression(e)) return texts(e.expression);
      if (ts.isElementAccessExpression(e)) { const table = `${full(e.expression.getText())}.`; return [...english.keys()].filter((name) => name.startsWith(table)); }
      return [full(e.getText())];
    };
    const inside = new Set<ts.Node>();
    each(source, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'say') return;
      ++said;
      const [text, open] = node.arguments as unknown as [ts.Expression, ts.Expression];
      each(text, (inner) => inside.add(inner));
      const given = ts.isObjectLiteralExpression(open) ? open : objects.get(open.getText());
      const names = given?.properties.map((member) => member.name?.getText() ?? '').sort() ?? [];
      const spoken_here = texts(text);
      if (spoken_here.length === 0) wrong.push(`${source.fileName}: ${text.getText()} is no text`);
      for (const name of spoken_here) {
        const known = english.get(name);
        if (known === undefined) wrong.push(`${source.fileName}: ${name} is no text`);
        else for (const one of open_in(known)) if (!names.includes(one)) wrong.push(`${source.fileName}: ${name} lacks {${one}}`);
      }
    });
    each(source, (node) => {
      if (!ts.isPropertyAccessExpression(node) || inside.has(node)) return;
      const known = english.get(full(node.getText()));
      if (known !== undefined && open_in(known).length > 0) wrong.push(`${source.fileName}: ${node.getText()} is shown with what it leaves open`);
    });
  }
  assert.ok(said > 90, `${said} calls`);
  assert.deepEqual(wrong, []);
});

test('every language has every text, with all that it leaves open, and none that is no more', () => {
  assert.ok(languages.includes('en'));
  for (const language of languages) {
    const own = new Map(texts_of(read(language)));
    assert.deepEqual([...english.keys()].filter((name) => !own.has(name)), [], `${language} lacks these`);
    assert.deepEqual([...own.keys()].filter((name) => !english.has(name)), [], `${language} has these for nothing`);
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [name, text] of own) {
      const original = english.get(name) as Node;
      assert.deepEqual(open_in(text), open_in(original), `${language}: ${name}`);
      assert.equal(typeof text, typeof original, `${language}: ${name}`);
      for (const form of typeof text === 'string' ? [text] : Object.values(text)) assert.ok((form as string).trim() !== '', `${language}: ${name} is empty`);
      if (typeof text !== 'string') assert.deepEqual(Object.keys(text).sort(), [...forms].sort(), `${language}: plural forms of ${name}`);
    }
  }
});

// Names of products, formats and protocols are the same in every language.
const names = /^(wafd|SSRF|XXE|UDP|TCP|TLS|RELP|Kafka|PostgreSQL|CEF|LEEF 2\.0|RFC \d+|Syslog|SHA-256|Elastic Common Schema|Cookie|User-Agent|HTTP：.*|RFC 3164（BSD）)$|^[\w ]+（[\w，-]+）$|^\{from\} – \{to\}$|^99 %/;

test('nothing of the Chinese catalogue stands untranslated', () => {
  const own = texts_of(read('zh-CN')).map(([name, text]) => [name, typeof text === 'string' ? text : (text as Record<string, string>).other as string] as const);
  const plain = own.filter(([name, text]) => !/\p{Script=Han}/u.test(text) && !names.test(text) && name !== 't.common.list_separator');
  assert.deepEqual(plain, []);
});

// Chinese has its own marks; those of English beside its characters look like a slip, and are one.
test('Chinese texts have the marks of Chinese', () => {
  const slips: string[] = [];
  for (const [at, node] of texts_of(read('zh-CN'))) {
    for (const text of typeof node === 'string' ? [node] : Object.values(node) as string[])
      if (/[\p{Script=Han}”}][,;:!?](?=\s|[\p{Script=Han}{]|$)|[,;:!?(](?=\p{Script=Han})|\p{Script=Han}[()]/u.test(text)) slips.push(`${at}: ${text}`);
  }
  assert.deepEqual(slips, []);
});
