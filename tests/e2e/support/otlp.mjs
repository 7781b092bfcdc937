// A receiver of OTLP over HTTP in JSON, whose requests are read by the schema of OpenTelemetry itself (protobuf, as its own exporter
// for JavaScript has it). What the schema does not know, and what is of another type or form than protobuf's JSON mapping gives, is refused.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import zlib from 'node:zlib';

import generated from '@opentelemetry/otlp-transformer/build/src/generated/root.js';

const { collector } = generated.opentelemetry.proto;
const kinds = {
  '/v1/metrics': ['metrics', collector.metrics.v1.ExportMetricsServiceRequest],
  '/v1/logs': ['logs', collector.logs.v1.ExportLogsServiceRequest],
};

// Without empty lists: a message has none.
const without_empty = (value) => {
  if (Array.isArray(value)) return value.map(without_empty);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !(Array.isArray(one) && one.length === 0)).map(([name, one]) => [name, without_empty(one)]));
};

// The request as the schema reads it: written again it must be what came.
export function decode(type, text) {
  const given = JSON.parse(text);
  const message = type.fromObject(given);
  assert.equal(type.verify(message), null);
  const again = type.toObject(type.decode(type.encode(message).finish()), { longs: String, enums: Number, json: true, oneofs: false });
  assert.deepEqual(without_empty(given), without_empty(again));
  return again;
}

const attributes = (list = []) => Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue]));

export class OtlpReceiver {
  requests = [];  // { signal, headers, text }
  records = [];   // of logs
  metrics = [];   // of each request: name -> metric
  wrong = [];     // what the schema refused
  // Of each request: { status, headers, body, after_ms }, or null for an answer that never comes.
  answer = () => ({ status: 200, body: '{}' });

  constructor(tls) {
    const taken = (request, response) => this.take(request, response);
    this.server = tls ? https.createServer(tls, taken) : http.createServer(taken);
    this.sockets = new Set();
    this.server.on('connection', (socket) => {
      this.connections = (this.connections ?? 0) + 1;
      this.sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    });
    this.server.on('tlsClientError', () => {});
  }
  connections = 0;

  open(port = 0) {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => resolve(this));
    });
  }
  get port() {
    return this.server.address().port;
  }
  shut() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(resolve));
  }

  async take(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    let bytes = Buffer.concat(parts);
    if (request.headers['content-encoding'] === 'gzip') bytes = zlib.gunzipSync(bytes);
    const text = bytes.toString('utf8');
    const [signal, type] = kinds[request.url] ?? [];
    const answer = this.answer(signal, request, this.requests.length);
    this.requests.push({ signal, url: request.url, method: request.method, headers: request.headers, text, status: answer?.status });
    try {
      assert.ok(signal, request.url);
      assert.equal(request.method, 'POST');
      assert.equal(request.headers['content-type'], 'application/json');
      const message = decode(type, text);
      if (answer?.status === 200) this[`keep_${signal}`](message);
    } catch (error) {
      this.wrong.push(`${error.message}\n${text.slice(0, 2000)}`);
    }
    if (!answer) return;
    if (answer.after_ms) await setTimeout(answer.after_ms);
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(answer.body ?? '');
  }

  keep_logs({ resourceLogs }) {
    for (const { resource, scopeLogs } of resourceLogs)
      for (const { logRecords } of scopeLogs)
        for (const record of logRecords) this.records.push({ ...record, resource: attributes(resource.attributes), attributes: attributes(record.attributes), message: record.body.stringValue });
  }

  keep_metrics({ resourceMetrics }) {
    for (const { resource, scopeMetrics } of resourceMetrics) {
      const all = scopeMetrics.flatMap((scope) => scope.metrics);
      assert.equal(new Set(all.map((metric) => metric.name)).size, all.length, 'each name once');
      this.metrics.push({ resource: attributes(resource.attributes), all: new Map(all.map((metric) => [metric.name, metric])) });
    }
  }

  of(signal) {
    return this.requests.filter((one) => one.signal === signal);
  }
}

// Samples as Prometheus' text has them: "name{label="value"}" -> number.
export function samples_of(all) {
  const quoted = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  const out = new Map();
  for (const [name, metric] of all) {
    for (const point of (metric.sum ?? metric.gauge).dataPoints) {
      const labels = Object.entries(attributes(point.attributes)).map(([label, value]) => `${label}=${quoted(value)}`).join(',');
      const key = labels ? `${name}{${labels}}` : name;
      assert.ok(!out.has(key), `${key} twice`);
      out.set(key, Number(point.asInt ?? point.asDouble));
    }
  }
  return out;
}
