// Live tails that open and close: at most `most` at once, each for some seconds; every other one reads nothing behind its first bytes.
import https from 'node:https';

export class Tails {
  open = new Set();
  opened = 0;
  events = 0;
  refused = 0;

  constructor(wafd, most) {
    Object.assign(this, { wafd, most });
  }

  // Opens one if there is room, and closes those whose time is over.
  turn(seconds) {
    for (const tail of this.open) if (tail.until < seconds) tail.request.destroy();
    if (this.open.size < this.most) this.#add(seconds + 3 + (this.opened % 7) * 4);
  }

  shut() {
    for (const tail of this.open) tail.request.destroy();
  }

  #add(until) {
    const reads = this.opened % 2 === 0;
    const tail = { until };
    this.opened += 1;
    this.open.add(tail);
    const headers = { Authorization: `Bearer ${this.wafd.token}` };
    tail.request = https.get(`${this.wafd.console}/api/v1/events/stream`, { rejectUnauthorized: false, agent: false, headers }, (answer) => {
      if (answer.statusCode !== 200) this.refused += 1;
      answer.on('error', () => {});
      if (!reads) return void answer.pause();
      answer.on('data', (part) => { this.events += part.toString('latin1').split('event: event\n').length - 1; });
    });
    tail.request.on('error', () => {}).on('close', () => this.open.delete(tail));
  }
}
