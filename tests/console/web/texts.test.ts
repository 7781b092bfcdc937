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

test('every text of the table is used', () => {
  const table = parsed.find((source) => source.fileName.endsWith('/text.ts')) as ts.SourceFile;
  const said: string[] = [];
  each(table, (node) => {
    if (!ts.isVariableDeclaration(node) || node.name.getText() !== 't') return;
    const walk = (value: ts.Expression, at: string): void => {
      const inner = ts.isAsExpression(value) ? value.expression : value;
      if (!ts.isObjectLiteralExpression(inner)) return void said.push(at);
      for (const member of inner.properties) {
        if (!ts.isPropertyAssignment(member)) continue;
        const of_members = ts.isAsExpression(member.initializer) && member.initializer.type.getText() !== 'const';
        // What is looked up by a value of the server is one entry.
        if (of_members) said.push(`${at}.${member.name.getText()}`);
        else walk(member.initializer, `${at}.${member.name.getText()}`);
      }
    };
    walk(node.initializer as ts.Expression, 't');
  });
  assert.ok(said.length > 300, `${said.length} texts`);
  const code = parsed.filter((source) => source !== table).map((source) => source.text).join('\n');
  // By its name, by the name of a table it stands in (t.role[role]), or through a short name for a part of the table (x.host).
  const tables = new Set([...code.matchAll(/\b(t(?:\.\w+)+)\s*(?:\[|\)|,|as unknown)/g)].map((m) => m[1] as string));
  const parts = new Map([...code.matchAll(/const (\w+) = (t(?:\.\w+)+);/g)].map((m) => [m[2] as string, m[1] as string]));
  for (const [whole, short] of parts) for (const [, member] of code.matchAll(new RegExp(`\\b${short}\\.(\\w+)\\[`, 'g'))) tables.add(`${whole}.${member}`);
  const unused = said.filter((name) => {
    const dot = name.lastIndexOf('.');
    const parent = name.slice(0, dot);
    const short = parts.get(parent);
    return !new RegExp(`\\b${name.replace(/\./g, '\\.')}\\b`).test(code) && !tables.has(parent) && !(short && new RegExp(`\\b${short}\\.${name.slice(dot + 1)}\\b`).test(code));
  });
  assert.deepEqual(unused, []);
});
