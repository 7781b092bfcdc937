// RabbitMQ's management: exchanges, queues, bindings, policies, users and messages by its pages in Chromium, its interface and its own client.
import { freePort } from '../e2e/support/processes.mjs';
import { useForms } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'RabbitMQ management';
const guest = { Authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` };

export async function prepare(stage) {
  const folder = stage.temp('rabbitmq');
  const [amqp, epmd, dist] = [await freePort(), await freePort(), await freePort()];
  stage.epmd = `${epmd}`;
  stage.rabbit = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: folder,
    ERL_EPMD_PORT: stage.epmd,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'apps@localhost',
    RABBITMQ_DIST_PORT: `${dist}`,
    RABBITMQ_MNESIA_BASE: `${folder}/data`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_CONF_ENV_FILE: `${folder}/none`,
    RABBITMQ_ENABLED_PLUGINS_FILE: stage.write(`${folder}/plugins`, '[rabbitmq_management].\n'),
    RABBITMQ_CONFIG_FILE: stage.write(
      `${folder}/rabbit.conf`,
      `listeners.tcp.1 = 127.0.0.1:${amqp}\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = ${stage.appPort}\n`,
    ),
  };
}
export async function start(stage) {
  stage.run('epmd', ['-port', stage.epmd, '-address', '127.0.0.1'], { env: stage.rabbit });
  stage.run('/usr/lib/rabbitmq/bin/rabbitmq-server', [], { env: stage.rabbit, detached: true });
  await stage.until(
    'the management answers',
    () =>
      fetch(`http://127.0.0.1:${stage.appPort}/`).then(
        () => true,
        () => false,
      ),
    120,
  );
}

const put = (stage, where, body) => stage.sendJson('PUT', `/api/${where}`, body, guest);
const post = (stage, where, body) => stage.sendJson('POST', `/api/${where}`, body, guest);
const named = encodeURIComponent;

async function write(stage, { posts, comments, markdown, searches }) {
  const publish = (payload, properties = {}) =>
    post(stage, 'exchanges/%2F/amq.default/publish', {
      vhost: '/',
      name: 'amq.default',
      properties: { delivery_mode: 2, headers: {}, ...properties },
      routing_key: 'orders',
      delivery_mode: '2',
      payload,
      headers: {},
      props: {},
      payload_encoding: 'string',
    });
  for (const [at, one] of posts.entries())
    await publish(
      at % 2
        ? JSON.stringify({ event: 'post.created', at: '2026-11-18T10:00:00Z', data: { title: one.title, html: one.html, tags: one.tags } })
        : one.html,
      { content_type: at % 2 ? 'application/json' : 'text/html', headers: { 'x-title': one.title } },
    );
  for (const text of [...comments, ...markdown])
    await publish(text, { content_type: 'text/plain', correlation_id: 'a1', reply_to: 'amq.rabbitmq.reply-to' });
  for (const text of searches)
    await stage.send('GET', `/api/queues?page=1&page_size=100&name=${named(text)}&use_regex=true&pagination=true&sort=name&sort_reverse=false`, {
      headers: guest,
    });
}

