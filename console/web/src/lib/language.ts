// The languages of the page, and which of them a reader gets. Pure.
export const languages = { en: 'English', 'zh-CN': '简体中文' } as const;  // each in its own words
export type Language = keyof typeof languages;

// How numbers are written.
export const locales: Record<Language, string> = { en: 'en-GB', 'zh-CN': 'zh-CN' };

export function is_language(text: unknown): text is Language {
  return typeof text === 'string' && text in languages;
}

// The language that the user chose, else the first that the browser asks for (RFC 5646 tags, best first), else English.
export function language_for(chosen: string, asked: readonly string[]): Language {
  if (is_language(chosen)) return chosen;
  for (const tag of asked) {
    const [main] = tag.toLowerCase().split('-');
    if (main === 'zh') return 'zh-CN';
    if (main === 'en') return 'en';
  }
  return 'en';
}
