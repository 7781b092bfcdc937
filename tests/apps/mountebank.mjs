// mountebank of npm: stand-ins for services, described by predicates on requests and by answers; its pages.
import path from 'node:path';

import { freePort } from '../e2e/support/processes.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'mountebank';
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const program = path.join(here, 'node_modules/mountebank/bin/mb');

export async function prepare(stage) {
  stage.folder = stage.temp('mountebank');
  stage.imposter = await freePort();
}
export async function start(stage) {
  stage.run(
    process.execPath,
    [
      program,
      'start',
      '--port',
      `${stage.appPort}`,
      '--host',
      '127.0.0.1',
      '--nologfile',
      '--pidfile',
      `${stage.folder}/pid`,
      '--allowInjection',
      '--localOnly',
      '--origin',
      'false',
    ],
    { env: stage.env, cwd: stage.folder },
  );
  await stage.answers('/');
}

const bodies = [
  '^\\{"name":"[A-Z]\\w+',
  'total=\\d+(\\.\\d{2})?$',
  '(?i)plum|cherry|pear',
  '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
  "(O'|Mc)[A-Z][a-z]+",
  '^\\{"name":"[A-Z]\\w+(\\s|\')?.*"\\}$',
];
const code = [
  "function (config) {\n  return config.request.headers['Authorization'] !== undefined && config.request.body.indexOf('cake') >= 0;\n}",
  '(config, injectState) => {\n  const order = JSON.parse(config.request.body);\n  injectState.count = (injectState.count || 0) + 1;\n  return { statusCode: order.total > 100 ? 201 : 400, body: JSON.stringify({ id: injectState.count, at: new Date().toISOString() }) };\n}',
];
async function write(stage, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.entries()) {
    const one = people[at % people.length];
    const text = searches[at % searches.length];
    const stub = {
      predicates: [
        { equals: { method: 'POST', path: `/orders/${at}`, query: { q: text, name: one.name }, headers: { Accept: 'application/json' } } },
        {
          and: [
            { contains: { body: text } },
            { not: { startsWith: { path: '/old' } } },
            { or: [{ endsWith: { body: post.title } }, { exists: { query: { page: true }, headers: { Authorization: false } } }] },
          ],
        },
        { matches: { body: bodies[at % bodies.length], path: '/(orders|items)/\\d+' }, caseSensitive: true, except: '^\\s*The ' },
        { deepEquals: { body: { title: post.title } }, jsonpath: { selector: '$..book[?(@.price < 10)].title' } },
        { equals: { body: one.city }, xpath: { selector: "//a:title[@lang='de' or position()=1]/text()", ns: { a: 'http://example.com/book' } } },
      ],
      responses: [
        {
          is: { statusCode: 200, headers: { 'Content-Type': 'text/html; charset=utf-8', 'Set-Cookie': 'a=b; Path=/' }, body: post.html },
          _behaviors: {
            wait: 500,
            copy: [{ from: { query: 'name' }, into: '${NAME}', using: { method: 'regex', selector: '\\w+', options: { ignoreCase: true } } }],
            lookup: [
              {
                key: { from: 'path', using: { method: 'regex', selector: '/(.*)$' }, index: 1 },
                fromDataSource: { csv: { path: 'values.csv', keyColumn: 'Name', delimiter: ';' } },
                into: '${row}',
              },
            ],
          },
        },
        { is: { body: { message: comments[at % comments.length], text: markdown[at % markdown.length], next: "${row}['city']" } }, repeat: 3 },
        { fault: 'CONNECTION_RESET_BY_PEER' },
      ],
    };
    await stage.sendJson('POST', '/imposters', {
      port: stage.imposter,
      protocol: 'http',
      name: `${one.name}: ${post.title}`,
      recordRequests: true,
      stubs: [stub],
      defaultResponse: { statusCode: 404, body: text },
    });
    await stage.sendJson('PUT', `/imposters/${stage.imposter}/stubs/0`, stub);
    await stage.sendJson('POST', `/imposters/${stage.imposter}/stubs`, { index: 0, stub });
    await stage.send('DELETE', `/imposters/${stage.imposter}?replayable=true&removeProxies=true`);
  }
}

export async function drive(stage) {
  await write(stage, {
    posts: [...posts, ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    markdown,
    searches: [...searches, ...lookups],
  });
  const page = await stage.page();
  await explore(stage, page, ['/', '/imposters', '/config', '/logs?startIndex=-10', '/docs/overview'], { pages: 24 });
}
export async function driveTechnical(stage) {
  await write(stage, technicalTexts);
  // Functions of JavaScript that a tester writes.
  for (const inject of code)
    await stage.sendJson('POST', '/imposters', {
      port: stage.imposter,
      protocol: 'http',
      stubs: [{ predicates: [{ inject: code[0] }], responses: [{ inject }] }],
    });
}
