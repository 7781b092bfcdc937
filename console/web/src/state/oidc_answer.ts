// The parameters with which a sign-in provider sent the browser back. They are taken out of the address before anything else reads that, and the view
// from which somebody went there is put in its place: only ever a view of this page.
import type { OidcAnswer } from '../api/oidc';

const callback = '/oidc/callback';
const key = 'wafd-before-sign-in';

export function remember_view(): void {
  sessionStorage.setItem(key, location.search);
}

function take(): OidcAnswer | undefined {
  if (location.pathname !== callback) return undefined;
  const params = new URLSearchParams(location.search);
  const before = sessionStorage.getItem(key) ?? '';
  sessionStorage.removeItem(key);
  history.replaceState(null, '', before.startsWith('?') ? `/${before}` : '/');
  const answer: OidcAnswer = { state: params.get('state') ?? '' };
  for (const name of ['code', 'error', 'iss'] as const) {
    const value = params.get(name);
    if (value) answer[name] = value;
  }
  return answer.state ? answer : undefined;
}

let taken = take();

// Once: a code is good once.
export function oidc_answer(): OidcAnswer | undefined {
  const answer = taken;
  taken = undefined;
  return answer;
}
