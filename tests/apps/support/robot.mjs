// Goes through an application as somebody who tries every page of it: follows links, fills in each form with ordinary texts, sends it.
import { comments, markdown, passwords, people, posts, searches } from './texts.mjs';

// What would end the session or the application.
const kLeaves = /log.?out|sign.?out|logoff|uninstall|shutdown|reboot|delete|destroy|remove|purge|truncate/i;

const listed = (list, turn) => list[turn % list.length];
const kTexts = [
  [/mail/i, people.map((one) => one.mail)],
  [/url|link|site|href/i, people.map((one, at) => `https://${one.mail.split('@')[1]}/a/${at}?from=news&to=${encodeURIComponent(one.city)}#top`)],
  [/phone|tel/i, people.map((one) => one.phone)],
  [/search|query|^q$|filter|find/i, searches],
  [/tag|label|keyword/i, posts.flatMap((post) => post.tags)],
  [/desc|text|note|comment|summary|body|message/i, comments],
  [/./, [...people.map((one) => one.name), ...posts.map((post) => post.title), ...people.map((one) => one.city)]],
];

// A text for a field, by what the field seems to ask for; `turn` counts up, so that all texts have their turn.
function textFor({ type, tag, name, longest }, turn) {
  const fixed = { date: '2026-11-18', 'datetime-local': '2026-11-18T10:00', time: '10:00', color: '#6b2d8b' }[type];
  if (fixed) return fixed;
  if (type === 'number' || /port|count|size|limit|number|timeout|interval|width|height|days/i.test(name)) return `${(turn % 90) + 1}`;
  let list = kTexts.find(([asks]) => asks.test(name || 'x'))[1];
  if (tag === 'textarea') list = listed([comments, markdown, posts.map((post) => post.html)], turn);
  else if (type === 'password') list = passwords;
  else if (type === 'search') list = searches;
  return listed(list, turn).slice(0, longest > 0 ? longest : undefined);
}

// Fills in the fields that are shown; one that the application has filled in keeps its text every other time. Gives the next turn.
async function fill(form, turn) {
  const fields = await form.evaluate((node) =>
    [...node.elements].map((field, at) => ({
      at,
      name: field.name || field.id || '',
      tag: field.tagName.toLowerCase(),
      type: field.type,
      longest: field.maxLength ?? -1,
      usable: !field.disabled && !field.readOnly && field.type !== 'hidden' && field.offsetParent !== null,
    })),
  );
  for (const field of fields) {
    if (!field.usable || kLeaves.test(field.name)) continue;
    const text = textFor(field, turn++);
    await form.evaluate(
      (node, { at, text, turn }) => {
        const field = node.elements[at];
        if (['file', 'submit', 'button', 'image', 'reset'].includes(field.type)) return;
        if (field.tagName === 'SELECT') {
          if (turn % 3 === 0 && field.options.length) field.selectedIndex = turn % field.options.length;
        } else if (field.type === 'checkbox') field.checked = turn % 2 === 0;
        else if (field.type === 'radio') field.checked = true;
        else if (!field.value || turn % 2 === 0) {
          field.value = text;
          for (const what of ['input', 'change']) field.dispatchEvent(new Event(what, { bubbles: true }));
        }
      },
      { at: field.at, text, turn },
    );
  }
  return turn;
}

const send = (form) =>
  form.evaluate((node) => {
    const leaves = /delete|remove|cancel|reset/i;
    const buttons = [...node.querySelectorAll('[type=submit],button:not([type]),[type=image]')];
    const button = buttons.find((one) => !leaves.test(`${one.name} ${one.value} ${one.textContent}`));
    if (button) button.click();
    else if (!buttons.length) node.requestSubmit();
  });

// What a form is known by: two of the same are sent as often as one.
const keyOf = (form) =>
  form.evaluate((node) =>
    `${node.id} ${node.getAttribute('method') ?? ''} ${node.getAttribute('action') ?? ''} ${[...node.elements].map((one) => one.name).join(' ')}`
      .replace(/\d+/g, '0')
      .slice(0, 300),
  );

// The forms of the page that is open. `state`: {sent, turn}, the same for a whole walk.
export async function useForms(stage, page, state, { rounds = 2, leaves = (text) => kLeaves.test(text), files = [] } = {}) {
  const address = page.url();
  const count = Math.min(6, await page.locator('form').count());
  for (let at = 0; at < count; ++at) {
    const form = page.locator('form').nth(at);
    const key = await keyOf(form).catch(() => null);
    if (key === null || (state.sent.get(key) ?? 0) >= rounds || leaves(key.slice(0, key.indexOf(' ', 1) + 80))) continue;
    state.sent.set(key, (state.sent.get(key) ?? 0) + 1);
    await stage.step(
      `form ${key.slice(0, 60)}`,
      async () => {
        state.turn = await fill(form, state.turn + 1);
        if (files.length)
          for (const input of await form.locator('input[type=file]').all()) await input.setInputFiles(listed(files, state.turn++)).catch(() => {});
        // A form may answer with a file, and the page stays.
        const file = page.waitForEvent('download', { timeout: 25000 }).catch(() => new Promise(() => {}));
        await Promise.race([stage.sent(page, () => send(form)), file]);
      },
      30,
    );
    if (page.url() !== address && at + 1 < count) await stage.go(page, address);
  }
}

// The same page with another number is not another page, nor is it with another text.
function kindOf(address) {
  const { pathname, searchParams } = new URL(address);
  const values = [...searchParams].map(([name, value]) => `${name}=${/^[\w.-]{1,24}$/.test(value) ? value : ''}`);
  return `${pathname}?${values.sort().join('&')}`.replace(/\d+/g, '0');
}

// `from`: where it begins; `pages`: how many it opens; `avoid`: what it does not open or send; `rounds`: how often a form is filled in.
export async function explore(stage, page, from, { pages = 60, rounds = 2, avoid = /$^/, files = [] } = {}) {
  const seen = new Set();
  const state = { sent: new Map(), turn: 0 };
  const queue = from.map((where) => new URL(where, stage.url).href);
  const leaves = (text) => kLeaves.test(text) || avoid.test(text);
  for (let opened = 0; queue.length && opened < pages;) {
    const [address] = queue.splice(queue.length > 8 ? state.turn % queue.length : 0, 1);
    if (seen.has(kindOf(address)) || leaves(address)) continue;
    seen.add(kindOf(address));
    ++opened;
    const came = await stage.step(`open ${address.slice(0, 80)}`, () =>
      page.goto(address, { waitUntil: 'load', timeout: 20000 }).catch((error) => {
        if (!/Download is starting/.test(error.message)) throw error;
      }),
    );
    if (!/html/.test(came?.headers()['content-type'] ?? '')) continue;
    const links =
      (await stage.step(`links of ${address.slice(0, 70)}`, () =>
        page.evaluate(() => [...document.querySelectorAll('a[href]')].map((link) => link.href)),
      )) ?? [];
    for (const link of links) if (link.startsWith(stage.url) && !seen.has(kindOf(link))) queue.push(link.split('#')[0]);
    await useForms(stage, page, state, { rounds, leaves, files });
  }
}
