// A T1K client for tests: sections as bytes, written as one wishes, answers read back.
import net from 'node:net';

export const TAG = { HEAD: 0x01, BODY: 0x02, EXTRA: 0x03, VERSION: 0x20, EXTRA_BODY: 0x24, CONTEXT: 0x25 };

// sections: [[tag, data], ...]
export function message(sections) {
  return Buffer.concat(
    sections.flatMap(([tag, data], index) => {
      const header = Buffer.alloc(5);
      header[0] = tag | (index === 0 ? 0x40 : 0) | (index === sections.length - 1 ? 0x80 : 0);
      header.writeUInt32LE(data.length, 1);
      return [header, Buffer.from(data)];
    }),
  );
}

// One request in the newest dialect.
export function requestMessage(head, body = null, extra = {}) {
  const values = { 0x11: '51234', 0x12: '80', 0x13: '203.0.113.7', 0x14: '10.0.0.5', 0x15: '_', 0x16: 'http', 0x17: 'gw1', 0x19: 'n', 0x1a: 'n', ...extra };
  const bytes = [Buffer.from([1, 10])];
  for (const [key, value] of Object.entries(values)) bytes.push(Buffer.from([Number(key)]), Buffer.from(value, 'latin1'), Buffer.from([10]));
  const sections = [[TAG.HEAD, Buffer.from(head, 'latin1')]];
  if (body !== null) sections.push([TAG.BODY, Buffer.from(body, 'latin1')]);
  sections.push([TAG.EXTRA, Buffer.concat(bytes)], [TAG.VERSION, Buffer.from('Proto:3\n')]);
  return message(sections);
}

// A connection that asks one thing at a time. Answers are {verdict, status, id, sections}.
export class T1kClient {
  static connect(port) {
    return new Promise((resolve, reject) => {
      const client = new T1kClient();
      client.buffer = Buffer.alloc(0);
      client.waiting = null;
      client.closed = false;
      client.socket = net.connect(port, '127.0.0.1', () => resolve(client));
      client.socket.setNoDelay(true);
      client.socket.on('data', (data) => {
        client.buffer = Buffer.concat([client.buffer, data]);
        client.#deliver();
      });
      client.socket.on('error', (error) => {
        client.error = error;
        reject(error);
      });
      client.socket.on('close', () => {
        client.closed = true;
        client.#deliver();
      });
    });
  }

  // Resolves with the next whole answer, or null when the peer closed instead.
  ask(bytes) {
    return new Promise((resolve) => {
      this.waiting = resolve;
      if (bytes) this.socket.write(bytes);
      this.#deliver();
    });
  }

  #deliver() {
    if (!this.waiting) return;
    const sections = new Map();
    let at = 0;
    while (this.buffer.length - at >= 5) {
      const flags = this.buffer[at];
      const length = this.buffer.readUInt32LE(at + 1);
      if (this.buffer.length - at - 5 < length) break;
      sections.set(flags & 0x3f, this.buffer.subarray(at + 5, at + 5 + length));
      at += 5 + length;
      if (flags & 0x80) {
        this.buffer = Buffer.from(this.buffer.subarray(at));
        const resolve = this.waiting;
        this.waiting = null;
        const id = /event_id: ([0-9a-f]{32}) -->/.exec(sections.get(TAG.EXTRA_BODY)?.toString('latin1') ?? '');
        resolve({
          verdict: sections.get(TAG.HEAD)?.toString('latin1') ?? '',
          status: sections.get(TAG.BODY)?.toString('latin1') ?? null,
          id: id ? id[1] : null,
          sections,
        });
        return;
      }
    }
    if (this.closed) {
      const resolve = this.waiting;
      this.waiting = null;
      resolve(null);
    }
  }

  close() {
    this.socket.destroy();
  }
}
