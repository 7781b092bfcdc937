// Starting and stopping real programs: each is waited for by a condition with a deadline, and stopped by process id.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import dgram from 'node:dgram';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
// WAFD_PROGRAM: another build of it, for runs that a build must not disturb.
export const wafdPath = process.env.WAFD_PROGRAM ?? path.join(root, 'build/release/wafd');

const folders = [];

// Removed when this process ends, unless WAFD_KEEP_FOLDERS is set (to look at what a failed test left).
export function tempFolder(name) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `wafd-${name}-`));
  folders.push(folder);
  return folder;
}

process.on('exit', () => {
  if (process.env.WAFD_KEEP_FOLDERS) return;
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

// Ports for daemons that are told theirs lie below those that the kernel gives to outgoing connections (from 32768 on).
const ports = { first: 16384, count: 16384, next: Math.floor(Math.random() * 16384) };

function isFree(port) {
  const takes = (socket, bind) =>
    new Promise((resolve) => {
      socket.on('error', () => resolve(false));
      bind(socket, () => socket.close(() => resolve(true)));
    });
  return Promise.all([
    takes(net.createServer(), (server, done) => server.listen(port, '127.0.0.1', done)),
    takes(dgram.createSocket('udp4'), (socket, done) => socket.bind(port, '127.0.0.1', done)),
  ]).then((free) => free.every(Boolean));
}

// A port of loopback that nobody uses now, neither TCP nor UDP; none is given twice in a process.
export async function freePort() {
  for (let tried = 0; tried < ports.count; ++tried) {
    const port = ports.first + ports.next;
    ports.next = (ports.next + 1) % ports.count;
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}

// Polls until `condition` gives something truthy and returns that; an error after `seconds` says what was awaited.
export async function until(what, condition, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  let last;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s${last ? ` (${last.message})` : ''}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// A running program with its output collected. `stop()` is safe to call twice.
export class Program {
  constructor(command, args, options = {}) {
    this.name = path.basename(command);
    this.stdout = '';
    this.stderr = '';
    this.exit = null;
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    this.child.stdout.on('data', (data) => (this.stdout += data.toString('latin1')));
    this.child.stderr.on('data', (data) => (this.stderr += data.toString('latin1')));
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => {
        this.stderr += error.message;
        this.exit = { code: -1, signal: null };
        resolve(this.exit);
      });
      this.child.on('close', (code, signal) => {
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
  }

  get pid() {
    return this.child.pid;
  }

  async ready(what, condition, seconds = 90) {
    // A program that has ended will not become ready: that is told at once.
    const result = await until(`${this.name}: ${what}`, () => this.exit || condition(), seconds).catch((error) => {
      throw new Error(`${error.message}\n${this.stderr.slice(-4000)}`);
    });
    if (this.exit) throw new Error(`${this.name}: ${what}: it ended with ${JSON.stringify(this.exit)}: ${this.stderr.slice(-4000)}`);
    return result;
  }

  kill(signal = 'SIGKILL') {
    if (!this.exit) this.child.kill(signal);
    return this.ended;
  }

  // Stands still once this has returned: SIGSTOP reaches the threads one after the other.
  async pause() {
    this.child.kill('SIGSTOP');
    const tasks = `/proc/${this.pid}/task`;
    const state = (task) => fs.readFileSync(`${tasks}/${task}/stat`, 'latin1').replace(/^.*\) /s, '')[0];
    await until(`${this.name} to stand still`, () => fs.readdirSync(tasks).every((task) => state(task) === 'T'));
  }

  resume() {
    this.child.kill('SIGCONT');
  }

  // SIGTERM, and SIGKILL if that does not end it in time.
  async stop(seconds = 15) {
    if (this.exit) return this.exit;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), seconds * 1000);
    const exit = await this.ended;
    clearTimeout(timer);
    return exit;
  }
}

// Runs a program to its end.
export async function run(command, args, options = {}) {
  const program = new Program(command, args, options);
  const exit = await program.ended;
  return { code: exit.code, signal: exit.signal, stdout: program.stdout, stderr: program.stderr };
}
