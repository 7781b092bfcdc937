// Light or dark: by the system unless the user chose.
export type Theme = 'system' | 'light' | 'dark';

const key = 'wafd.theme';

export function stored_theme(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';  // storage may be switched off
  }
}

export function apply_theme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function choose_theme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // chosen for this page only
  }
  apply_theme(theme);
}
