// Requests of which two readers may see different ones (RFC 9112 section 11.2), on each HTTP listener: refused or read as
// one, the connection closed behind what cannot be framed, and what hides in them never answered as a request of its own.
import assert from 'node:assert/strict';
import net from 'node:net';
import tls from 'node:tls';
import { after, before, describe, test } from 'node:test';

import { Wafd } from './support/wafd.mjs';

const HIDDEN = 'GET /readyz?hidden HTTP/1.1\r\nHost: a\r\n\r\n';
const post = (path, lines, body) => `POST ${path} HTTP/1.1\r\nHost: a\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
// Each gets a path and gives bytes of which a reader may take HIDDEN for a request of its own.
const CASES = {
  'CL and TE': (path) => post(path, [`Content-Length: ${5 + HIDDEN.length}`, 'Transfer-Encoding: chunked'], `0\r\n\r\n${HIDDEN}`),
  'TE and CL': (path) => post(path, ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${HIDDEN}`),
  'two lengths that differ': (path) => post(path, ['Content-Length: 0', `Content-Length: ${HIDDEN.length}`], HIDDEN),
  'a list of lengths': (path) => post(path, [`Content-Length: 0, ${HIDDEN.length}`], HIDDEN),
  'a signed length': (path) => post(path, ['Content-Length: +0'], HIDDEN),
  'a negative length': (path) => post(path, ['Content-Length: -1'], HIDDEN),
  'a length in hex': (path) => post(path, ['Content-Length: 0x0'], HIDDEN),
  'a length too large to count': (path) => post(path, ['Content-Length: 18446744073709551616'], HIDDEN),
  'a blank before the colon': (path) => post(path, ['Content-Length : 0', 'Transfer-Encoding : chunked'], `0\r\n\r\n${HIDDEN}`),
  'an unknown coding': (path) => post(path, ['Transfer-Encoding: xchunked', 'Content-Length: 5'], `0\r\n\r\n${HIDDEN}`),
  'chunked is not the last': (path) => post(path, ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${HIDDEN}`),
  'two codings': (path) => post(path, ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'], `0\r\n\r\n${HIDDEN}`),
  'a folded line': (path) => post(path, ['Transfer-Encoding:', ' chunked', 'Content-Length: 5'], `0\r\n\r\n${HIDDEN}`),
  'a bad chunk size': (path) => post(path, ['Transfer-Encoding: chunked'], `0x0\r\n\r\n${HIDDEN}`),
  'a chunk size with a sign': (path) => post(path, ['Transfer-Encoding: chunked'], `+0\r\n\r\n${HIDDEN}`),
  'a chunk size that overflows': (path) => post(path, ['Transfer-Encoding: chunked'], `10000000000000000\r\n${HIDDEN}`),
  'a chunk that ends elsewhere': (path) => post(path, ['Transfer-Encoding: chunked'], `1\r\nabc\r\n0\r\n\r\n${HIDDEN}`),
  'no colon': (path) => post(path, ['Content-Length 0'], HIDDEN),
  'a bare CR': (path) => post(path, ['X: a\rTransfer-Encoding: chunked'], HIDDEN),
  'a NUL in a name': (path) => post(path, ['Content-Length\0: 0'], HIDDEN),
};

const ask = (connect, bytes) => new Promise((resolve) => {
  const got = [];
  const socket = connect(() => socket.write(bytes, 'latin1'));
  socket.on('data', (data) => got.push(data)).on('error', () => {}).on('close', () => resolve(Buffer.concat(got).toString('latin1')));
  socket.setTimeout(15000, () => socket.destroy());
});

describe('request smuggling', () => {
  let wafd;
  before(async () => {
    wafd = await Wafd.start({ 'ingest.head_timeout_s': 2, 'ingest.body_timeout_s': 2 });
  });
  after(() => wafd?.stop());

  const listeners = {
    '/check/': () => (then) => net.connect(Number(new URL(wafd.http).port), '127.0.0.1', then),
    '/mirror/': () => (then) => net.connect(Number(new URL(wafd.http).port), '127.0.0.1', then),
    '/v1/records': () => (then) => net.connect(Number(new URL(wafd.http).port), '127.0.0.1', then),
    '/api/v1/session': () => (then) => tls.connect({ port: Number(new URL(wafd.console).port), host: '127.0.0.1', rejectUnauthorized: false }, then),
  };
  for (const [path, connect] of Object.entries(listeners)) {
    for (const [name, make] of Object.entries(CASES)) {
      test(`${path}: ${name}`, async () => {
        const answer = await ask(connect(), make(path));
        const answers = answer.match(/HTTP\/1\.1 \d{3}/g) ?? [];
        assert.ok(answers.length <= 1, `${answers.length} answers:\n${answer}`);
        assert.doesNotMatch(answer, /\r\n\r\nready/);
      });
    }
  }
});
