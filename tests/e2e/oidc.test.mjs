// Sign-in by a real OpenID Connect provider: who gets in as what, and every answer that must not be taken.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { clientId, clientSecret, SignInProvider, throughProvider } from './support/oidc_provider.mjs';
import { until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

describe('sign-in by a provider', () => {
  let wafd;
  let provider;
  let settings;
  const password = 'a quiet gateway at dusk 7';

  // Calls of one browser: its cookies, and the headers that browsers send.
  function browser() {
    const cookies = new Map();
    return async (method, path, body) => {
      const answer = await request(`${wafd.console}/api/v1${path}`, {
        method,
        headers: {
          Origin: wafd.console, 'X-Wafd-Csrf': '1', Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body ? { 'Content-Type': 'application/json' } : {}),
        },
        body: body ? JSON.stringify(body) : undefined,
      });
      for (const cookie of answer.headers['set-cookie'] ?? []) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
        if (value) cookies.set(name, value);
        else cookies.delete(name);
      }
      return answer;
    };
  }

  // As far as the answer with which the browser comes back.
  async function atTheProvider(login, call = browser()) {
    const begun = await call('POST', '/session/oidc');
    assert.equal(begun.status, 200, begun.text);
    const back = await throughProvider(begun.json().url, login, request);
    assert.equal(`${back.origin}${back.pathname}`, `${wafd.console}/oidc/callback`);
    return { call, answer: Object.fromEntries(back.searchParams) };
  }
  const finish = (call, { state, code, iss }) => call('PUT', '/session/oidc', { state, code, iss });
  async function signIn(login) {
    const { call, answer } = await atTheProvider(login);
    return { call, opened: await finish(call, answer) };
  }
  async function refusedWith(change, words) {
    provider.change = change;
    try {
      const { opened } = await signIn('olga');
      assert.equal(opened.status, 401, opened.text);
      assert.match(opened.json().detail, words);
      assert.equal(opened.headers['set-cookie']?.some((cookie) => cookie.startsWith('__Host-wafd=') && !cookie.startsWith('__Host-wafd=;')) ?? false, false);
    } finally {
      provider.change = null;
    }
  }

  before(async () => {
    wafd = await Wafd.start();
    const token = fs.readFileSync(path.join(wafd.state, 'setup-token'), 'utf8').trim();
    const first = await browser()('POST', '/setup', { token, username: 'root', password });
    assert.equal(first.status, 201, first.text);
    provider = await SignInProvider.start(`${wafd.console}/oidc/callback`, {
      ada: { preferred_username: 'ada', groups: ['it-security'] },
      olga: { preferred_username: 'olga', groups: ['soc', 'staff'] },
      vera: { preferred_username: 'root', groups: ['staff'] },
      mallory: { preferred_username: 'mallory', groups: ['visitors'] },
    });
    settings = {
      enabled: true, issuer: provider.issuer, client_id: clientId, client_secret: clientSecret, ca: provider.ca, label: 'Example',
      admin_groups: ['it-security'], operator_groups: ['soc'], viewer_groups: ['staff'],
    };
    await wafd.api('PUT', '/oidc', settings);
  });
  after(async () => {
    await provider?.close();
    await wafd?.stop();
  });

  test('the check reads description and keys, and says what is wrong', async () => {
    const good = await wafd.api('POST', '/oidc/check', settings);
    assert.equal(good.ok, true, good.text);
    assert.deepEqual(good.keys, [{ kid: 'first', algorithm: 'RS256' }]);
    const unbelieved = await wafd.api('POST', '/oidc/check', { ...settings, ca: '' });
    assert.match(unbelieved.text, /certificate is not one that is believed/);
    const another = await wafd.api('POST', '/oidc/check', { ...settings, issuer: `${provider.issuer}/` });
    assert.match(another.text, /another issuer/);
  });

  test('groups give the role; the subject is the user, whatever the name', async () => {
    for (const [login, username, role] of [['ada', 'ada', 'admin'], ['olga', 'olga', 'operator'], ['vera', 'root-2', 'viewer']]) {
      const { call, opened } = await signIn(login);
      assert.equal(opened.status, 200, opened.text);
      const me = (await call('GET', '/me')).json();
      assert.deepEqual([me.username, me.role, me.signs_in], [username, role, 'oidc']);
    }
    provider.people.olga = { preferred_username: 'olga.married', groups: ['staff'] };
    const { call, opened } = await signIn('olga');
    assert.equal(opened.status, 200, opened.text);
    const me = (await call('GET', '/me')).json();
    assert.deepEqual([me.username, me.role], ['olga', 'viewer']);
    provider.people.olga = { preferred_username: 'olga', groups: ['soc', 'staff'] };
    const stranger = await signIn('mallory');
    assert.equal(stranger.opened.status, 403);
    const { users } = await wafd.api('GET', '/users');
    assert.deepEqual(users.map((user) => user.username).sort(), ['ada', 'olga', 'root', 'root-2']);
  });

  test('a state, a code and a browser are good once and together', async () => {
    const first = await atTheProvider('olga');
    const other = browser();
    await other('POST', '/session/oidc');
    assert.equal((await finish(other, first.answer)).status, 401, 'another browser');
    assert.equal((await finish(first.call, { ...first.answer, state: 'x'.repeat(43) })).status, 401, 'another state');
    const opened = await finish(first.call, first.answer);
    assert.equal(opened.status, 200, opened.text);
    assert.equal((await finish(first.call, first.answer)).status, 401, 'state replayed');
    const second = await atTheProvider('olga');
    const replayed = await finish(second.call, { ...second.answer, code: first.answer.code });
    assert.equal(replayed.status, 401);
    assert.match(replayed.json().detail, /refused the code: invalid_grant/);
  });

  test('an answer of another provider is refused before the code goes anywhere', async () => {
    const { call, answer } = await atTheProvider('olga');
    const asked = provider.tokenRequests;
    const mixed = await finish(call, { ...answer, iss: 'https://evil.example' });
    assert.equal(mixed.status, 401);
    const silent = await atTheProvider('olga');
    assert.equal((await finish(silent.call, { ...silent.answer, iss: undefined })).status, 401, 'this provider names itself');
    assert.equal(provider.tokenRequests, asked);
  });

  test('tokens that are not for this log-in are refused, each in words', async () => {
    const now = () => Math.floor(Date.now() / 1000);
    await refusedWith(({ header, claims }) => ({ header, claims: { ...claims, nonce: 'another' } }), /another log-in \(nonce\)/);
    await refusedWith(({ header, claims }) => ({ header, claims: { ...claims, aud: 'another' } }), /another audience/);
    await refusedWith(({ header, claims }) => ({ header, claims: { ...claims, iss: 'https://evil.example' } }), /another issuer/);
    await refusedWith(({ header, claims }) => ({ header, claims: { ...claims, exp: now() - 61 } }), /has expired/);
    await refusedWith(({ header, claims }) => ({ header, claims: { ...claims, iat: now() + 600 } }), /made in the future/);
    await refusedWith(({ header, claims }) => ({ header, claims, key: SignInProvider.otherKey('first') }), /signature is wrong/);
    await refusedWith(({ header, claims }) => ({ header: { ...header, kid: 'unknown' }, claims, key: SignInProvider.otherKey('unknown') }), /key that the provider does not publish/);
    await refusedWith(({ claims }) => ({ raw: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.` }), /not signed/);
    await refusedWith(({ claims }) => ({ header: { alg: 'HS256', kid: 'first' }, claims }), /RS256 or ES256/);
    const { opened } = await signIn('olga');
    assert.equal(opened.status, 200, 'and a good one is still taken');
  });

  test('new keys are followed', async () => {
    await provider.rotate('second', false);
    const { opened } = await signIn('olga');
    assert.equal(opened.status, 200, opened.text);
  });

  test('a provider that is down is said, and passwords still do', async () => {
    await provider.close();
    try {
      const call = browser();
      const checked = await wafd.api('POST', '/oidc/check', settings);
      assert.equal(checked.ok, false);
      assert.match(checked.text, /nobody accepts connections there/);
      // The provider's description is kept for a while, so that it is the browser that finds nobody there. After a restart the answer says so.
      await wafd.program.stop();
      await wafd.launch();
      const begun = await call('POST', '/session/oidc');
      assert.equal(begun.status, 503);
      assert.match(begun.json().detail, /does not answer: nobody accepts connections there\. Who has a password here can log in by it\./);
      const local = await call('POST', '/session', { username: 'root', password });
      assert.equal(local.status, 200, local.text);
    } finally {
      await provider.open();
    }
    const { opened } = await signIn('olga');
    assert.equal(opened.status, 200, opened.text);
  });

  test('logging out ends the session here and leads to the provider\'s log-out', async () => {
    const { call } = await signIn('olga');
    const out = await call('DELETE', '/session/oidc');
    assert.equal(out.status, 200);
    const url = new URL(out.json().url);
    assert.equal(url.origin, provider.issuer);
    assert.equal(url.searchParams.get('client_id'), clientId);
    assert.equal((await call('GET', '/me')).status, 401);
    assert.equal((await request(url.href)).status, 200, 'the provider knows the place');
  });

  test('a second factor is the provider\'s word where the role needs one', async () => {
    await wafd.api('PUT', '/system', { second_factor_roles: ['operator'] });
    try {
      const without = await signIn('olga');
      assert.equal(without.opened.status, 403);
      assert.match(without.opened.json().detail, /second factor/);
      provider.change = ({ header, claims }) => ({ header, claims: { ...claims, amr: ['pwd', 'mfa'] } });
      const withOne = await signIn('olga');
      assert.equal(withOne.opened.status, 200, withOne.opened.text);
    } finally {
      provider.change = null;
      await wafd.api('PUT', '/system', {});
    }
  });

  test('addresses that nothing of wafd may connect to are refused', async () => {
    for (const issuer of ['https://169.254.169.254', wafd.console, 'http://127.0.0.1:1', 'https://[fe80::1]/'])
      await wafd.api('PUT', '/oidc', { ...settings, issuer }, [422]);
  });

  test('the audit log tells who came by the provider, and no secret', async () => {
    const text = await until('the audit log', async () => JSON.stringify(await wafd.api('GET', '/audit')));
    assert.match(text, /"by":"oidc"/);
    assert.ok(!text.includes(clientSecret));
  });
});
