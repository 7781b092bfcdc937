// Real syslog receivers: rsyslog and syslog-ng as Debian packages them, writing raw messages to a file, one a line.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { Program, freePort, root, run, tempFolder, until } from './processes.mjs';

const home = path.join(root, 'build/receivers');

export async function fetchReceivers() {
  const fetched = await run(path.join(root, 'tests/support/fetch_receivers'), [home]);
  if (fetched.code !== 0) throw new Error(fetched.stderr);
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export class Receiver {
  // kind: 'rsyslog' | 'syslog-ng'
  static async start(kind) {
    const receiver = new Receiver();
    receiver.kind = kind;
    receiver.folder = tempFolder(kind);
    receiver.out = path.join(receiver.folder, 'out');
    fs.writeFileSync(receiver.out, '');
    receiver.udp = await freePort();
    receiver.tcp = await freePort(); // byte-counted
    receiver.relp = await freePort(); // rsyslog alone
    receiver.tcpLf = kind === 'rsyslog' ? receiver.tcp : await freePort(); // rsyslog tells the framing by itself
    fs.writeFileSync(path.join(receiver.folder, 'conf'), kind === 'rsyslog' ? receiver.#rsyslog() : receiver.#syslogNg());
    await receiver.launch();
    return receiver;
  }

  async launch() {
    const conf = path.join(this.folder, 'conf');
    const pid = path.join(this.folder, 'pid');
    const args =
      this.kind === 'rsyslog'
        ? ['-n', '-f', conf, '-i', pid]
        : ['-F', '-f', conf, `--pidfile=${pid}`, `--persist-file=${this.folder}/persist`, `--control=${this.folder}/ctl`];
    this.program = new Program(path.join(home, this.kind, 'run'), args);
    await this.program.ready('listens', async () => (await listens(this.tcp)) && listens(this.tcpLf));
  }

  #rsyslog() {
    return `global(workDirectory="${this.folder}" maxMessageSize="128k" parser.escapeControlCharactersOnReceive="off")
main_queue(queue.type="Direct")
module(load="imudp")
module(load="imtcp")
module(load="imrelp")
template(name="raw" type="string" string="%rawmsg%\\n")
ruleset(name="all") { action(type="omfile" file="${this.out}" template="raw") }
input(type="imudp" address="127.0.0.1" port="${this.udp}" ruleset="all")
input(type="imtcp" address="127.0.0.1" port="${this.tcp}" ruleset="all")
input(type="imrelp" address="127.0.0.1" port="${this.relp}" maxDataSize="128k" ruleset="all")
`;
  }

  #syslogNg() {
    const at = (port) => `ip("127.0.0.1") port(${port})`;
    return `@version: 3.38
options { log-msg-size(131072); stats-freq(0); flush-lines(1); };
source all {
  network(${at(this.udp)} transport("udp") flags(no-parse));
  network(${at(this.tcpLf)} transport("tcp") flags(no-parse) max-connections(100));
  syslog(${at(this.tcp)} transport("tcp") flags(no-parse) max-connections(100));
};
destination out { file("${this.out}" template("$MSG\\n")); };
log { source(all); destination(out); flags(flow-control); };
`;
  }

  lines() {
    return fs.readFileSync(this.out, 'utf8').split('\n').filter((line) => line !== '');
  }

  // The lines that hold `text`, once there is one.
  having(text, seconds = 20) {
    return until(`${this.kind} receives ${text}`, () => {
      const found = this.lines().filter((line) => line.includes(text));
      return found.length > 0 && found;
    }, seconds);
  }

  stop() {
    return this.program.stop();
  }
}
