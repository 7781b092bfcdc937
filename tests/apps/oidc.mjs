// oidc-provider of npm: log-ins of OpenID Connect, by a relying party's own library (openid-client) and the provider's pages.
import { createRequire } from 'node:module';
import path from 'node:path';

import * as technicalTexts from './support/technical.mjs';
import { agents, people, searches } from './support/texts.mjs';

export const title = 'oidc-provider (log-ins by OAuth 2 and OpenID Connect)';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

// Where clients of the kinds that there are want their people back: a page, a program on the desktop, an application of a phone.
const redirects = [
  'https://shop.example/account/callback?return=%2Fcart%3Fid%3D12%26tab%3Ditems',
  'http://127.0.0.1:49152/callback',
  'http://localhost:8080/oauth2/code/it',
  'com.example.shop:/oauth2redirect',
];
const secret = "it's; a <secret> -- 7/+=&x";

const program = (folder) => `import { pathToFileURL } from 'node:url';
const { default: Provider } = await import(pathToFileURL(${JSON.stringify(path.join(folder, 'oidc-provider/lib/index.js'))}));
const web = { client_id: 'web shop', client_secret: ${JSON.stringify(secret)}, redirect_uris: [${JSON.stringify(redirects[0])}], grant_types: ['authorization_code', 'refresh_token', 'client_credentials'], scope: 'openid email offline_access read:orders' };
const native = { client_id: 'com.example.shop', token_endpoint_auth_method: 'none', application_type: 'native', redirect_uris: ${JSON.stringify(redirects.slice(1))} };
const provider = new Provider(process.env.ISSUER, {
  clients: [web, native],
  scopes: ['openid', 'email', 'offline_access', 'read:orders'],
  features: { clientCredentials: { enabled: true }, introspection: { enabled: true }, revocation: { enabled: true }, deviceFlow: { enabled: true }, registration: { enabled: true }, pushedAuthorizationRequests: { enabled: true } },
  findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id, email: id }) }),
});
provider.proxy = true;
provider.listen(Number(process.env.PORT), '127.0.0.1');
`;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.program = stage.write(path.join(stage.temp('provider'), 'provider.mjs'), program(path.join(here, 'node_modules')));
}

export async function start(stage) {
  stage.run(process.execPath, [stage.program], { env: { ...process.env, ISSUER: `http://${stage.address}`, PORT: `${stage.appPort}` } });
  await stage.answers('/.well-known/openid-configuration');
}

// A browser without a window: follows what it is sent to, fills in the provider's forms, and stops where the client takes over.
async function logIn(stage, address, login, password) {
  const cookies = new Map();
  let where = new URL(address);
  let body = null;
  for (let step = 0; step < 12 && `http://${where.host}` === `http://${stage.address}`; ++step) {
    const answer = await stage.send(body === null ? 'GET' : 'POST', where.pathname + where.search, {
      headers: {
        Host: stage.address,
        'User-Agent': agents.iphone,
        Accept: 'text/html,application/xhtml+xml',
        Referer: address,
        ...(cookies.size ? { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
        ...(body === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded', Origin: `http://${stage.address}` }),
      },
      body: body ?? undefined,
    });
    if (!answer) return null;
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    body = null;
    if (answer.headers.location) {
      where = new URL(answer.headers.location, where);
      continue;
    }
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(answer.text);
    if (!form) return null;
    where = new URL(form[1], where);
    const prompt = /name="prompt" value="([^"]+)"/.exec(form[2])?.[1] ?? 'login';
    body = new URLSearchParams(prompt === 'login' ? { prompt, login, password } : { prompt }).toString();
  }
  return where.href;
}

async function use(stage, names) {
  const { Issuer, generators } = createRequire(path.join(here, 'package.json'))('openid-client');
  const issuer = await stage.step('discovery', () => Issuer.discover(`http://${stage.address}`));
  if (!issuer) return;
  const web = new issuer.Client({ client_id: 'web shop', client_secret: secret, redirect_uris: [redirects[0]], response_types: ['code'] });
  const native = new issuer.Client({ client_id: 'com.example.shop', token_endpoint_auth_method: 'none', redirect_uris: redirects.slice(1) });
  for (const [at, name] of names.entries()) {
    const client = at % 2 === 0 ? web : native;
    const redirect = at % 2 === 0 ? redirects[0] : redirects[1 + (at % 3)];
    const verifier = generators.codeVerifier();
    const checks = { state: JSON.stringify({ back: `/search?q=${name}&sort=-price`, n: generators.state() }), nonce: generators.nonce() };
    const address = client.authorizationUrl({
      redirect_uri: redirect,
      scope: 'openid email offline_access',
      prompt: 'consent',
      login_hint: name,
      ui_locales: 'fr-CA fr en',
      claims: JSON.stringify({ id_token: { email: { essential: true }, acr: { values: ['urn:mace:incommon:iap:silver'] } } }),
      code_challenge: generators.codeChallenge(verifier),
      code_challenge_method: 'S256',
      ...checks,
    });
    const end = await logIn(stage, address, name, `${name}'s "pass"; 1=1 & more`);
    if (!end?.startsWith(redirect.slice(0, 12))) continue;
    const tokens = await stage.step('code', () =>
      client.callback(redirect, client.callbackParams(end), { code_verifier: verifier, ...checks, response_type: 'code' }),
    );
    if (!tokens) continue;
    await stage.step('userinfo', () => client.userinfo(tokens.access_token));
    if (tokens.refresh_token) await stage.step('refresh', () => client.refresh(tokens.refresh_token));
    await stage.step('introspection', () => web.introspect(tokens.access_token).catch(() => null));
    await stage.step('revocation', () => client.revoke(tokens.access_token));
    await stage.send('GET', `/session/end?${new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: redirects[0], state: name })}`);
  }
  await stage.step('client credentials', () => web.grant({ grant_type: 'client_credentials', scope: 'read:orders' }));
  await stage.step('device', () => native.deviceAuthorization({ scope: 'openid' }).catch(() => null));
  await stage.step('pushed', () => web.pushedAuthorizationRequest({ scope: 'openid', redirect_uri: redirects[0], state: searches[0] }));
  // What two clients register for themselves (RFC 7591).
  for (const name of ["O'Neil's shop", 'Müller & Söhne <Portal>'])
    await stage.sendJson('POST', '/reg', {
      client_name: name,
      redirect_uris: ['https://shop.example/cb?x=1&y=2'],
      logo_uri: 'https://shop.example/logo.png',
      policy_uri: 'https://shop.example/legal.php?doc=privacy',
      contacts: [people[0].mail],
    });
}

export const drive = (stage) =>
  use(
    stage,
    people.map((one) => one.mail),
  );
export const driveTechnical = (stage) => use(stage, technicalTexts.searches.slice(0, 12));
