// pouchdb-server of npm, which speaks CouchDB's interface: documents, bulk writes, views, Mango queries, attachments, as applications use it.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'pouchdb-server (CouchDB)';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.folder = stage.temp('data');
  stage.files = await makeFiles(stage.temp('files'));
}

export async function start(stage) {
  stage.run(
    process.execPath,
    [path.join(here, 'node_modules/pouchdb-server/bin/pouchdb-server'), '--in-memory', '--host', '127.0.0.1', '--port', `${stage.appPort}`],
    { cwd: stage.folder },
  );
  await stage.answers('/');
}

const documents = ({ posts, comments, markdown }) => [
  ...posts.map((post, at) => ({ _id: `post:${at}`, type: 'post', ...post, stars: at, created: '2026-11-18T08:15:00.000Z' })),
  ...comments.map((text, at) => ({
    _id: `comment:${at}`,
    type: 'comment',
    text,
    author: people[at % people.length],
    replies: [{ text, by: "O'Neil" }],
  })),
  ...markdown.map((text, at) => ({
    _id: `note:${at}`,
    type: 'note',
    body: text,
    meta: { 'content-type': 'text/markdown', words: text.split(/\s+/).length },
  })),
];

const design = {
  _id: '_design/posts',
  language: 'javascript',
  views: {
    by_tag: {
      map: "function (doc) {\n  if (doc.type === 'post') {\n    doc.tags.forEach(function (tag) { emit([tag, doc.created], null); });\n  }\n}",
      reduce: '_count',
    },
    by_author: { map: 'function (doc) { if (doc.author && doc.author.name) emit(doc.author.name.toLowerCase(), 1); }', reduce: '_sum' },
    longest: {
      map: 'function(doc) { emit(doc._id, (doc.body || doc.text || "").length); }',
      reduce: 'function (keys, values, rereduce) {\n  return Math.max.apply(null, values);\n}',
    },
  },
  filters: { mine: 'function (doc, req) { return doc.type == req.query.type; }' },
  validate_doc_update:
    "function (newDoc, oldDoc, userCtx) {\n  if (!newDoc.type && !newDoc._deleted) {\n    throw({forbidden: 'A document needs a type; it\\'s required.'});\n  }\n}",
};

const selectors = (text) => [
  { selector: { type: 'post', stars: { $gte: 3 } }, fields: ['_id', 'title'], limit: 25 },
  { selector: { type: { $eq: 'comment' }, text: { $regex: `(?i)${text.replace(/[\\()[\]{}*+?.|^$]/g, '\\$&')}` } } },
  { selector: { $and: [{ _id: { $gt: null } }, { $or: [{ title: text }, { tags: { $elemMatch: { $eq: text } } }] }] }, sort: [{ _id: 'desc' }] },
  { selector: { created: { $gt: '2026-01-01', $lt: '2026-12-31' }, type: { $in: ['post', 'note'] }, draft: { $exists: false } }, skip: 10 },
  { selector: { 'author.name': { $ne: text }, stars: { $not: { $mod: [2, 1] } } }, use_index: ['_design/posts', 'by-author'] },
];

async function useDatabase(stage, name, texts) {
  const json = (method, where, body) => stage.sendJson(method, where, body, { 'User-Agent': agents.go, Accept: 'application/json' });
  await stage.send('PUT', `/${name}`);
  await json('POST', `/${name}/_bulk_docs`, { docs: documents(texts) });
  for (const one of documents(texts)) await json('PUT', `/${name}/${encodeURIComponent(`copy ${one._id}`)}`, { ...one, _id: `copy ${one._id}` });
  await json('PUT', `/${name}/_design/posts`, design);
  await json('POST', `/${name}/_index`, { index: { fields: ['type', 'created'] }, name: 'type-and-date', type: 'json' });
  for (const text of texts.searches) {
    for (const query of selectors(text)) await json('POST', `/${name}/_find`, query);
    await json('POST', `/${name}/_explain`, selectors(text)[0]);
    const key = encodeURIComponent(JSON.stringify(text));
    await stage.send('GET', `/${name}/_design/posts/_view/by_tag?startkey=%5B${key}%5D&endkey=%5B${key}%2C%7B%7D%5D&reduce=false&include_docs=true`);
    await stage.send('GET', `/${name}/_all_docs?startkey=${key}&endkey=${encodeURIComponent(JSON.stringify(`${text}\ufff0`))}&limit=21`);
  }
  await json('POST', `/${name}/_all_docs?include_docs=true`, { keys: ['post:0', "O'Neil", 'note:1'] });
  await json('POST', `/${name}/_revs_diff`, { 'post:0': ['1-967a00dff5e02add41819138abb3284d'] });
  await json('POST', `/${name}/_changes?feed=normal&style=all_docs&since=0&filter=_selector`, { selector: { type: 'post' } });
}

export async function drive(stage) {
  await useDatabase(stage, 'kitchen', { posts, comments, searches, markdown });
  for (const [at, file] of Object.values(stage.files)
    .flat()
    .filter((one) => typeof one === 'string')
    .entries()) {
    await stage.send('PUT', `/kitchen/file:${at}/${encodeURIComponent(path.basename(file))}`, {
      headers: { 'Content-Type': 'application/octet-stream' },
      body: fs.readFileSync(file),
    });
    await stage.sendJson('PUT', `/kitchen/inline:${at}`, {
      type: 'file',
      _attachments: { [path.basename(file)]: { content_type: 'application/octet-stream', data: fs.readFileSync(file).toString('base64') } },
    });
  }
  await stage.sendJson('POST', '/_replicate', { source: 'kitchen', target: 'backup', create_target: true, continuous: false });
  const page = await stage.page();
  for (const where of ['', '#database/kitchen/_all_docs', '#database/kitchen/post%3A0', '#database/kitchen/_find', '#/_config', '#replication'])
    await stage.go(page, `/_utils/${where}`);
}

export const driveTechnical = (stage) => useDatabase(stage, 'security', technicalTexts);
