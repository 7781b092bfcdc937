// The language of the page: loaded before anything is drawn in it, kept in the browser and with the user.
import { read_catalogue } from '../api/client';
import { set_locale } from '../lib/format';
import { language_for, locales, type Language } from '../lib/language';
import { use_reasons } from '../lib/reasons';
import { english, use_catalogue, type Catalogue } from '../text';
import { load, save } from './prefs';
import { Store, use_store } from './store';

const key = 'language';
const language = new Store<Language>('en');

export function use_language(): Language {
  return use_store(language);
}

export function language_now(): Language {
  return language.get();
}

const kept = (): string => load(key, '', (value): value is string => typeof value === 'string');

async function show(wanted: Language): Promise<void> {
  const path = CATALOGUES[wanted];
  try {
    const read = path === undefined ? { texts: english, reasons: {} } : await read_catalogue<{ texts: Catalogue; reasons: Record<string, string> }>(path);
    use_catalogue(read.texts);
    use_reasons(read.reasons);
  } catch {
    return;  // the page goes on in the language it has
  }
  set_locale(locales[wanted]);
  document.documentElement.lang = wanted;
  language.set(wanted);
}

// Before the first drawing.
export function start_language(): Promise<void> {
  return show(language_for(kept(), navigator.languages));
}

// Switches to the language of the user's account; empty: the one chosen here or asked for by the browser.
export async function follow_account(chosen: string): Promise<void> {
  const wanted = language_for(chosen || kept(), navigator.languages);
  if (wanted !== language.get()) await show(wanted);
}

// Empty: as the browser asks for.
export async function choose_language(chosen: string): Promise<void> {
  save(key, chosen);
  await show(language_for(chosen, navigator.languages));
}

export function chosen_language(): string {
  return kept();
}
