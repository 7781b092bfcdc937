// PostGraphile of npm on PostgreSQL: a GraphQL interface made of tables, asked with filters and by its editor in Chromium.
import path from 'node:path';

import { Postgres } from '../e2e/support/postgres.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'PostGraphile (GraphQL of PostgreSQL)';
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const program = path.join(here, 'node_modules/postgraphile/cli.js');

export async function prepare(stage) {
  stage.postgres = await Postgres.start();
  stage.programs.push(stage.postgres.program);
  await stage.postgres.sql(`CREATE SCHEMA shop;
    CREATE TABLE shop.customer (id serial PRIMARY KEY, name text NOT NULL, mail text, phone text, city text, data jsonb);
    CREATE TABLE shop.post (id serial PRIMARY KEY, customer_id int REFERENCES shop.customer, title text NOT NULL, body text, tags text[], made timestamptz DEFAULT now());
    CREATE INDEX ON shop.post (customer_id); CREATE INDEX ON shop.post (title); CREATE INDEX ON shop.customer (city);
    CREATE FUNCTION shop.search_posts(term text) RETURNS SETOF shop.post LANGUAGE sql STABLE AS $$ SELECT * FROM shop.post WHERE body ILIKE '%' || term || '%' $$`);
}
export async function start(stage) {
  const url = stage.postgres.url.replace('owner@', 'owner:secret@');
  stage.run(
    process.execPath,
    [program, '-c', url, '-s', 'shop', '-n', '127.0.0.1', '-p', `${stage.appPort}`, '--enhance-graphiql', '--dynamic-json', '-l', '5MB'],
    { env: stage.env, detached: true },
  );
  await stage.answers('/graphiql');
}

async function use(stage, texts) {
  const ask = (query, variables, operationName) => stage.sendJson('POST', '/graphql', { query, variables, operationName });
  for (const [at, post] of texts.posts.entries()) {
    await ask(
      'mutation Write($input: CreatePostInput!) {\n  createPost(input: $input) {\n    post { id nodeId title }\n    query { __typename }\n  }\n}',
      {
        input: { post: { title: post.title, body: at % 2 ? post.html : texts.markdown[at % texts.markdown.length], tags: post.tags ?? [] } },
      },
      'Write',
    );
    await ask(
      `mutation {\n  updatePostById(input: {id: ${at + 1}, postPatch: {body: ${JSON.stringify(texts.comments[at % texts.comments.length])}, tags: ["a", "it's"]}}) {\n    post { ...Card }\n  }\n}\n\nfragment Card on Post { id title customerByCustomerId { name } }`,
      null,
      null,
    );
  }
  for (const text of texts.searches) {
    await ask(`{ searchPosts(term: ${JSON.stringify(text)}, first: 10) { nodes { id title } } }`, {});
    await ask(
      'query Find($term: String, $city: String!) {\n  # what the page needs\n  searchPosts(term: $term, first: 5, offset: 0) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id, title, body } } }\n  allCustomers(condition: {city: $city}, orderBy: [NAME_ASC, ID_DESC]) { nodes { nodeId name data } }\n}',
      { term: text, city: text },
      'Find',
    );
  }
}

export async function drive(stage) {
  for (const [at, one] of people.entries()) {
    await stage.sendJson('POST', '/graphql', {
      operationName: 'Add',
      query: 'mutation Add($c: CustomerInput!) { createCustomer(input: {customer: $c, clientMutationId: "1"}) { customer { id } } }',
      variables: {
        c: {
          name: one.name,
          mail: one.mail,
          phone: one.phone,
          city: one.city,
          data: { vip: at % 2 === 0, notes: [comments[at % comments.length]], 'a>b': null },
        },
      },
    });
    await stage.sendJson('POST', '/graphql', [
      {
        query: `query { customerById(id: ${at}) { name postsByCustomerId(condition: {title: ${JSON.stringify(posts[at].title)}}) { nodes { title } } } }`,
      },
      { query: '{ __schema { types { name kind fields { name type { name ofType { name } } } } } }' },
    ]);
  }
  await use(stage, { posts, comments, markdown, searches });
  const page = await stage.page();
  await stage.go(page, '/graphiql');
  for (const [at, one] of people.slice(0, 8).entries())
    await stage.step(`editor ${at}`, async () => {
      await page.locator('.query-editor .CodeMirror').click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(
        `# ${one.city}\n{\n  allCustomers(condition: {name: ${JSON.stringify(one.name)}}) {\n    nodes { id name mail }\n  }\n}`,
      );
      await stage.sent(page, () => page.locator('.execute-button').click());
    });
}
export const driveTechnical = (stage) => use(stage, technicalTexts);