export async function drive(stage) {
  await put(stage, 'queues/%2F/orders', {
    auto_delete: false,
    durable: true,
    arguments: { 'x-queue-type': 'classic', 'x-max-length': 1000, 'x-dead-letter-exchange': 'amq.topic' },
  });
  for (const [at, one] of people.entries()) {
    const name = named(one.name);
    await put(stage, `vhosts/${name}`, { name: one.name, description: posts[at].title, tags: posts[at].tags.join(',') });
    await put(stage, `users/${name}`, { username: one.name, password: passwords[at], tags: 'monitoring,policymaker' });
    await put(stage, `permissions/%2F/${name}`, {
      configure: '^(amq\\.gen.*|amq\\.default)$',
      write: '.*',
      read: `^${one.city}-[a-z0-9_]{1,8}(\\.|$)`,
    });
    await put(stage, `topic-permissions/%2F/${name}`, { exchange: 'amq.topic', write: '^{username}-.*', read: '^(a|b|c)\\.[^.]+$' });
    await put(stage, `queues/%2F/${named(one.city)}`, {
      vhost: '/',
      name: one.city,
      durable: 'true',
      auto_delete: 'false',
      arguments: { 'x-message-ttl': 60000 },
    });
    await put(stage, `exchanges/%2F/${named(one.mail)}`, {
      type: 'topic',
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: { 'alternate-exchange': 'amq.fanout' },
    });
    await post(stage, `bindings/%2F/e/${named(one.mail)}/q/${named(one.city)}`, {
      routing_key: at % 2 ? '*.orders.#' : '#.eu-*.created',
      arguments: { note: one.phone },
    });
    await put(stage, `policies/%2F/${name}`, {
      pattern: at % 2 ? '^(?!amq\\.).*' : `^(orders|${one.city})\\.(new|old)$`,
      definition: { 'max-length-bytes': 100000000, 'overflow': 'reject-publish', 'expires': 1800000 },
      priority: at,
      'apply-to': 'queues',
    });
  }
  await put(stage, 'global-parameters/cluster_name', { name: 'cluster_name', value: "Anna's rabbit" });
  await write(stage, { posts, comments, markdown, searches });
  for (const ackmode of ['ack_requeue_true', 'reject_requeue_true'])
    await post(stage, 'queues/%2F/orders/get', { vhost: '/', name: 'orders', truncate: '50000', ackmode, encoding: 'auto', count: '10' });
  for (const where of [
    'overview?columns=rates_mode,object_totals.queues',
    'queues/%2F/orders?lengths_age=60&lengths_incr=5&msg_rates_age=60&msg_rates_incr=5',
    'definitions?download=rabbit_apps.json&auth=Z3Vlc3Q6Z3Vlc3Q',
    'nodes/apps@localhost/memory',
    'health/checks/alarms',
    'whoami',
  ])
    await stage.send('GET', `/api/${where}`, { headers: guest });
  const definitions = await stage.send('GET', '/api/definitions', { headers: guest });
  if (definitions)
    await stage.send('POST', '/api/definitions', { headers: { ...guest, 'Content-Type': 'application/json' }, body: definitions.text });
  const [host, port] = stage.address.split(':');
  const client = (...args) => stage.command('rabbitmqadmin', ['-H', host, '-P', port, '-u', 'guest', '-p', 'guest', ...args]);
  await client('declare', 'exchange', 'name=events', 'type=headers');
  await client('declare', 'queue', "name=it's new", 'durable=true', 'arguments={"x-max-priority": 5}');
  await client('declare', 'binding', 'source=events', "destination=it's new", 'routing_key=', 'arguments={"x-match": "any", "kind": "a"}');
  await client('list', 'queues', 'vhost', 'name', 'node', 'messages', 'message_stats.publish_details.rate');
  for (const text of comments)
    await client('publish', 'exchange=amq.default', 'routing_key=orders', `payload=${text}`, 'properties={"type": "comment"}');
  await client('export', `${stage.temp('files')}/rabbit.json`);
  const page = await stage.page();
  await stage.form(page, '/', { username: 'guest', password: 'guest' }, '[type=submit]');
  const state = { sent: new Map(), turn: 0 };
  for (const place of [
    'connections',
    'channels',
    'exchanges',
    'queues',
    'users',
    'vhosts',
    'policies',
    'limits',
    'cluster-name',
    'feature-flags',
    'queues/%2F/orders',
    'exchanges/%2F/amq.topic',
  ]) {
    await stage.step(`#/${place}`, async () => {
      await page.evaluate((place) => void (location.hash = `#/${place}`), place);
      await page.waitForTimeout(1200);
      for (const box of await page.locator('h2').all()) await box.click({ timeout: 1000 }).catch(() => {});
    });
    await useForms(stage, page, state);
  }
}

export async function driveTechnical(stage) {
  await write(stage, technicalTexts);
}
