// Bundles the page and writes it as files (--out DIR), as a C++ source to be linked into the program (--cpp DIR), or both.
// Every asset but the page itself has the digest of its content in its name, so that it may be cached for ever.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { make_documents } from './docs.mjs';
import { loader } from './loader.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const max_compressed_bytes = 120_000;
const max_catalogue_bytes = 80_000;  // compressed; loaded by readers of that language alone

function option(name) {
  const at = process.argv.indexOf(name);
  if (at < 0) return undefined;
  const value = process.argv[at + 1];
  if (!value) throw new Error(`${name} needs a folder`);
  return value;
}

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    define,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    loader,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'warning',
    absWorkingDir: here,
  });
  return Buffer.from(result.outputFiles[0].contents);
}

function digest_of(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function asset(path, content_type, content) {
  const gzip = gzipSync(content, { level: 9 });
  gzip[9] = 255;  // the "operating system" byte differs between versions of Node
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  return { path, content_type, etag: digest_of(content), identity: content, gzip, brotli, immutable: path.startsWith('/assets/') };
}

function hashed(name, extension, content_type, content) {
  return asset(`/assets/${name}-${digest_of(content)}.${extension}`, content_type, content);
}

// English texts of the server with their translations: sentences and rule names of judgements, texts of problems.
function reasons_in(language) {
  const rows = (folder) => readFileSync(join(here, `../..`, folder, `${language}.txt`), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).slice(1);
  return Object.fromEntries(['detect/judge', 'detect/signatures', 'detect/policy', 'detect/analyze/http', 'console/api', 'console/settings', 'forward/io'].flatMap(rows).map((row) => row.split('\t')));
}

// English is part of the page; each other language is an asset that its readers load.
function catalogues() {
  const list = readdirSync(join(here, 'texts')).filter((name) => name.endsWith('.json') && name !== 'en.json').sort();
  return list.map((name) => {
    const language = name.slice(0, -5);
    const texts = JSON.parse(readFileSync(join(here, 'texts', name), 'utf8'));
    const text = JSON.stringify({ texts, reasons: reasons_in(language) });
    return [language, hashed(`text-${language}`, 'json', 'application/json', Buffer.from(text))];
  });
}

async function make_assets() {
  const languages = catalogues();
  const places = Object.fromEntries(languages.map(([language, made]) => [language, made.path]));
  const js = hashed('app', 'js', 'text/javascript; charset=utf-8', await bundle('src/main.tsx', { CATALOGUES: JSON.stringify(places) }));
  const theme = hashed('theme', 'js', 'text/javascript; charset=utf-8', await bundle('src/theme.ts'));
  const css = hashed('app', 'css', 'text/css; charset=utf-8', await bundle('src/styles/main.css'));
  const icon = hashed('icon', 'svg', 'image/svg+xml', readFileSync(join(here, 'src/icon.svg')));
  let html = readFileSync(join(here, 'src/index.html'), 'utf8');
  for (const [mark, path] of [['@APP_JS@', js.path], ['@THEME_JS@', theme.path], ['@APP_CSS@', css.path], ['@ICON@', icon.path]]) {
    if (!html.includes(mark)) throw new Error(`src/index.html lacks ${mark}`);
    html = html.replace(mark, path);
  }
  const docs_css = hashed('docs', 'css', 'text/css; charset=utf-8', await bundle('src/styles/docs.css'));
  const docs = make_documents(join(here, '../..'), docs_css.path, icon.path).map(([name, text]) => asset(`/docs/${name}`, 'text/html; charset=utf-8', Buffer.from(text)));
  return [asset('/', 'text/html; charset=utf-8', Buffer.from(html)), js, theme, css, icon, ...languages.map(([, made]) => made), docs_css, ...docs];
}

// An array of bytes: string literals above 64 KiB are not portable.
function bytes(name, content) {
  const lines = [];
  for (let at = 0; at < content.length; at += 32) lines.push([...content.subarray(at, at + 32)].join(','));
  return `const unsigned char ${name}[] = {\n${lines.join(',\n')}};\n`;
}

const forms = ['identity', 'gzip', 'brotli'];

function cpp_source(list) {
  let text = '// Made by console/web/build.mjs; do not edit.\n#include "console/base/assets.h"\n\n#include <cstddef>\n\n';
  text += 'namespace wafd::console {\nnamespace {\n\n';
  list.forEach((a, i) => forms.forEach((form) => { text += bytes(`${form}${i}`, a[form]); }));
  text += '\ntemplate <std::size_t N>\nstd::string_view view(const unsigned char (&data)[N]) {\n';
  text += '  return {reinterpret_cast<const char*>(data), N};\n}\n\nconst Asset list[] = {\n';
  list.forEach((a, i) => {
    const views = forms.map((form) => `view(${form}${i})`).join(', ');
    text += `    {${JSON.stringify(a.path)}, ${JSON.stringify(a.content_type)}, ${views}, "${a.etag}", ${a.immutable}},\n`;
  });
  return text + '};\n\n}  // namespace\n\nstd::span<const Asset> assets() { return list; }\n\n}  // namespace wafd::console\n';
}

const list = await make_assets();
const is_catalogue = (a) => a.path.startsWith('/assets/text-');
const is_document = (a) => a.path.startsWith('/docs/') || a.path.startsWith('/assets/docs-');  // loaded by who reads them
const compressed = list.filter((a) => !is_catalogue(a) && !is_document(a)).reduce((sum, a) => sum + a.gzip.length, 0);
for (const a of list.filter(is_catalogue)) {
  if (a.gzip.length > max_catalogue_bytes) throw new Error(`${a.path} has ${a.gzip.length} bytes compressed, more than ${max_catalogue_bytes}`);
}
if (compressed > max_compressed_bytes) throw new Error(`the page has ${compressed} bytes compressed, more than ${max_compressed_bytes}`);

const out = option('--out');
if (out) {
  for (const a of list) {
    const file = join(out, a.path === '/' ? 'index.html' : a.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, a.identity);
  }
}
const cpp = option('--cpp');
if (cpp) {
  mkdirSync(cpp, { recursive: true });
  writeFileSync(join(cpp, 'console_assets.cc'), cpp_source(list));
}
if (!out && !cpp) throw new Error('expected --out DIR or --cpp DIR');
console.log(list.map((a) => `${a.path} ${a.identity.length} (${a.gzip.length} compressed)`).join('\n'));
