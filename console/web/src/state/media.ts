// Whether a media query holds, as a hook.
import { useEffect, useState } from 'preact/hooks';

export function use_media(query: MediaQueryList): boolean {
  const [holds, set_holds] = useState(query.matches);
  useEffect(() => {
    const look = (): void => set_holds(query.matches);
    look();
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, [query]);
  return holds;
}
