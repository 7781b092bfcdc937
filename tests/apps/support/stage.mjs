// One application with gateway, plugin and wafd (monitor mode) in front, the recorder before them, and what scenarios are made of.
import fs from 'node:fs';
import path from 'node:path';

import { openBrowser } from '../../e2e/support/browser.mjs';
import { startFront } from '../../e2e/support/front.mjs';
import { Program, freePort, run, tempFolder, until } from '../../e2e/support/processes.mjs';
import { Recorder } from '../../e2e/support/recorder.mjs';
import { request } from '../../e2e/support/wafd.mjs';

// A file that a page is made of counts once, whatever page asks for it.
function keyOf(bytes) {
  const target = /^GET (\S+)/.exec(bytes.subarray(0, 2000).toString('latin1'))?.[1] ?? '';
  const isFile =
    /\.(m?js|css|png|jpe?g|gif|svg|ico|woff2?|ttf)(\?|$)/.test(target) || /\/(lib\/exe\/(css|js)|load-(styles|scripts))\.php/.test(target);
  return isFile ? target : bytes;
}

const withinSeconds = (promise, seconds) => {
  let timer;
  const late = new Promise((resolve, reject) => (timer = setTimeout(() => reject(new Error(`not within ${seconds} s`)), seconds * 1000)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

export class Stage {
  // `folder`: where requests are kept. Browsers are told that the application is http://NAME.example.
  static async start(name, folder) {
    const stage = new Stage();
    Object.assign(stage, {
      name,
      host: `${name}.example`,
      url: `http://${name}.example`,
      part: 'ordinary',
      programs: [],
      browsers: [],
      steps: 0,
      failed: [],
    });
    stage.appPort = await freePort();
    stage.front = await startFront(stage.appPort, {
      site: { name, mode: 'monitor' },
      plugin: { budget: 5000, read_timeout: 5000 },
      settings: { 'ring.size_mib': 256 },
    });
    fs.mkdirSync(folder, { recursive: true });
    for (const file of fs.readdirSync(folder)) if (file.endsWith('.white')) fs.rmSync(path.join(folder, file));
    stage.recorder = new Recorder(stage.front.port);
    // The plugin hands over no more of a body than 1 MiB.
    Object.assign(stage.recorder, {
      keep: folder,
      maxBytes: 1 << 20,
      keyOf,
      nameOf: (number) => `${stage.part}-${String(number).padStart(5, '0')}.white`,
    });
    await stage.recorder.listen();
    return stage;
  }
  // Where clients that cannot be told where NAME.example lies find the application.
  get address() {
    return `127.0.0.1:${this.recorder.port}`;
  }

  // What applications are made of.
  temp(name) {
    const folder = tempFolder(`${this.name}-${name}`);
    fs.chmodSync(folder, 0o755);
    return folder;
  }
  write(file, text) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    return file;
  }
  run(command, args, options = {}) {
    const program = new Program(command, args, options);
    program.group = options.detached === true;
    this.programs.unshift(program);
    return program;
  }
  async done(command, args, options) {
    const result = await run(command, args, options);
    if (result.code !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${result.stderr.slice(-1500)}${result.stdout.slice(-1500)}`);
    return result.stdout;
  }
  until(what, condition, seconds = 60) {
    return until(
      what,
      () => {
        const ended = this.programs.find((program) => program.exit);
        if (ended) throw new Error(`${ended.name} ended: ${ended.stderr.slice(-1500)}${ended.stdout.slice(-500)}`);
        return condition();
      },
      seconds,
    );
  }
  async answers(where = '/', seconds = 90) {
    await this.until(
      `${this.name} answers`,
      async () => (await request(`http://127.0.0.1:${this.appPort}${where}`, { headers: { Host: this.host } })).status < 500,
      seconds,
    );
  }

  // What scenarios are made of. A step that fails is told and left; the others go on.
  async step(what, action, seconds = 40) {
    ++this.steps;
    try {
      return await withinSeconds(Promise.resolve().then(action), seconds);
    } catch (error) {
      this.failed.push(`${what}: ${error.message.split('\n').slice(0, 3).join(' | ').slice(0, 400)}`);
      return null;
    }
  }
  // The environment of a client: no settings of whoever runs this.
  get env() {
    return { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: (this.home ??= this.temp('home')) };
  }
  // `input`: what it reads; `ends`: with which statuses it may end.
  command(command, args, { env = {}, cwd, seconds = 60, input, ends = [0] } = {}) {
    return this.step(
      `${path.basename(command)} ${args.join(' ').slice(0, 60)}`,
      async () => {
        const program = new Program(command, args, {
          cwd,
          env: { ...this.env, ...env },
          stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        });
        if (input !== undefined) program.child.stdin.end(input);
        const timer = setTimeout(() => program.kill(), seconds * 1000);
        const exit = await program.ended;
        clearTimeout(timer);
        if (!ends.includes(exit.code))
          throw new Error(`ended with ${exit.code ?? exit.signal}: ${program.stderr.slice(-300)}${program.stdout.slice(-200)}`);
        return program.stdout;
      },
      seconds + 5,
    );
  }
  // One request without any client cleverness, as a program of somebody's own makes it.
  send(method, where, { headers = {}, body } = {}) {
    return this.step(`${method} ${where.slice(0, 60)}`, () =>
      request(`http://${this.address}${where}`, { method, headers: { Host: this.host, ...headers }, body }),
    );
  }
  sendJson(method, where, body, headers = {}) {
    return this.send(method, where, { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
  }
  // A page of a browser of its own, which knows the application alone.
  async page(context = {}) {
    const browser = await openBrowser({
      args: [`--host-resolver-rules=MAP ${this.host} ${this.address}, MAP * ~NOTFOUND`, `--unsafely-treat-insecure-origin-as-secure=${this.url}`],
      context,
    });
    this.browsers.push(browser);
    browser.answer = (dialog) => void dialog.accept().catch(() => {});
    browser.page.setDefaultTimeout(8000);
    return browser.page;
  }
  go(page, where, options = {}) {
    return this.step(`open ${where.slice(0, 80)}`, () => page.goto(new URL(where, this.url).href, { waitUntil: 'load', timeout: 20000, ...options }));
  }
  // Does what sends a form or a file, and waits for what comes of it: an answer for a script, or another page. A script may also keep the form.
  async sent(page, action) {
    const isSent = (answer) => answer.request().method() === 'POST' || answer.request().isNavigationRequest();
    const answered = page.waitForResponse(isSent, { timeout: 10000 }).catch(() => null);
    await page.evaluate(() => (window.isLeft = false));
    await action();
    const request = (await answered)?.request();
    if (request?.isNavigationRequest() && request.frame() === page.mainFrame()) {
      await page.waitForFunction(() => window.isLeft === undefined, null, { timeout: 15000 });
    }
    await page.waitForLoadState('load', { timeout: 20000 });
  }
  // Fills in fields by their names (or selectors that begin with one of # . [) and clicks; a value that is an array of paths goes into a field for files.
  form(page, where, values, submit = '[type=submit]') {
    return this.step(`form ${String(where ?? page.url()).slice(0, 60)}`, async () => {
      if (where) await page.goto(new URL(where, this.url).href, { waitUntil: 'load', timeout: 20000 });
      for (const [name, value] of Object.entries(values)) {
        const field = page.locator(/^[#.[]/.test(name) ? name : `[name="${name}"]`).first();
        if (Array.isArray(value)) await field.setInputFiles(value);
        else if (typeof value === 'boolean') await field.setChecked(value, { force: true });
        else if (await field.evaluate((node) => node.type === 'radio'))
          await page.locator(`[name="${name}"][value="${value}"]`).first().check({ force: true });
        else if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(value);
        else await field.fill(value, { force: true });
      }
      await this.sent(page, () => page.locator(submit).first().click({ force: true }));
    });
  }

  // Events that say that a request would have been denied.
  async denials() {
    const events = [];
    for (let before = null; ;) {
      const page = await this.front.wafd.api(
        'GET',
        `/events?limit=200&q=${encodeURIComponent('action:monitor')}${before ? `&before=${before}` : ''}`,
      );
      events.push(...page.events);
      before = page.before;
      if (!before || !page.events.length) return events;
    }
  }
  async stop() {
    for (const browser of this.browsers) await browser.close().catch(() => {});
    await this.recorder?.stop();
    for (const program of this.programs) {
      if (program.group && !program.exit) {
        try {
          process.kill(-program.pid, 'SIGTERM');
        } catch {}
      }
      await program.stop();
    }
    await this.front.stop();
  }
}
