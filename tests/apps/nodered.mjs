// Node-RED of npm: flows made in its editor and by its interface, with functions, templates and settings of nodes in them.
import path from 'node:path';

import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Node-RED';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.folder = stage.temp('flows');
  stage.settings = stage.write(
    path.join(stage.folder, 'settings.js'),
    `module.exports = { flowFile: 'flows.json', userDir: ${JSON.stringify(stage.folder)}, uiHost: '127.0.0.1', uiPort: ${stage.appPort}, credentialSecret: 'a quiet kitchen', externalModules: { palette: { allowInstall: false } }, telemetry: { enabled: false, updateNotification: false }, logging: { console: { level: 'error' } } };\n`,
  );
}

export async function start(stage) {
  stage.run(process.execPath, [path.join(here, 'node_modules/node-red/red.js'), '--settings', stage.settings], {
    cwd: stage.folder,
    env: { ...stage.env },
  });
  await stage.answers('/settings');
}

const code = [
  'msg.payload = Number(msg.payload) * 1.8 + 32;\nreturn msg;',
  "const now = new Date();\nif (now.getHours() < 6 || now.getHours() > 22) {\n    node.status({fill: 'grey', shape: 'ring', text: \"it's night\"});\n    return null;\n}\nflow.set('count', (flow.get('count') || 0) + 1);\nreturn [msg, {payload: `count: ${flow.get('count')}`}];",
  "const rows = msg.payload.split('\\n').filter(r => r && !r.startsWith('#'));\nmsg.payload = rows.map(r => {\n    const [name, value] = r.split(';');\n    return {name: name.trim(), value: parseFloat(value)};\n});\nreturn msg;",
  'msg.topic = "INSERT INTO readings (sensor, value, at) VALUES (?, ?, NOW())";\nmsg.payload = [msg.sensor, msg.payload];\nreturn msg;',
];

function flowOf(at, { posts, comments, markdown }) {
  const id = (kind) => `${kind}${at}`.padStart(16, '0').replace(/\W/g, '0');
  const post = posts[at % posts.length];
  const base = { z: id('tab'), x: 140 + at * 10, y: 80, wires: [[]] };
  return [
    {
      id: id('tab'),
      type: 'tab',
      label: post.title,
      disabled: false,
      info: markdown[at % markdown.length],
      env: [{ name: 'PLACE', value: people[at % people.length].city, type: 'str' }],
    },
    { id: id('comment'), type: 'comment', name: comments[at % comments.length].slice(0, 60), info: comments[at % comments.length], ...base },
    {
      id: id('inject'),
      type: 'inject',
      name: 'every 5 min',
      props: [{ p: 'payload' }, { p: 'topic', vt: 'str' }],
      repeat: '300',
      crontab: '*/5 8-18 * * 1-5',
      once: false,
      topic: `home/${post.language}/temp`,
      payload: '{"a":[1,2,3],"b":"it\'s"}',
      payloadType: 'json',
      ...base,
    },
    {
      id: id('function'),
      type: 'function',
      name: 'convert',
      func: code[at % code.length],
      outputs: 1,
      timeout: 0,
      noerr: 0,
      initialize: '',
      finalize: '',
      libs: [],
      ...base,
    },
    {
      id: id('template'),
      type: 'template',
      name: 'page',
      field: 'payload',
      fieldType: 'msg',
      format: 'handlebars',
      syntax: 'mustache',
      template: `<html><head><title>{{title}}</title></head><body>${post.html}{{#rows}}<li>{{name}}: {{{value}}} {{^last}}, {{/last}}</li>{{/rows}}</body></html>`,
      output: 'str',
      ...base,
    },
    {
      id: id('switch'),
      type: 'switch',
      name: '',
      property: 'payload.temp',
      propertyType: 'msg',
      rules: [
        { t: 'gte', v: '30', vt: 'num' },
        { t: 'regex', v: '^(on|off)$', vt: 'str', case: true },
        { t: 'jsonata_exp', v: '$sum(payload.items.(price * count)) > 100 and $not(archived)', vt: 'jsonata' },
        { t: 'else' },
      ],
      checkall: 'true',
      repair: false,
      outputs: 4,
      ...base,
    },
    {
      id: id('change'),
      type: 'change',
      name: '',
      rules: [
        { t: 'set', p: 'payload', pt: 'msg', to: '$now("[D01].[M01].[Y0001]") & " - " & $uppercase(name)', tot: 'jsonata' },
        { t: 'change', p: 'topic', pt: 'msg', from: '/', fromt: 'str', to: '.', tot: 'str' },
        { t: 'delete', p: 'req.headers.cookie', pt: 'msg' },
      ],
      ...base,
    },
    {
      id: id('http'),
      type: 'http request',
      name: 'weather',
      method: 'GET',
      ret: 'obj',
      paytoqs: 'ignore',
      url: 'https://api.weather.example/v1/forecast?q={{{city}}}&units=metric',
      tls: '',
      persist: false,
      proxy: '',
      insecureHTTPParser: false,
      authType: 'bearer',
      headers: [{ keyType: 'Accept', keyValue: '', valueType: 'other', valueValue: 'application/json' }],
      ...base,
    },
    { id: id('httpin'), type: 'http in', name: '', url: `/hooks/${at}/:name`, method: 'post', upload: false, ...base },
    {
      id: id('file'),
      type: 'file',
      name: '',
      filename: '/data/log/readings.csv',
      filenameType: 'str',
      appendNewline: true,
      createDir: true,
      overwriteFile: 'false',
      encoding: 'utf8',
      ...base,
    },
    { id: id('split'), type: 'split', name: '', splt: '\\n', spltType: 'str', arraySplt: 1, addname: '', ...base },
    {
      id: id('mqtt'),
      type: 'mqtt in',
      name: '',
      topic: 'zigbee2mqtt/+/temperature/#',
      qos: '1',
      datatype: 'auto-detect',
      broker: '',
      nl: false,
      rap: true,
      ...base,
    },
  ];
}

