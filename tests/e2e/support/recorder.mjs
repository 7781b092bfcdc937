// Stands before what is tested: hands connections on as they are, and keeps each request as it came and how it was answered.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

// Cuts what a client sends on one connection into requests (RFC 9112, section 6).
export class Framer {
  constructor() {
    this.begin();
  }
  begin() {
    Object.assign(this, { head: Buffer.alloc(0), pieces: [], inBody: false, ended: false, chunked: false, lastChunk: false, line: '', left: 0 });
  }
  // The bytes of a request that is not whole yet.
  get begun() {
    return Buffer.concat([...(this.inBody ? [] : [this.head]), ...this.pieces]);
  }
  // The requests that end in `data`.
  push(data) {
    const requests = [];
    for (let at = 0; at < data.length;) {
      at += this.inBody ? this.takeBody(data.subarray(at)) : this.takeHead(data.subarray(at));
      if (!this.ended) continue;
      requests.push(Buffer.concat(this.pieces));
      this.begin();
    }
    return requests;
  }
  takeHead(data) {
    const before = this.head.length;
    this.head = Buffer.concat([this.head, data]);
    const end = this.head.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) return data.length;
    this.head = this.head.subarray(0, end + 4);
    this.pieces.push(this.head);
    const text = this.head.toString('latin1');
    this.inBody = true;
    this.chunked = /^transfer-encoding:.*chunked/im.test(text);
    this.left = this.chunked ? 0 : Number(/^content-length:\s*(\d+)/im.exec(text)?.[1] ?? 0);
    this.ended = !this.chunked && this.left === 0;
    return this.head.length - before;
  }
  takeBody(data) {
    const length = this.left ? Math.min(this.left, data.length) : data.indexOf('\n') + 1 || data.length;
    const piece = data.subarray(0, length);
    this.pieces.push(piece);
    if (this.left) {
      this.left -= length;
      this.ended = !this.chunked && this.left === 0;
    } else {
      this.takeChunkLine(piece.toString('latin1'));
    }
    return length;
  }
  takeChunkLine(part) {
    this.line += part;
    if (!part.endsWith('\n')) return;
    const line = this.line.trim();
    this.line = '';
    if (this.lastChunk) {
      this.ended = line === '';
      return;
    }
    const size = Number.parseInt(line, 16);
    this.lastChunk = !(size > 0);
    this.left = this.lastChunk ? 0 : size + 2;
  }
}

// The status of an answer that begins with `data`; '' for interim answers alone and for what is no beginning.
function statusOf(data) {
  for (let text = data.subarray(0, 4096).toString('latin1'); ; text = text.slice(text.indexOf('\r\n\r\n') + 4)) {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? '';
    if (!status.startsWith('1') || !text.includes('\r\n\r\n')) return status.startsWith('1') ? '' : status;
  }
}

// `requests` counts, `denied` those answered with 403, `failed` those answered with 400 and above. Clients that send a request before the last one is answered are not understood.
export class Recorder {
  constructor(port) {
    this.target = port;
    this.requests = 0;
    this.denied = 0;
    this.failed = 0;
    this.keep = null; // a folder: what is new goes there as a file of its own
    this.kept = new Set();
    this.maxBytes = Infinity; // so much of a request is kept
    this.keyOf = (bytes) => bytes; // requests with the same key are kept once
    this.nameOf = (number, status) => `${number}.${status === '403' ? 'denied' : 'passed'}`;
    this.sockets = new Set();
    this.server = net.createServer((client) => this.serve(client));
  }
  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = this.server.address().port;
  }
  serve(client) {
    const upstream = net.connect(this.target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    }
    const framer = new Framer();
    let sent = null;
    let status = '';
    const note = () => {
      if (!sent || !status) return;
      this.note(sent, status);
      sent = null;
      status = '';
    };
    client.on('data', (data) => {
      for (const bytes of framer.push(data)) {
        sent = bytes;
        note();
      }
    });
    upstream.on('data', (data) => {
      status = status || statusOf(data);
      note();
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => {
      if (framer.begun.length) sent = framer.begun;
      note();
    });
    client.pipe(upstream);
    upstream.pipe(client);
  }
  note(bytes, status) {
    // A client that tries TLS first sends a record of its handshake (RFC 8446 5.1), which is no request.
    if (bytes[0] === 0x16 && bytes[1] === 3) return;
    ++this.requests;
    if (status === '403') ++this.denied;
    if (status >= '400') ++this.failed;
    if (!this.keep) return;
    const key = createHash('sha1').update(this.keyOf(bytes)).digest('latin1');
    if (this.kept.has(key)) return;
    this.kept.add(key);
    fs.writeFileSync(path.join(this.keep, this.nameOf(this.kept.size, status)), bytes.subarray(0, this.maxBytes));
  }
  // Begins to count anew.
  take() {
    const counts = { requests: this.requests, denied: this.denied };
    this.requests = this.denied = 0;
    return counts;
  }
  stop() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
