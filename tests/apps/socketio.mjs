// socket.io and tus of npm: a chat whose clients poll, and an upload server, used by their own clients.
import path from 'node:path';
import { createRequire } from 'node:module';

import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'socket.io (a chat by polling) and tus (uploads in pieces)';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

const program = (folder) => `import http from 'node:http';
import { createRequire } from 'node:module';
const require = createRequire(${JSON.stringify(path.join(folder, 'x.js'))});
const { Server } = require('socket.io');
const { Server: Tus } = require('@tus/server');
const { FileStore } = require('@tus/file-store');
const tus = new Tus({ path: '/files', datastore: new FileStore({ directory: process.env.FILES }) });
const server = http.createServer((request, answer) => (request.url.startsWith('/files') ? tus.handle(request, answer) : answer.end('chat')));
new Server(server, { maxHttpBufferSize: 1e7 }).of('/rooms').on('connection', (client) => {
  client.on('say', (text, answer) => {
    client.emit('said', text);
    answer?.('ok');
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
`;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.program = stage.write(path.join(stage.temp('server'), 'server.mjs'), program(path.join(here, 'node_modules')));
}

export async function start(stage) {
  stage.run(process.execPath, [stage.program], { env: { ...process.env, PORT: `${stage.appPort}`, FILES: stage.temp('files') } });
  await stage.answers();
}

// What people type into a chat beside sentences.
const lines = ['brb & afk', '/join #channel', '/msg anna hi; u there?', '<3 >:(', 'a|b', '50/50', "'quoted'", '`tick`', '\\o/', '¯\\_(ツ)_/¯', '```js\nconst a = 1;\n```', '1) a\n2) b', '@all: meeting @ 5; room 3', 'see https://x.example/a?b=c&d=e#f'];

async function chat(stage, messages) {
  const { io } = createRequire(path.join(here, 'package.json'))('socket.io-client');
  const client = io(`http://${stage.address}/rooms`, {
    transports: ['polling'],
    auth: { token: "it's 5 o'clock" },
    query: { room: "Anna's room & co", client: 'web 1.2; 3' },
  });
  try {
    await new Promise((resolve, reject) => client.on('connect', resolve).on('connect_error', reject));
    for (const message of messages) await new Promise((resolve) => client.emit('say', message, resolve));
  } finally {
    client.close();
  }
}

async function use(stage, texts, more) {
  await stage.step('chat', () => chat(stage, [...more, ...texts.comments, ...texts.markdown, ...texts.searches, ...texts.posts.map((post) => post.html)]), 90);
  await stage.step('objects', () => chat(stage, texts.posts.map((post) => ({ title: post.title, tags: post.tags, text: post.html }))), 60);
  const { Upload } = createRequire(path.join(here, 'package.json'))('tus-js-client');
  for (const [at, post] of texts.posts.entries()) {
    const metadata = { filename: `${post.title}.html`, filetype: 'text/html', caption: texts.comments[at % texts.comments.length] };
    await stage.step(
      'upload',
      () =>
        new Promise((onSuccess, onError) => {
          const content = Buffer.from(post.html.repeat(5));
          new Upload(content, { endpoint: `http://${stage.address}/files`, chunkSize: 3000, metadata, onSuccess, onError }).start();
        }),
    );
  }
}

export async function drive(stage) {
  await use(stage, { posts, comments, searches, markdown }, [...lines, ...people, ...passwords.map((password) => ({ user: 'anna', password }))]);
}

export const driveTechnical = (stage) => use(stage, technicalTexts, []);
