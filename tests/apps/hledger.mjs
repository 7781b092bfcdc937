// hledger-web of Debian: a journal of double-entry accounting; postings added, searches in its query language, the journal as a whole.
import path from 'node:path';

import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'hledger-web (accounting)';

export async function prepare(stage) {
  stage.journal = stage.write(
    path.join(stage.temp('journal'), 'kitchen.journal'),
    "; Anna's kitchen\naccount assets:bank\naccount expenses:food\n\n2026-01-01 opening\n    assets:bank    1204.50 EUR\n    equity\n",
  );
}
export async function start(stage) {
  stage.run(
    'hledger-web',
    ['--serve', '--host', '127.0.0.1', '--port', `${stage.appPort}`, '--base-url', stage.url, '-f', stage.journal, '--capabilities=view,add,manage'],
    { env: stage.env },
  );
  await stage.answers('/journal');
}

const entry = (at, one, text) =>
  `2026-11-${String((at % 28) + 1).padStart(2, '0')} ${at % 2 ? '*' : '!'} (R-${at}) ${one.name} | ${text.replace(/[\n;|]/g, ' ').slice(0, 60)}  ; ${one.city}, due:2026-12-01, client:${one.mail}\n    expenses:food:${one.city.replace(/[;\s]/g, ' ')}    ${at * 7 + 1}.90 EUR @ 1.08 USD  ; it's ${text.split('\n')[0].slice(0, 50)}\n    (budget:food)    -10 EUR = 90 EUR\n    assets:bank\n`;
const automated = `
commodity 1.000,00 EUR
P 2026-11-18 USD 0.92 EUR
alias /^expenses:(food|drinks):(.*)/ = expenses:\\2
= expenses:food
    (tax:vat)    *0.19
~ every 2 weeks from 2026-01-01  "rent; and heat"
    expenses:rent    EUR 680.00
    assets:bank
comment
Don't touch what is below -- Siobhán
end comment
`;

async function write(stage, page, { posts, comments, searches }) {
  for (const [at, post] of posts.entries()) {
    await stage.step(`add ${at}`, async () => {
      await page.goto(`${stage.url}/journal?add=1`, { waitUntil: 'load' });
      const accounts = page.locator('#addform [name=account]');
      await page.locator('#addform [name=date]').fill('2026-11-18', { force: true });
      await page.locator('#addform [name=description]').fill(`${people[at % people.length].name} | ${post.title}`, { force: true });
      for (const [nth, [account, amount]] of [
        [`expenses:${people[at % people.length].city}`, `${at + 1}.50 EUR`],
        ['assets:bank', `-${at + 1}.50 EUR`],
      ].entries()) {
        await accounts.nth(nth).fill(account, { force: true });
        await page.locator('#addform [name=amount]').nth(nth).fill(amount, { force: true });
      }
      await stage.sent(page, () => page.evaluate(() => HTMLFormElement.prototype.submit.call(document.querySelector('#addform form, form#addform'))));
    });
    await stage.sendJson('PUT', '/add', {
      tcomment: `${comments[at % comments.length]}\n`,
      tpostings: [
        {
          paccount: `expenses:${post.title}`,
          pamount: [
            {
              acommodity: '€',
              aquantity: { decimalPlaces: 2, decimalMantissa: 119, floatingPoint: 1.19 },
              aprice: null,
              aismultiplier: false,
              astyle: { ascommodityside: 'L', ascommodityspaced: false, asdecimalpoint: '.', asdigitgroups: null, asprecision: 2 },
            },
          ],
          pcomment: '',
          pdate: null,
          pdate2: null,
          poriginal: null,
          pstatus: 'Unmarked',
          ptags: [['due', '2026-12-01']],
          ptransaction_: '1',
          ptype: 'RegularPosting',
          pbalanceassertion: null,
        },
      ],
      tcode: `R/${at}`,
      tdate: '2026-11-18',
      tdate2: null,
      tdescription: post.title,
      tindex: 1,
      tprecedingcomment: '',
      tsourcepos: [
        { sourceName: '', sourceLine: 1, sourceColumn: 1 },
        { sourceName: '', sourceLine: 1, sourceColumn: 1 },
      ],
      tstatus: 'Cleared',
      ttags: [],
    });
  }
  for (const text of searches) {
    const q = encodeURIComponent(text);
    await stage.go(page, `/journal?q=${q}`);
    await stage.send('GET', `/register?q=inacct:"expenses:food"+not:desc:"${q}"`);
  }
}

export async function drive(stage) {
  const page = await stage.page();
  await write(stage, page, {
    posts: [...posts, ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    searches: [...searches, ...lookups],
  });
  for (const q of [
    "inacct:'expenses:food'",
    'date:2026-11-01..2026-12-01 amt:>100',
    "desc:^(Müller|O'Connor) cur:\\$",
    'not:status:* type:AL',
    'tag:due=2026-12.* depth:2',
    "acct:'(food|drinks)$' real:1",
    'any:"assets:bank" or desc:rent',
    'expr:"(desc:food AND NOT amt:<0) OR acct:bank"',
    'payee:anna note:x code:R-1',
    'date:lastmonth- inacctonly:assets',
  ])
    await stage.go(page, `/register?q=${encodeURIComponent(q)}`);
  for (const [at, one] of people.entries())
    await stage.step(`edit ${at}`, async () => {
      await page.goto(`${stage.url}/manage`, { waitUntil: 'load' });
      await page.locator('a[href*="/edit/"]').first().click();
      await page.waitForLoadState('load');
      const field = page.locator('textarea').first();
      await field.fill(
        `${await field.inputValue()}\n${at ? '' : automated}${entry(at, one, at % 2 ? comments[at % comments.length] : notes[at].text)}`,
      );
      await stage.sent(page, () => page.locator('form [type=submit]').last().click());
    });
  await explore(stage, page, ['/journal', '/register?q=inacct:assets', '/manage', '/accounts'], { pages: 16 });
}
export async function driveTechnical(stage) {
  await write(stage, await stage.page(), technicalTexts);
}
