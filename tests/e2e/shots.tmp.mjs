import fs from 'node:fs';
import { openBrowser, openConsole } from './support/browser.mjs';
import { clientId, clientSecret, SignInProvider } from './support/oidc_provider.mjs';
import { at_rest } from './support/pictures.mjs';
import { Wafd, request } from './support/wafd.mjs';
const out = '/tmp/people-shots'; fs.mkdirSync(out, { recursive: true });
const widths = [[1440, 900], [1024, 768], [720, 900], [390, 844]];
const shoot = async (page, name, full = true) => {
  for (const [width, height] of widths) {
    await page.setViewportSize({ width, height });
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      await at_rest(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) console.log(`${name} ${width}: ${wide} px too wide`);
      await page.screenshot({ path: `${out}/${name}-${width}-${scheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
};
const wafd = await Wafd.start();
for (let i = 0; i < 30; ++i) await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': i % 3 ? `/item?id=${i}%27%20UNION%20SELECT%20password%20FROM%20users--%20` : `/search?q=%3Cscript%3Ealert(${i})%3C/script%3E` } });
await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/.git/config' } });
const provider = await SignInProvider.start(`${wafd.console}/oidc/callback`, { olga: { preferred_username: 'olga', groups: ['soc'] } });
const chromium = await openConsole(wafd);
const { page } = chromium;
await page.setViewportSize({ width: 1440, height: 900 });
await wafd.api('PUT', '/oidc', { enabled: true, issuer: provider.issuer, client_id: clientId, client_secret: clientSecret, ca: provider.ca, label: 'Example Works', admin_groups: ['it-security'], operator_groups: ['soc', 'night watch'], viewer_groups: ['staff'] });
const channel = await wafd.api('POST', '/notify/channels', { name: 'Night watch', kind: 'webhook', url: 'https://hooks.example/x', secret: 'k' });
await wafd.api('POST', '/notify/alerts', { name: 'Many SQL injections', when: 'matches', query: 'type:sqli', channels: [channel.id] });
const see = async (name, address, wait, act) => {
  try {
    await page.goto(`${wafd.console}${address}`);
    await page.getByTestId(wait).first().waitFor({ timeout: 15000 });
    if (act) await act();
    await shoot(page, name);
  } catch (error) { console.log(name, error.message); }
};
const views = (process.env.SHOTS ?? '').split(',').filter(Boolean);
const all = {
  'sign-in': ['/?view=settings&section=sign_in', 'oidc-redirect'],
  'sign-in-dialog': ['/?view=settings&section=sign_in', 'oidc-redirect', async () => { await page.getByTestId('oidc-edit').click(); await page.getByTestId('oidc-issuer').waitFor(); }],
  users: ['/?view=settings&section=users', 'users'],
  notify: ['/?view=settings&section=notify', 'channels'],
  'notify-channel': ['/?view=settings&section=notify', 'channels', async () => { await page.getByTestId('channel-edit').first().click(); }],
  'notify-alert': ['/?view=settings&section=notify', 'alerts', async () => { await page.getByTestId('alert-edit').first().click(); }],
  report: ['/?view=report', 'report'],
  account: ['/?view=account', 'preferences'],
  tokens: ['/?view=settings&section=tokens', 'token-use'],
};
const run = async (suffix) => { for (const [name, args] of Object.entries(all)) if (views.length === 0 || views.includes(name)) await see(name + suffix, ...args); };
await run('');
if (process.env.ZH !== '0') {
  await page.goto(`${wafd.console}/?view=account`);
  await page.getByTestId('preferences-language').selectOption('zh-CN');
  await page.getByTestId('preferences-save').click();
  await page.locator('html[lang=zh-CN]').waitFor();
  all.events = ['/?range=all', 'event-row']; all.overview = ['/?view=overview', 'traffic']; all.rules = ['/?view=settings&section=rules', 'rules']; all.system = ['/?view=settings&section=system', 'config']; all.detail = ['/?range=all', 'event-row', async () => { await page.getByTestId('event-row').first().click(); await page.getByTestId('verdict').waitFor(); }];
  await run('-zh');
}
const other = await openBrowser();
await other.page.goto(wafd.console);
await other.page.getByTestId('provider-sign-in').waitFor();
await shoot(other.page, 'door');
await other.close();
await chromium.close(); await provider.close(); await wafd.stop();
process.exit(0);
