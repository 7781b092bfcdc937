// The chart with its values, without Helm:  node packaging/helm/render.mjs >packaging/kubernetes/wafd.yaml
// Of Helm's templates it knows what the chart uses: {{ .Values.PATH }}, {{ .Release.Name }}, {{ .Release.Namespace }}, each also with
// `| toJson`, and a whole file between {{- if .Values.PATH }} (or `and` of several) and {{- end }}. Anything else is an error.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const chart = path.join(path.dirname(fileURLToPath(import.meta.url)), 'wafd');
const order = ['configmap', 'service', 'statefulset', 'poddisruptionbudget', 'networkpolicy', 'networkpolicy-metrics', 'servicemonitor'];

// As Go writes it: members by name.
const sorted = (value) => (Array.isArray(value) ? value.map(sorted) : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value);

function value_of(expression, given) {
  const [name, ...filters] = expression.split('|').map((part) => part.trim());
  if (!/^\.(Values|Release)(\.\w+)+$/.test(name)) throw new Error(`the renderer does not know ${expression}`);
  let value = given;
  for (const member of name.slice(1).split('.')) {
    if (!(member in value)) throw new Error(`no value ${name}`);
    value = value[member];
  }
  for (const filter of filters) {
    if (filter !== 'toJson') throw new Error(`the renderer does not know ${filter}`);
    value = JSON.stringify(sorted(value));
  }
  if (typeof value === 'object') throw new Error(`${name} is no text: | toJson`);
  return value;
}

export function render_template(text, given) {
  const whole = /^\{\{- if (?:and )?(\S+(?: \S+)*) \}\}\n([\s\S]*)\{\{- end \}\}\n?$/.exec(text);
  if (whole && !whole[1].split(' ').every((one) => value_of(one, given))) return '';
  return (whole ? whole[2] : text).replace(/\{\{-? (.*?) -?\}\}/g, (_, expression) => String(value_of(expression, given)));
}

// `values`: of values.yaml, read by the caller.
export function render(values, release = { Name: 'wafd', Namespace: 'security' }) {
  const made = order.map((name) => render_template(fs.readFileSync(path.join(chart, 'templates', `${name}.yaml`), 'utf8'), { Values: values, Release: release }));
  return made.filter(Boolean).map((text) => text.trimEnd()).join('\n---\n') + '\n';
}
export const values_file = path.join(chart, 'values.yaml');

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { parse } = await import(pathToFileURL(path.join(chart, '../../../tests/e2e/node_modules/yaml/dist/index.js')).href);
  process.stdout.write('# wafd in Kubernetes, made by `node packaging/helm/render.mjs` of the chart and its values; changes here are lost.\n' + render(parse(fs.readFileSync(values_file, 'utf8'))));
}
