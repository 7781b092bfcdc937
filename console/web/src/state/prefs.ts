// Preferences that the browser stores: nothing secret, all of it optional.
export function load<T>(key: string, fallback: T, sound: (value: unknown) => value is T): T {
  try {
    const text = localStorage.getItem(`wafd.${key}`);
    if (text === null) return fallback;
    const value: unknown = JSON.parse(text);
    return sound(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

export function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(`wafd.${key}`, JSON.stringify(value));
  } catch {
    // storage may be full or switched off; the choice then lives as long as the page
  }
}
