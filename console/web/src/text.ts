// The texts of the page: texts/LANGUAGE.json has them by key, and `t` those of the language that is chosen. What a text leaves
// open stands in it as {name}, and `say` puts it in; a text that depends on a number {n} has one form for each plural category of
// its language (CLDR: one, other, …).
import en from '../texts/en.json';
import { count_text, locale_name } from './lib/format';

export interface Plural { one?: string; other: string }
export type Text = string | Plural;

// Texts that are looked up by a value of the server, which may be one that this page does not know yet.
type Words = Record<string, string>;
type Open<T, Keys extends keyof T> = T & Record<Keys, Words>;

interface Tables {
  attack: Words; place: Words; query_field: Words; target_state: Words;
  events: Open<typeof en.events, 'range_names' | 'column'>;
  onboarding: Open<typeof en.onboarding, 'listeners' | 'gateways'>;
  health: Open<typeof en.health, 'issues'>;
  settings: Open<typeof en.settings, 'section' | 'group'>;
  syslog: Open<typeof en.syslog, 'transports' | 'transport_hint' | 'headers' | 'contents' | 'framings' | 'stream' | 'request_details' | 'precisions' | 'stage' | 'verdict' | 'stage_detail'>;
  sites: Open<typeof en.sites, 'modes' | 'mode_hint' | 'sensitivities' | 'on_oversizes' | 'on_limits'>;
  notify: Open<typeof en.notify, 'kinds' | 'securities' | 'formats' | 'whens' | 'conditions' | 'ofs'>;
  exception_preview: Open<typeof en.exception_preview, 'event'>;
  lists: Open<typeof en.lists, 'kinds'>;
  tokens: Open<typeof en.tokens, 'scopes'>;
  system: Open<typeof en.system, 'sources'>;
  history: Open<typeof en.history, 'kinds' | 'one'>;
  help: Open<typeof en.help, 'rows' | 'terms'>;
  expiry: typeof en.expiry & Words;
}
export type Catalogue = typeof en;
export type Texts = Omit<Catalogue, keyof Tables> & Tables;

export const t: Texts = { ...en };

// Every text is that of `catalogue` from now on; what was drawn before has to be drawn again.
export function use_catalogue(catalogue: Catalogue): void {
  Object.assign(t, catalogue);
}

export const english: Catalogue = en;

// `text` with what it leaves open. Numbers are written as the language has them.
export function say(text: Text, open: Record<string, string | number>): string {
  let words: string;
  if (typeof text === 'string') words = text;
  else words = (new Intl.PluralRules(locale_name()).select(Number(open.n)) === 'one' ? text.one : undefined) ?? text.other;
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = open[name];
    return value === undefined ? whole : typeof value === 'number' ? count_text(value) : value;
  });
}

export function attack_words(type: string): string {
  return t.attack[type] ?? type;
}
