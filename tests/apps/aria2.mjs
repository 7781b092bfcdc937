// aria2: downloads added, changed and listed by its JSON-RPC and XML-RPC, as its web pages and scripts send them.
import { createHash } from 'node:crypto';

import { freePort } from '../e2e/support/processes.mjs';
import { agents, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'aria2';
const secret = "token:it's a quiet kitchen";

export async function prepare(stage) {
  stage.folder = stage.temp('downloads');
  stage.peers = `${await freePort()}`;
}
export async function start(stage) {
  const quiet = [
    '--enable-dht=false',
    '--enable-peer-exchange=false',
    '--bt-enable-lpd=false',
    `--listen-port=${stage.peers}`,
    '--no-conf',
    '--quiet',
  ];
  stage.run(
    'aria2c',
    [
      '--enable-rpc',
      `--rpc-listen-port=${stage.appPort}`,
      '--rpc-listen-all=false',
      `--rpc-secret=${secret.slice(6)}`,
      `--dir=${stage.folder}`,
      '--pause=true',
      ...quiet,
    ],
    { env: stage.env },
  );
  await stage.answers('/jsonrpc');
}

const escaped = (text) => text.replace(/[<>&]/g, (one) => `&#${one.charCodeAt(0)};`);
const xml = (value) =>
  Array.isArray(value)
    ? `<array><data>${value.map((one) => `<value>${xml(one)}</value>`).join('')}</data></array>`
    : typeof value === 'object'
      ? `<struct>${Object.entries(value)
          .map(([name, one]) => `<member><name>${name}</name><value>${xml(one)}</value></member>`)
          .join('')}</struct>`
      : `<string>${escaped(String(value))}</string>`;

export async function drive(stage) {
  let id = 0;
  const call = async (method, ...params) => {
    const answer = await stage.sendJson('POST', '/jsonrpc', { jsonrpc: '2.0', id: `webui_${++id}`, method, params: [secret, ...params] });
    return answer?.status === 200 ? answer.json().result : null;
  };
  const keys = ['gid', 'status', 'totalLength', 'completedLength', 'downloadSpeed', 'files', 'errorMessage', 'bittorrent'];
  for (const [at, post] of posts.entries()) {
    const one = people[at];
    const options = {
      dir: `${stage.folder}/${one.city.replaceAll('/', ' ')}`,
      out: `${post.title.replaceAll('/', ' ')}.iso`,
      split: '5',
      'max-download-limit': '1M',
      header: ['Accept-Language: de', `Cookie: session=a1b2; name=${encodeURIComponent(one.name)}`],
      'http-user': one.mail,
      'http-passwd': passwords[at],
      'user-agent': agents.iphone,
      referer: `https://${one.mail.split('@')[1]}/?q=${encodeURIComponent(one.city)}`,
    };
    const gid = await call(
      'aria2.addUri',
      [`http://127.0.0.1:9/pub/${encodeURIComponent(post.title)}.iso?a=1&b=${post.language}`, `ftp://127.0.0.1:9/mirror/${at}.iso`],
      options,
    );
    await call(
      'aria2.addUri',
      [
        `magnet:?xt=urn:btih:${createHash('sha1').update(post.title).digest('hex')}&dn=${encodeURIComponent(post.title)}&tr=udp%3A%2F%2F127.0.0.1%3A9`,
      ],
      { pause: 'true' },
    );
    if (gid)
      for (const [method, ...values] of [
        ['tellStatus', keys],
        ['getOption'],
        ['changeOption', { 'max-download-limit': `${at}K`, out: `${one.name.replaceAll('/', ' ')} (${at}).iso` }],
        ['changeUri', 1, [], [`http://127.0.0.1:9/other/${at}?name=${encodeURIComponent(one.name)}`]],
        ['changePosition', 0, 'POS_SET'],
        ['getFiles'],
        ['pause'],
      ])
        await call(`aria2.${method}`, gid, ...values);
    await stage.send('POST', '/rpc', {
      headers: { 'Content-Type': 'text/xml', 'User-Agent': 'Python-xmlrpc/3.11' },
      body: `<?xml version="1.0"?>\n<methodCall><methodName>aria2.addUri</methodName><params>${[secret, [`http://127.0.0.1:9/${at}?x=1&y=2`], options].map((one) => `<param><value>${xml(one)}</value></param>`).join('')}</params></methodCall>`,
    });
    await stage.sendJson(
      'POST',
      '/jsonrpc',
      [['tellActive', keys], ['tellWaiting', 0, 1000, keys], ['tellStopped', -1, 1000, keys], ['getGlobalStat']].map(([method, ...params], turn) => ({
        jsonrpc: '2.0',
        id: `${at}.${turn}`,
        method: `aria2.${method}`,
        params: [secret, ...params],
      })),
    );
    await call('aria2.changeGlobalOption', {
      'on-download-complete': '',
      'user-agent': Object.values(agents)[at],
      'max-overall-download-limit': `${at * 10}K`,
      'bt-tracker': 'http://127.0.0.1:9/announce,udp://127.0.0.1:9/announce',
      'file-allocation': 'none',
    });
  }
  for (const text of searches) {
    const params = Buffer.from(
      JSON.stringify([secret, [`http://127.0.0.1:9/search?q=${encodeURIComponent(text)}`], { out: text.replaceAll('/', ' ') }]),
    ).toString('base64');
    await stage.send('GET', `/jsonrpc?method=aria2.addUri&id=foo&params=${encodeURIComponent(params)}&jsoncallback=show`, {
      headers: { 'User-Agent': agents.samsung },
    });
  }
  for (const method of ['getVersion', 'getGlobalOption', 'getSessionInfo', 'pauseAll', 'purgeDownloadResult', 'saveSession'])
    await call(`aria2.${method}`);
  await call(
    'system.multicall',
    people.map((one, at) => ({ methodName: 'aria2.addUri', params: [secret, [`http://127.0.0.1:9/${at}`], { out: one.name.replaceAll('/', ' ') }] })),
  );
}
