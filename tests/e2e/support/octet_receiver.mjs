// A syslog receiver over TCP (RFC 6587, octet counting) that may go and come back on its port, and remembers each event once, in the order of
// first arrival, and every gap that it was told. No message is kept: it may run for hours.
import net from 'node:net';

export class OctetReceiver {
  seen = new Map(); // event id -> its place in the order of arrival
  actions = { deny: 0, monitor: 0, allow: 0 };
  gaps = []; // what waf_gap messages say: {first_seq, last_seq, count, upper_bound, ...}
  repeated = 0; // events that had come before
  bytes = 0; // of all messages, without their frames
  broken = []; // what stood where a frame should begin
  sockets = new Set();
  port = 0;

  get up() {
    return this.server !== undefined;
  }

  async open() {
    const server = net.createServer((socket) => this.#serve(socket));
    await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = server.address().port;
    this.server = server;
  }

  // In the middle of whatever is coming.
  async shut() {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }

  #serve(socket) {
    this.sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket)).on('end', () => socket.end());
    socket.on('data', (data) => {
      rest = this.#take(socket, rest.length === 0 ? data : Buffer.concat([rest, data]));
    });
  }

  #take(socket, bytes) {
    let at = 0;
    for (;;) {
      const space = bytes.indexOf(0x20, at);
      if (space < 0) break;
      const length = Number(bytes.toString('latin1', at, space));
      if (!Number.isInteger(length) || length <= 0) {
        this.broken.push(bytes.toString('latin1', at, at + 40));
        socket.destroy();
        return Buffer.alloc(0);
      }
      if (bytes.length < space + 1 + length) break;
      this.#message(bytes.toString('latin1', space + 1, space + 1 + length));
      at = space + 1 + length;
    }
    return Buffer.from(bytes.subarray(at));
  }

  #message(text) {
    this.bytes += text.length;
    const id = /"event_id":"([0-9a-f]{32})"/.exec(text)?.[1];
    if (id === undefined) {
      const gap = / waf_gap .*?(\{"type":"gap",.*\})$/s.exec(text);
      if (gap) this.gaps.push(JSON.parse(gap[1]));
      return;
    }
    if (this.seen.has(id)) {
      this.repeated += 1;
      return;
    }
    this.seen.set(id, this.seen.size);
    const action = /"action":"(deny|monitor|allow)"/.exec(text)?.[1];
    if (action) this.actions[action] += 1;
  }
}
