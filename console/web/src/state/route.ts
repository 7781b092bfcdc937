// Where the user is: all of it in the query string, so that every view can be sent to a colleague and Back works.
import './oidc_answer';  // what a provider put into the address is no view
import { Store, use_store } from './store';

export type View = 'events' | 'overview' | 'fleet' | 'report' | 'source' | 'try' | 'settings' | 'account';
const views: View[] = ['events', 'overview', 'fleet', 'report', 'source', 'try', 'settings', 'account'];

export interface Route {
  view: View;
  params: URLSearchParams;
}

function read(): Route {
  const params = new URLSearchParams(location.search);
  return { view: views.find((v) => v === params.get('view')) ?? 'events', params };
}

const route = new Store<Route>(read());
let shown_address = location.pathname + location.search;
addEventListener('popstate', () => {
  if (guard && !guard()) return history.pushState(null, '', shown_address);  // what Back or Forward would have left
  shown_address = location.pathname + location.search;
  route.set(read());
});

export function use_route(): Route {
  return use_store(route);
}

export function current_route(): Route {
  return route.get();
}

export type Patch = Record<string, string | null | undefined>;

// The address of a view with exactly these members.
export function href(view: View, members: Patch = {}): string {
  const params = new URLSearchParams();
  if (view !== 'events') params.set('view', view);
  for (const [name, value] of Object.entries(members)) if (value) params.set(name, value);
  const text = params.toString();
  return text ? `/?${text}` : '/';
}

// The address of the present view with some members changed (null removes).
export function href_with(patch: Patch): string {
  const params = new URLSearchParams(route.get().params);
  for (const [name, value] of Object.entries(patch)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  return text ? `/?${text}` : '/';
}

export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  if (address === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  shown_address = address;
  route.set(read());
}

// Asked before a link leaves the page; forms with unsaved input set it.
let guard: (() => boolean) | undefined;
export function set_leave_guard(ask: (() => boolean) | undefined): void {
  guard = ask;
}

// For commands by key: as a link would.
export function go_asked(address: string): void {
  if (!guard || guard()) go(address);
}

// For links: lets the browser do what modified clicks mean.
export function follow(event: MouseEvent, address: string): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (guard && !guard()) return;
  go(address);
}
