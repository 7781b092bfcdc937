// wafd for hours at an even load, while targets come and go, rules and certificates are read again each minute, live tails open and close, and
// a SIGKILL ends it every ten minutes.  README.md says what is compared.
//   node bench/soak/soak.mjs [--minutes 120] [--rate 0] [--every 5] [--kill-minutes 10] [--connections 8] [--ring-mib 32] [--tails 6]
//                            [--out build/soak]
// `--rate` requests a second, 0: half of what is answered in the first ten seconds; one in `--every` is an attack.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { OctetReceiver } from '../../tests/e2e/support/octet_receiver.mjs';
import { root, run, tempFolder, until, wafdPath } from '../../tests/e2e/support/processes.mjs';
import { Wafd } from '../../tests/e2e/support/wafd.mjs';
import { arrived_or_told, holes, requests_add_up, target_adds_up } from './books.mjs';
import { Load } from './load.mjs';
import { plot } from './plot.mjs';
import { Samples } from './samples.mjs';
import { Tails } from './tails.mjs';

const numbers = { minutes: 120, rate: 0, every: 5, 'kill-minutes': 10, connections: 8, 'ring-mib': 32, tails: 6 };
const { values: given } = parseArgs({
  options: { ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, { type: 'string', default: `${value}` }])), out: { type: 'string', default: path.join(root, 'build/soak') } },
});
const option = (name) => Number(given[name]);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Soak {
  life = 0;
  kills = 0;
  reloads = 0;
  visits = 0;
  books = [];
  wrong = [];
  targets = new Map(); // name -> {id, receiver, base}
  finished = []; // receivers of targets that are gone

  problem(text) {
    this.wrong.push(`life ${this.life}, ${Math.round(this.samples?.seconds ?? 0)} s: ${text}`);
    console.log(`WRONG ${this.wrong.at(-1)}`);
  }

  async open() {
    fs.mkdirSync(given.out, { recursive: true });
    this.rules = path.join(tempFolder('soak-rules'), 'own.json');
    this.write_rules();
    this.wafd = await Wafd.start({ workers: 2, 'ring.size_mib': option('ring-mib'), 'rules.files': this.rules });
    await this.wafd.api('POST', '/sites', { name: 'Shop', hosts: ['shop.example'] });
    await this.wafd.api('POST', '/sites', { name: 'Watched', hosts: ['watched.example'], mode: 'monitor' });
    await this.add('always', '');
    await this.add('filtered', 'action:deny');
    await this.add('interrupted', '');
    await this.add('seldom', '');
    this.load = new Load({ port: this.wafd.t1kPort, rate: option('rate'), every: option('every'), connections: option('connections') });
    this.tails = new Tails(this.wafd, option('tails'));
  }

  write_rules() {
    const rule = { id: 'own', name: 'own', attack_type: 'custom', risk: 'high', location: 'query', expression: `forbidden-word-${this.reloads}` };
    fs.writeFileSync(this.rules, JSON.stringify({ rules: [rule] }));
  }

  async add(name, filter) {
    const receiver = new OctetReceiver();
    await receiver.open();
    const { id } = await this.wafd.addTarget({ name, transport: 'tcp', port: receiver.port, filter });
    this.targets.set(name, { id, receiver });
  }

  status_of = async (name) => (await this.wafd.api('GET', `/syslog/targets/${this.targets.get(name).id}`)).status;

  async settled(name) {
    return until(`target ${name} settled`, async () => {
      const status = await this.status_of(name);
      return status?.state === 'up' && status.lag_events === 0 && status;
    }, 90);
  }

  counted = ['always', 'filtered', 'interrupted'];

  // A life begins: nothing is asked until the targets have what waited for them; from here on its counters are compared.
  async begin_life() {
    this.life += 1;
    this.load.begin_life();
    await this.up('interrupted');
    for (const name of this.counted) this.targets.get(name).base = await this.settled(name);
    this.ring_begin = (await this.wafd.api('GET', '/status')).ring.end_seq;
    await this.load.resume();
  }

  // With the load halted and the targets settled.
  async compare() {
    await this.load.pause();
    await this.up('interrupted');
    const after = {};
    for (const name of this.counted) after[name] = await this.settled(name);
    const { engine, ring } = await this.wafd.api('GET', '/status');
    const wrong = requests_add_up({ life: this.load.life, engine, ring: { begin: this.ring_begin, end: ring.end_seq } });
    const events = ring.end_seq - this.ring_begin;
    const targets = this.counted.map((name) => target_adds_up(name, this.targets.get(name).base, after[name], events));
    for (const one of [...wrong, ...targets.flatMap((target) => target.wrong)]) this.problem(one);
    const { requests, denied, monitored, allowed_recorded, overload_passed, overload_blocked, interrupted, judged_by_head } = engine;
    this.books.push({ life: this.life, clients: { ...this.load.life }, wafd: { requests, denied, monitored, allowed_recorded, overload_passed, overload_blocked, interrupted, judged_by_head }, targets });
    console.log(`life ${this.life}: ${JSON.stringify(this.load.life)}; ${targets.map((t) => `${t.name} ${t.events} = ${t.sent} + ${t.pending} + ${t.filtered} + ${t.lost}`).join('; ')}`);
  }

  async up(name) {
    const { receiver } = this.targets.get(name);
    if (!receiver.up) await receiver.open();
  }

  async down(name) {
    const { receiver } = this.targets.get(name);
    if (receiver.up) await receiver.shut();
  }

  async minute() {
    this.reloads += 1;
    this.write_rules();
    this.wafd.program.child.kill('SIGHUP');
    const old = this.targets.get(`visitor ${this.visits}`);
    if (old) {
      await this.wafd.api('DELETE', `/syslog/targets/${old.id}`);
      await old.receiver.shut();
      this.finished.push(old.receiver);
      this.targets.delete(`visitor ${this.visits}`);
    }
    this.visits += 1;
    await this.add(`visitor ${this.visits}`, '');
  }

  // Under full load, some seconds after the books were compared: nobody is told.
  async kill() {
    await this.compare();
    await this.load.resume();
    await sleep(2000 + Math.random() * 4000);
    await this.wafd.program.kill('SIGKILL');
    this.kills += 1;
    await this.load.pause();
    this.load.close();
    this.keep_log();
    await this.wafd.launch();
    await this.begin_life();
  }

  // Of the life that has ended.
  keep_log() {
    fs.writeFileSync(path.join(given.out, `wafd-${this.life}.log`), this.wafd.program.stderr);
  }

  // Does the events that are due at this second. A period is the time from one SIGKILL to the next.
  async turn(second, period) {
    const in_period = second % period;
    this.tails.turn(second);
    if (second % 60 === 0) await this.minute();
    if (second % 60 === 15) await this.down('interrupted');
    if (second % 60 === 25) await this.up('interrupted');
    if (in_period === Math.floor(period * 0.15)) await this.down('seldom');
    if (in_period === Math.floor(period * 0.85)) await this.up('seldom');
    if (second > 0 && in_period === 0) await this.kill();
  }

  async go() {
    if (option('rate') === 0) await this.find_rate();
    this.samples = new Samples(path.join(given.out, 'soak.csv'));
    const period = Math.max(30, Math.round(option('kill-minutes') * 60));
    await this.begin_life();
    let next = 0;
    let sampled = 0;
    while (this.samples.seconds < option('minutes') * 60) {
      await this.turn(next, period).catch((error) => this.problem(error.message));
      if (this.wafd.program.exit) throw new Error(`wafd ended: ${this.wafd.program.stderr.slice(-3000)}`);
      if (this.samples.seconds >= sampled + 5) {
        sampled = this.samples.seconds;
        this.samples.take({ pid: this.wafd.program.pid, life: this.life, latencies: this.load.latencies, tails: this.tails.open.size, targets: this.targets.size });
      }
      next += 1;  // none is left out, also if a restart took longer
      while (this.samples.seconds < next) await sleep(20);
    }
    this.tails.shut();
    await this.up('seldom');
    await this.settled('seldom');
    await this.compare();
  }

  async find_rate() {
    this.load.rate = 20_000;
    await this.load.resume();
    await sleep(10_000);
    await this.load.pause();
    this.load.rate = Math.floor(this.load.all.answered / 20);
    this.load.skipped = 0;
    this.load.latencies.splice(0);
    console.log(`${this.load.all.answered / 10} requests/s are answered; half of it is asked`);
    await this.wafd.stop();
    this.load.close();
    await this.wafd.launch();
  }

  // Over all lives, by event ids.
  async account() {
    const events = await run(wafdPath, ['events', '--json', '--limit', '1000000', '--state-dir', this.wafd.state]);
    const ring = new Set(events.stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line).event_id));
    const always = this.targets.get('always').receiver;
    const gone = [...this.load.told].filter((id) => !ring.has(id) && !always.seen.has(id));
    if (gone.length > 0) this.problem(`${gone.length} ids were told to a client and are neither in the ring nor at the receiver: ${gone.slice(0, 3)}`);
    const absent = [...ring].filter((id) => !always.seen.has(id));
    if (absent.length > 0) this.problem(`${absent.length} events of the ring have not come to the target that is always there`);
    const { end_seq } = (await this.wafd.api('GET', '/status')).ring;
    const first = end_seq - always.seen.size; // nothing is missing at it, so its order is the ring's
    const order = [...always.seen.keys()];
    const by_target = Object.fromEntries(['interrupted', 'seldom'].map((name) => [name, arrived_or_told(order, first, this.targets.get(name).receiver)]));
    for (const [name, { missing }] of Object.entries(by_target)) if (missing > 0) this.problem(`target ${name}: ${missing} events neither came nor were told as lost`);
    const visitors = this.finished;
    const torn = visitors.reduce((all, receiver) => all + holes(always.seen, receiver), 0);
    if (torn > 0) this.problem(`${torn} events are missing between the first and the last that targets of a minute got`);
    const { denied, monitored, unanswered } = this.load.all;
    if (always.actions.deny < denied || always.actions.deny + always.actions.monitor > denied + monitored + unanswered) this.problem(`at the receiver ${JSON.stringify(always.actions)}; clients saw ${JSON.stringify(this.load.all)}`);
    for (const [name, { receiver }] of this.targets) if (receiver.broken.length > 0) this.problem(`target ${name}: broken frames ${receiver.broken.slice(0, 3)}`);
    return { told: this.load.told.size, in_ring: ring.size, at_receiver: always.seen.size, repeated: always.repeated, first_sequence: first, by_target, visitors: visitors.length };
  }

  async end() {
    const ids = await this.account();
    await this.wafd.stop();
    const { all, skipped } = this.load;
    const report = {
      ended: new Date().toISOString(), processors: `${os.cpus().length} (${os.cpus()[0].model.trim()})`,
      options: given, rate: this.load.rate, seconds: Math.round(this.samples.seconds), kills: this.kills, reloads: this.reloads,
      tails: { opened: this.tails.opened, refused: this.tails.refused, events: this.tails.events }, clients: all, skipped, ids, lives: this.books, wrong: this.wrong,
    };
    fs.writeFileSync(path.join(given.out, 'soak.json'), `${JSON.stringify(report, null, 1)}\n`);
    fs.writeFileSync(path.join(given.out, 'soak.svg'), plot(fs.readFileSync(path.join(given.out, 'soak.csv'), 'utf8')));
    console.log(JSON.stringify({ ...report, lives: undefined }, null, 1));
    process.exitCode = this.wrong.length > 0 ? 1 : 0;
  }
}

const soak = new Soak();
try {
  await soak.open();
  await soak.go();
  await soak.end();
} finally {
  await soak.wafd?.program?.kill('SIGKILL');
  if (soak.wafd?.program) soak.keep_log();
}
process.exit();
