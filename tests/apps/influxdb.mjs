// InfluxDB of Debian: points written by line protocol, InfluxQL as dashboards, telegraf and its own client send it.
import { gzipSync } from 'node:zlib';

import { freePort } from '../e2e/support/processes.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, comments, people, posts, searches } from './support/texts.mjs';

export const title = 'InfluxDB';

export async function prepare(stage) {
  const folder = stage.temp('influxdb');
  stage.config = stage.write(
    `${folder}/influxdb.conf`,
    `reporting-disabled = true\nbind-address = "127.0.0.1:${await freePort()}"\n[meta]\ndir = "${folder}/meta"\n[data]\ndir = "${folder}/data"\nwal-dir = "${folder}/wal"\n[http]\nbind-address = "127.0.0.1:${stage.appPort}"\n`,
  );
}
export async function start(stage) {
  stage.run('influxd', ['-config', stage.config], { env: stage.env });
  await stage.answers('/ping');
}

const tag = (text) => text.replace(/[, =\\]/g, '\\$&');
const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', ' ')}"`;
const literal = (text) => `'${text.replace(/['\\]/g, '\\$&')}'`;
const identifier = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const write = (stage, lines, { zipped = false, precision = 'ns' } = {}) =>
  stage.send('POST', `/write?consistency=any&db=home&precision=${precision}&rp=autogen`, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'User-Agent': 'telegraf', ...(zipped ? { 'Content-Encoding': 'gzip' } : {}) },
    body: zipped ? gzipSync(lines.join('\n')) : lines.join('\n'),
  });
// A whole statement for a database is counted apart: some want it denied wherever it is sent.
async function query(stage, text, method = 'GET') {
  const part = stage.part;
  stage.part = 'technical';
  await (method === 'GET'
    ? stage.send('GET', `/query?db=home&epoch=ms&q=${encodeURIComponent(text)}`, {
        headers: { 'User-Agent': 'Grafana/9.2.1', Accept: 'application/json' },
      })
    : stage.send('POST', '/query', {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ db: 'home', q: text }).toString(),
      }));
  stage.part = part;
}

// Values in conditions, as annotations and variables of a dashboard bring them.
async function texts(stage, { posts, comments, searches }) {
  let at = 1795557937000000000n;
  const next = () => (at += 1_000_000_000n);
  for (const one of posts)
    await write(stage, [
      `annotations,tags=${tag(one.tags.join('+'))},lang=${one.language} title=${quoted(one.title)},text=${quoted(one.html)} ${next()}`,
    ]);
  for (const [at, one] of comments.entries())
    await write(stage, [`logs,host=h${at},level=info message=${quoted(one)},line=${at}i ${next()}`], { zipped: at % 2 === 1 });
  for (const one of searches) {
    await query(
      stage,
      `SELECT "title", "text" FROM "annotations" WHERE time >= 1795557937000ms AND time <= 1795560000000ms AND "title" = ${literal(one)} LIMIT 100`,
    );
    await query(
      stage,
      `SELECT count("line") FROM "logs" WHERE "message" =~ /${one.replace(/[/\\()+*?"<>|&'$#]/g, '.')}/ AND time > now() - 6h GROUP BY time(1m), "host" fill(null)`,
    );
  }
}

