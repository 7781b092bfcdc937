// Requests at an even rate over connections that stay, as a gateway sends them, with a book of what became of each.
import { T1kClient } from '../../tests/e2e/support/t1k.mjs';
import { ATTACK, FORM, JSON_TYPE, ask } from '../gateway/requests.mjs';

const source = (n) => `203.0.113.${n % 200}`;
const attacks = [
  (n, host) => ask(source(n), 'GET', `/item/${n}?id=${encodeURIComponent(ATTACK)}`, { host }),
  (n, host) => ask(source(n), 'POST', `/item/${n}`, { host, type: FORM, body: `id=${encodeURIComponent(ATTACK)}&n=${n}` }),
  (n, host) => ask(source(n), 'POST', `/item/${n}`, { host, type: JSON_TYPE, body: JSON.stringify({ id: ATTACK, n }) }),
];
const ordinary = [
  (n) => ask(source(n), 'GET', `/item/${n}?page=2&sort=price`),
  (n) => ask(source(n), 'POST', `/order/${n}`, { type: FORM, body: `name=Anna+Berg&street=Lindenweg+7&note=please+ring+twice&n=${n}` }),
  (n) => ask(source(n), 'POST', `/api/cart/${n}`, { type: JSON_TYPE, body: JSON.stringify({ items: [{ id: n, count: 2 }], note: 'a present' }) }),
];

// The n-th request and what is expected of it: `every` one in so many is an attack, half of them at the site that only watches.
export function nth(n, every) {
  if (n % every !== 0) return { kind: 'ordinary', bytes: ordinary[n % 3](n) };
  const turn = n / every;
  const watched = turn % 2 === 1;
  return { kind: watched ? 'watched' : 'blocked', bytes: attacks[Math.floor(turn / 2) % 3](n, watched ? 'watched.example' : 'shop.example') };
}

const empty = () => ({ answered: 0, passed: 0, denied: 0, monitored: 0, unjudged: 0, unanswered: 0 });
const queue_limit = 5000;

export class Load {
  all = empty();
  life = empty(); // since begin_life()
  told = new Set(); // event ids in answers
  latencies = []; // ms from when a request was due; emptied by who reads them
  skipped = 0; // due while the queue was full
  #next = 0;
  #queue = [];
  #free = [];
  #out = 0;
  #timer;

  constructor({ port, rate, every, connections }) {
    Object.assign(this, { port, rate, every, connections });
  }

  begin_life() {
    this.life = empty();
  }

  async resume() {
    while (this.#free.length < this.connections) this.#free.push(await T1kClient.connect(this.port));
    let begin = performance.now();
    let due = 0;
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (; begin + (due / this.rate) * 1000 <= now; due += 1) {
        if (this.#queue.length < queue_limit) this.#queue.push(begin + (due / this.rate) * 1000);
        else this.skipped += 1;
      }
      this.#dispatch();
    }, 1);
  }

  // Returns when every request that is out has its answer, or its connection has ended.
  async pause() {
    clearInterval(this.#timer);
    this.#queue = [];
    while (this.#out > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  close() {
    for (const client of this.#free.splice(0)) client.close();
  }

  #dispatch() {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      const client = this.#free.pop();
      if (!client.closed) this.#ask(client, this.#queue.shift());
    }
  }

  async #ask(client, due) {
    const { kind, bytes } = nth(this.#next, this.every);
    this.#next += 1;
    this.#out += 1;
    const answer = await client.ask(bytes);
    this.#out -= 1;
    if (answer !== null) {
      this.latencies.push(performance.now() - due);
      this.#free.push(client);
      this.#book('answered');
      if (answer.id !== null) this.told.add(answer.id);
    }
    this.#book(outcome(kind, answer));
    if (this.#queue.length > 0) this.#dispatch();
  }

  #book(what) {
    this.all[what] += 1;
    this.life[what] += 1;
  }
}

function outcome(kind, answer) {
  if (answer === null) return 'unanswered';
  if (answer.verdict === '?') return 'denied';
  if (kind === 'watched') return 'monitored';
  return kind === 'ordinary' ? 'passed' : 'unjudged';
}
