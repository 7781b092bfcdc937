// The time zones that this browser knows, as offers; the server says whether it knows the one that was typed.
export function zones(): string[] {
  const of_browser = Intl as unknown as { supportedValuesOf?: (key: string) => string[] };
  return ['UTC', ...(of_browser.supportedValuesOf?.('timeZone') ?? [])];
}
