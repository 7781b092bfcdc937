// oidc-provider of npm over https in this process: a real provider whose tokens, keys and presence a test can change.
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';

import Provider from 'oidc-provider';

import { freePort, tempFolder } from './processes.mjs';

export const clientId = 'wafd console';
export const clientSecret = 'a secret: with/odd+bytes & more';
const base64url = (bytes) => Buffer.from(bytes).toString('base64url');

function newKey(kid) {
  const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

function certificate(folder) {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
    '-subj', '/CN=provider', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  return { key: fs.readFileSync(key), cert: fs.readFileSync(cert, 'utf8') };
}

export class SignInProvider {
  // `people`: user name -> claims beside `sub`. `redirect`: where wafd wants its people back.
  static async start(redirect, people, { alg = 'RS256' } = {}) {
    const it = new SignInProvider();
    Object.assign(it, { redirect, people, alg, port: await freePort(), tls: certificate(tempFolder('provider')), keys: [newKey('first')], change: null, tokenRequests: 0 });
    it.issuer = `https://127.0.0.1:${it.port}`;
    it.ca = it.tls.cert;
    await it.open();
    return it;
  }

  async open() {
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [this.redirect], grant_types: ['authorization_code'], response_types: ['code'] }],
      jwks: { keys: this.keys },
      cookies: { keys: ['one test alone'] },
      scopes: ['openid', 'profile'],
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      findAccount: (_context, id) => (this.people[id] ? { accountId: id, claims: () => ({ sub: id, ...this.people[id] }) } : undefined),
    });
    const callback = provider.callback();
    this.server = https.createServer(this.tls, (request, response) => {
      if (request.url === '/token' && request.method === 'POST') this.intercept(response);
      callback(request, response);
    });
    await new Promise((done) => this.server.listen(this.port, '127.0.0.1', done));
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  // The same provider with other keys; `keep`: the ones before are still published.
  async rotate(kid, keep = true) {
    await this.close();
    this.keys = [newKey(kid), ...(keep ? this.keys : [])];
    await this.open();
  }

  // Lets `change` make another ID token of the one that is given: ({ header, claims }) -> the same, `key` beside them for another
  // signature, or `raw` for another text.
  intercept(response) {
    ++this.tokenRequests;
    const { change } = this;
    if (!change) return;
    const end = response.end.bind(response);
    response.end = (body, ...rest) => {
      const answer = JSON.parse(String(body));
      if (!answer.id_token) return end(body, ...rest);
      answer.id_token = this.changed(answer.id_token, change);
      const text = JSON.stringify(answer);
      response.setHeader('Content-Length', Buffer.byteLength(text));
      return end(text);
    };
  }

  changed(token, change) {
    const [header, claims] = token.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));
    const made = change({ header, claims });
    if (made.raw) return made.raw;
    const text = `${base64url(JSON.stringify(made.header))}.${base64url(JSON.stringify(made.claims))}`;
    const key = crypto.createPrivateKey({ key: made.key ?? this.keys[0], format: 'jwk' });
    return `${text}.${base64url(crypto.sign('sha256', Buffer.from(text), key))}`;
  }

  static otherKey = (kid) => newKey(kid);
}

// A browser without a window: follows the provider's redirections and fills in its forms, and stops where wafd takes over.
export async function throughProvider(address, login, send) {
  const cookies = new Map();
  const origin = new URL(address).origin;
  let where = new URL(address);
  let body = null;
  for (let step = 0; step < 12 && where.origin === origin; ++step) {
    const answer = await send(where.href, {
      agent: false, // the provider may be another one on the same port meanwhile
      method: body === null ? 'GET' : 'POST', body: body ?? undefined,
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), ...(body === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }) },
    });
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    body = null;
    if (answer.headers.location) {
      where = new URL(answer.headers.location, where);
      continue;
    }
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(answer.text);
    if (!form) throw new Error(`the provider shows no form: ${answer.status} ${answer.text.slice(0, 300)}`);
    where = new URL(form[1], where);
    const prompt = /name="prompt" value="([^"]+)"/.exec(form[2])?.[1] ?? 'login';
    body = new URLSearchParams(prompt === 'login' ? { prompt, login, password: 'any' } : { prompt }).toString();
  }
  return where;
}
