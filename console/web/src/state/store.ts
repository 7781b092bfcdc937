// A value that components watch.
import { useEffect, useState } from 'preact/hooks';

export class Store<T> {
  private listeners = new Set<(value: T) => void>();
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener(value);
  }

  watch(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function use_store<T>(store: Store<T>): T {
  const [value, set] = useState(store.get());
  useEffect(() => {
    set(store.get());  // it may have changed between the first drawing and now
    return store.watch(set);
  }, [store]);
  return value;
}
