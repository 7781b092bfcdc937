// graphql-yoga of npm: a GraphQL server, asked by a client's library (urql) and as other clients ask.
import path from 'node:path';
import { createRequire } from 'node:module';

import * as technicalTexts from './support/technical.mjs';
import { agents, comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'graphql-yoga (a GraphQL server)';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

const schema = `
  scalar JSON
  enum Order { NAME_ASC NAME_DESC }
  input Compare { _eq: String _like: String _in: [String!] _gt: Int }
  input Where { title: Compare author: Compare _and: [Where!] _or: [Where!] _not: Where }
  input PostInput { title: String! body: String! tags: [String!] meta: JSON }
  type Author { name: String mail: String }
  type Post { id: ID! title: String body: String tags: [String!] author: Author }
  type Query { posts(where: Where, search: String, order: Order, first: Int): [Post!]! post(id: ID!): Post }
  type Mutation { addPost(input: PostInput!): Post comment(post: ID!, text: String!): Post }
`;
const program = (folder, schema) => `import { createServer } from 'node:http';
import { createRequire } from 'node:module';
const { createSchema, createYoga } = createRequire(${JSON.stringify(path.join(folder, 'x.js'))})('graphql-yoga');
const posts = [];
const resolvers = {
  Query: { posts: () => posts, post: (_, { id }) => posts[id] },
  Mutation: {
    addPost: (_, { input }) => posts[posts.push({ id: posts.length, ...input, author: { name: 'Anna' } }) - 1],
    comment: (_, { post }) => posts[post],
  },
};
createServer(createYoga({ schema: createSchema({ typeDefs: ${JSON.stringify(schema)}, resolvers }), logging: false })).listen(Number(process.env.PORT), '127.0.0.1');
`;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.program = stage.write(path.join(stage.temp('server'), 'server.mjs'), program(path.join(here, 'node_modules'), schema));
}

export async function start(stage) {
  stage.run(process.execPath, [stage.program], { env: { ...process.env, PORT: `${stage.appPort}` } });
  await stage.answers('/graphql?query=%7B__typename%7D');
}

const list = `query Posts($where: Where, $search: String, $first: Int = 20) {
  posts(where: $where, search: $search, order: NAME_DESC, first: $first) { ...Card author { name mail } }
}
fragment Card on Post { id title tags body @include(if: true) }`;
const add = 'mutation AddPost($input: PostInput!) { addPost(input: $input) { id title } }';

async function use(stage, texts) {
  const { Client, fetchExchange } = createRequire(path.join(here, 'package.json'))('@urql/core');
  const url = `http://${stage.address}/graphql`;
  const clients = [false, true].map((preferGetMethod) => new Client({ url, preferGetMethod: preferGetMethod && 'force', exchanges: [fetchExchange] }));
  for (const [at, post] of texts.posts.entries()) {
    const input = { title: post.title, body: texts.markdown[at % texts.markdown.length] ?? post.html, tags: post.tags ?? [], meta: { html: post.html } };
    await stage.step('mutation', () => clients[0].mutation(add, { input }).toPromise());
    // Written into the document, as people try it in a browser.
    await stage.sendJson('POST', '/graphql', {
      query: `mutation { addPost(input: {title: ${JSON.stringify(post.title)}, body: """\n${post.html.replaceAll('"""', '')}\n"""}) { id } }`,
    });
  }
  for (const [at, text] of texts.comments.entries())
    await stage.sendJson(
      'POST',
      '/graphql',
      { operationName: 'C', variables: { text, post: `${at % 3}` }, query: 'mutation C($post: ID!, $text: String!) { comment(post: $post, text: $text) { id __typename } }' },
      { 'User-Agent': agents.iphone, 'apollographql-client-name': "Anna's shop (iOS)", 'X-APOLLO-OPERATION-NAME': 'C' },
    );
  for (const text of texts.searches) {
    const where = { _or: [{ title: { _like: `%${text}%` } }, { author: { _in: [text, "O'Neil"] } }], _not: { title: { _eq: '' } } };
    for (const client of clients) await stage.step('query', () => client.query(list, { where, search: text }).toPromise());
    await stage.send('POST', '/graphql', {
      headers: { 'Content-Type': 'application/graphql' },
      body: `{ posts(search: ${JSON.stringify(text)}, where: {title: {_like: "%a%"}, author: {_eq: "b"}}) { id, title } }`,
    });
  }
}

export async function drive(stage) {
  await use(stage, { posts, comments, searches, markdown });
  const page = await stage.page();
  await stage.go(page, '/graphql');
  for (const one of people) await stage.send('GET', `/graphql?${new URLSearchParams({ query: `{ posts(where: {author: {_eq: ${JSON.stringify(one.name)}}}) { id } }` })}`);
}

export const driveTechnical = (stage) => use(stage, technicalTexts);