async function useFlows(stage, texts) {
  const count = Math.max(texts.posts.length, texts.comments.length);
  const headers = { 'Node-RED-API-Version': 'v2', 'Node-RED-Deployment-Type': 'full' };
  for (let at = 0; at < count; ++at) await stage.sendJson('POST', '/flows', { flows: flowOf(at, texts) }, headers);
  for (let at = 0; at < count; ++at) {
    const [tab, ...nodes] = flowOf(at + 100, texts);
    await stage.sendJson('POST', '/flow', { ...tab, nodes, configs: [] });
    await stage.sendJson('POST', `/library/local/functions/${encodeURIComponent(`notes ${at}`)}.js`, {
      name: `notes ${at}`,
      outputs: 1,
      text: code[at % code.length],
    });
    await stage.sendJson('POST', '/settings/user', {
      editor: { view: { 'view-grid-size': 20 } },
      search: texts.searches[at % texts.searches.length],
    });
  }
  for (const text of texts.searches) {
    await stage.sendJson('POST', `/hooks/0/${encodeURIComponent(text)}?q=${encodeURIComponent(text)}`, { text, at: '2026-11-18T08:15:00Z' });
    await stage.send('GET', `/context/global/${encodeURIComponent(text)}?store=default`);
  }
}

async function useEditor(stage, { posts }) {
  const page = await stage.page();
  await stage.go(page, '/');
  for (const [at, post] of posts.slice(0, 4).entries()) {
    await stage.step(`import ${at}`, async () => {
      await page.evaluate(
        (nodes) => window.RED.view.importNodes(nodes, { addFlow: true, generateIds: true }),
        flowOf(at + 200, { posts: [post], comments, markdown }),
      );
      await stage.sent(page, () => page.evaluate(() => window.RED.actions.invoke('core:deploy-flows')));
    });
  }
}

export async function drive(stage) {
  await useFlows(stage, { posts, comments, searches, markdown });
  await useEditor(stage, { posts });
}

export const driveTechnical = (stage) => useFlows(stage, technicalTexts);
