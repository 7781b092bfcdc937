// Prometheus of Debian: asked as Grafana asks, by promtool, by its page; another Prometheus writes to it and reads from it.
import path from 'node:path';

import { freePort } from '../e2e/support/processes.mjs';
import { agents } from './support/texts.mjs';

export const title = 'Prometheus (metrics and their query language)';

const listen = (port) => ['--web.listen-address', `127.0.0.1:${port}`, '--log.level', 'error'];

export function prepare(stage) {
  const folder = stage.temp('prometheus');
  stage.write(
    path.join(folder, 'rules.yml'),
    `groups:
  - name: it's all about latency
    rules:
      - record: job:up:sum
        expr: sum by (job) (up)
      - alert: Slow
        expr: prometheus_engine_query_duration_seconds{quantile="0.9"} > 0.1 or up == 0
        annotations: { summary: "{{ $labels.instance }} is slow; it's {{ $value | humanizeDuration }}" }
`,
  );
  stage.config = stage.write(
    path.join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - job_name: own
    static_configs: [{ targets: ['127.0.0.1:${stage.appPort}'], labels: { team: "O'Neil & Söhne", path: '/srv/data' } }]
`,
  );
}

export async function start(stage) {
  const data = (name) => ['--storage.tsdb.path', stage.temp(name)];
  stage.run('prometheus', ['--config.file', stage.config, '--web.enable-remote-write-receiver', ...data('data'), ...listen(stage.appPort)]);
  await stage.answers('/-/ready');
  // The one that sends what it measures, and asks for what it has not.
  const port = await freePort();
  const remote = stage.write(
    path.join(stage.temp('remote'), 'prometheus.yml'),
    `global: { scrape_interval: 1s, external_labels: { cluster: 'eu-1; blue', replica: "a'b" } }
scrape_configs: [{ job_name: 'far "away"', static_configs: [{ targets: ['127.0.0.1:${port}'] }] }]
remote_write: [{ url: 'http://${stage.address}/api/v1/write', headers: { X-Scope-OrgID: team-1 } }]
remote_read: [{ url: 'http://${stage.address}/api/v1/read', read_recent: true }]
`,
  );
  stage.run('prometheus', ['--config.file', remote, ...data('remote-data'), ...listen(port)]);
  stage.far = port;
}

// Of dashboards for machines, containers, databases and alerts.
const queries = [
  'up',
  'up == 0 or absent(up{job="node"})',
  'sum by (handler, code) (rate(prometheus_http_requests_total{code!~"2..|3.."}[5m])) / ignoring(code) group_left sum by (handler) (rate(prometheus_http_requests_total[5m])) * 100',
  'histogram_quantile(0.99, sum(rate(prometheus_http_request_duration_seconds_bucket{handler="/api/v1/query"}[1m])) by (le))',
  '100 - (avg by (instance) (irate(node_cpu_seconds_total{mode="idle",instance=~"$node:$port"}[5m])) * 100)',
  'node_filesystem_avail_bytes{mountpoint="/",fstype!~"tmpfs|rootfs"} / node_filesystem_size_bytes < 0.1',
  'topk(10, count by (__name__, job) ({__name__=~".+"}))',
  'label_replace(up, "host", "$1", "instance", "(.*):[0-9]+")',
  "max_over_time(process_open_fds{job='own'}[1h:5m] offset 1d) > bool 100",
  'predict_linear(node_filesystem_free_bytes{job="node"}[1h], 4 * 3600) < 0 and on (instance) up == 1 unless on (instance) maintenance',
  'sum(container_memory_working_set_bytes{namespace="shop", container!="", container!="POD"}) by (pod) # per pod',
  'rate(mysql_global_status_commands_total{command=~"(select|insert|update|delete)"}[1m]) > 0',
  '(time() - process_start_time_seconds) / 86400 ^ 2 % 7 != 3',
  'quantile_over_time(0.5, probe_duration_seconds{instance="https://shop.example/login?next=/cart"}[5m])',
  'sum without (instance) (rate({__name__=~"http_(client|server)_errors_total", path="/users/{id}"}[$__rate_interval]))',
  '-1 * avg(rate(go_gc_duration_seconds_sum[5m])) or vector(0)',
  'pg_stat_activity_count{datname!~"template.*|postgres", state="idle in transaction"} >= 5',
  'increase(logback_events_total{level="error", logger="com.shop.Order$Service"}[10m])',
];

const form = (values) => new URLSearchParams(values).toString();

async function ask(stage, texts) {
  const now = Math.floor(Date.now() / 1000);
  const grafana = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'User-Agent': 'Grafana/10.4.2',
    'X-Grafana-Referer': 'http://grafana.example/d/rYdddlPWk/node-exporter-full?orgId=1&var-node=127.0.0.1:9100&refresh=1m',
  };
  for (const query of texts) {
    const range = { query, start: now - 3600, end: now, step: 15 };
    await stage.send('POST', '/api/v1/query_range', { headers: grafana, body: form(range) });
    await stage.send('POST', '/api/v1/query', { headers: grafana, body: form({ query, time: now }) });
    await stage.send('GET', `/api/v1/query?${form({ query, time: `${now}.781` })}`, { headers: { 'User-Agent': agents.go } });
    await stage.send('GET', `/api/v1/format_query?${form({ query })}`);
    await stage.send('GET', `/api/v1/query_exemplars?${form({ query, start: now - 60, end: now })}`);
    await stage.send('GET', `/graph?${form({ 'g0.expr': query, 'g0.tab': 0, 'g0.stacked': 0, 'g0.range_input': '1h' })}`);
    await stage.command('promtool', ['query', 'instant', `http://${stage.address}`, query], { ends: [0, 1] });
  }
}

export async function drive(stage) {
  await ask(stage, queries);
  for (const match of ['up', '{job="own"}', '{__name__=~"prometheus_.*", code!=""}', "process_start_time_seconds{team=\"O'Neil & Söhne\"}"]) {
    await stage.send('GET', `/api/v1/series?${form({ 'match[]': match })}`);
    await stage.send('POST', '/api/v1/labels', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: form({ 'match[]': match }) });
    await stage.send('GET', `/api/v1/label/__name__/values?${form({ 'match[]': match })}`);
    await stage.send('GET', `/federate?${form({ 'match[]': match })}`);
    await stage.command('promtool', ['query', 'series', `--match=${match}`, `http://${stage.address}`], { ends: [0, 1] });
  }
  for (const where of ['targets?state=any', 'rules?type=alert', 'alerts', 'metadata?limit=5', 'status/config', 'status/tsdb', 'alertmanagers'])
    await stage.send('GET', `/api/v1/${where}`);
  // What the other has not itself it asks for.
  await stage.command('promtool', ['query', 'instant', `http://127.0.0.1:${stage.far}`, 'sum by (handler) (prometheus_http_requests_total{job="own"})'], {
    ends: [0, 1],
  });
  const page = await stage.page();
  for (const query of queries.slice(0, 6)) await stage.go(page, `/graph?${form({ 'g0.expr': query, 'g0.tab': 1 })}`);
  for (const where of ['alerts', 'targets', 'rules', 'tsdb-status', 'config']) await stage.go(page, `/${where}`);
}