export async function drive(stage) {
  await query(stage, 'CREATE DATABASE "home" WITH DURATION 30d REPLICATION 1 NAME "autogen"', 'POST');
  for (let turn = 0; turn < 12; ++turn) {
    const when = `${1795557937 + turn * 10}000000000`;
    await write(
      stage,
      people.flatMap((one, at) => [
        `cpu,cpu=cpu-total,host=${tag(one.city)},owner=${tag(one.name)} usage_user=${turn + at}.25,usage_system=0.${at},usage_idle=${99 - turn} ${when}`,
        `disk,device=sda${at},fstype=ext4,host=${tag(one.city)},mode=rw,path=/var/lib/docker/overlay2/${at}a/merged free=${at}00i,used_percent=71.2 ${when}`,
        `http_response,method=GET,result=success,server=https://${one.mail.split('@')[1]}/a?b\\=c&d\\=e,status_code=200 response_time=0.012,result_code=0i ${when}`,
        `procstat,exe=nginx,pattern=^/usr/sbin/nginx\\ -g,process_name=nginx cmdline=${quoted('nginx: worker process -c /etc/nginx/nginx.conf')},pid=${1000 + at}i ${when}`,
      ]),
      { zipped: turn % 2 === 1 },
    );
  }
  const range = 'time >= now() - 1h and time <= now()';
  for (const one of people) {
    await query(
      stage,
      `SELECT mean("usage_user") AS "user", max("usage_system") FROM "cpu" WHERE ("host" = ${literal(one.city)} OR "owner" = ${literal(one.name)}) AND ${range} GROUP BY time(10s), "host" fill(linear)`,
    );
    await query(stage, `SHOW TAG VALUES FROM "cpu" WITH KEY = "host" WHERE "owner" = ${literal(one.name)}`);
    await query(stage, `CREATE USER ${identifier(one.name)} WITH PASSWORD ${literal("it's " + one.phone)}`, 'POST');
    await query(stage, `GRANT READ ON "home" TO ${identifier(one.name)}`, 'POST');
    await query(stage, `SELECT * FROM "cpu" WHERE "owner" =~ /^${one.city.replace(/[/()]/g, '.')}.*$/ ORDER BY time DESC LIMIT 10 OFFSET 5`);
  }
  for (const text of [
    'SHOW DATABASES',
    'SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)cpu|disk/ LIMIT 100',
    'SHOW FIELD KEYS FROM "cpu"',
    'SHOW TAG KEYS FROM "disk"; SHOW SERIES FROM "disk" LIMIT 10',
    'SHOW RETENTION POLICIES ON "home"',
    'SHOW CONTINUOUS QUERIES',
    'SHOW DIAGNOSTICS',
    `SELECT non_negative_derivative(mean("used_percent"), 1s) * -1 FROM "disk" WHERE "path" !~ /^\\/(dev|sys|proc)/ AND ${range} GROUP BY time(1m), "path" fill(none)`,
    `SELECT 100 - mean("usage_idle") FROM "cpu" WHERE ("cpu" = 'cpu-total') AND ${range} GROUP BY time(1m) fill(null) tz('Europe/Berlin')`,
    `SELECT sum("n") FROM (SELECT count("usage_user") AS "n" FROM "cpu" WHERE ${range} GROUP BY "host") WHERE "n" > 0`,
    `SELECT top("usage_user", "host", 5) FROM "cpu" WHERE ${range}; SELECT percentile("response_time", 95) FROM "http_response" WHERE "server" =~ /.*/ AND "status_code" != '500'`,
    'SELECT mean(*) INTO "home"."autogen".:MEASUREMENT FROM /.*/ WHERE time > now() - 1d GROUP BY time(30m), *',
    'CREATE CONTINUOUS QUERY "cq_30m" ON "home" RESAMPLE EVERY 1h FOR 2h BEGIN SELECT mean("usage_user") AS "mean" INTO "cpu_30m" FROM "cpu" GROUP BY time(30m), * END',
    'ALTER RETENTION POLICY "autogen" ON "home" DURATION 60d DEFAULT',
    'EXPLAIN ANALYZE SELECT count("usage_user") FROM "cpu"',
    `DELETE FROM "cpu" WHERE "host" = 'Nairobi' AND time < '2026-01-01T00:00:00Z'`,
    'DROP MEASUREMENT "procstat"',
    'DROP SERIES FROM "disk" WHERE "device" = \'sda3\'',
    'KILL QUERY 36',
  ])
    for (const method of ['GET', 'POST']) await query(stage, text, method);
  await texts(stage, { posts, comments, searches });
  stage.part = 'technical';
  const [host, port] = stage.address.split(':');
  const client = (...args) => stage.command('influx', ['-host', host, '-port', port, '-database', 'home', ...args], { ends: [0, 1] });
  for (const text of [
    'SHOW MEASUREMENTS',
    'SELECT * FROM "cpu" LIMIT 5',
    `SELECT last("usage_user") FROM "cpu" WHERE "host" = ${literal("Braine-l'Alleud")}`,
    `INSERT weather,city=${tag("L'Aquila")} temp=21.5,note="it's sunny"`,
    'DROP DATABASE "old"',
  ])
    for (const format of ['json', 'csv', 'column']) await client('-format', format, '-precision', 'rfc3339', '-execute', text);
  stage.part = 'ordinary';
  for (const agent of Object.values(agents))
    for (const where of ['/ping', '/health', '/debug/vars']) await stage.send('GET', where, { headers: { 'User-Agent': agent } });
}

export async function driveTechnical(stage) {
  await texts(stage, technicalTexts);
}
