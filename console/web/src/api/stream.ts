// The live tail: one EventSource, its events handed over in batches so that a flood costs one drawing per turn.
import { events_api } from './events';
import type { EventItem } from './types';

export type TailState = 'connecting' | 'open' | 'lost' | 'ended';

export interface TailSink {
  on_events: (items: EventItem[], dropped: number) => void;  // oldest first; `dropped` were left out here to keep up
  on_skipped: (count: number) => void;                        // the server left them out
  on_state: (state: TailState) => void;
}

const flush_interval_ms = 250;
const max_batch = 500;  // more than this between two flushes is not shown, only counted

export class Tail {
  private source: EventSource | undefined;
  private batch: EventItem[] = [];
  private dropped = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly query: string, private after: number | undefined, private readonly sink: TailSink) {
    this.timer = setInterval(() => this.flush(), flush_interval_ms);
    document.addEventListener('visibilitychange', this.on_visibility);
    this.connect();
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    document.removeEventListener('visibilitychange', this.on_visibility);
    this.source?.close();
    this.batch = [];
  }

  // A hidden tab gives its connection back (browsers allow six a host) and resumes behind the last event it saw.
  private readonly on_visibility = (): void => {
    if (document.hidden) {
      this.source?.close();
      this.source = undefined;
    } else if (!this.source) {
      this.connect();
    }
  };

  private connect(): void {
    this.sink.on_state('connecting');
    const source = new EventSource(events_api.stream_address(this.query, this.after));
    this.source = source;
    source.addEventListener('hello', (message) => {
      if (this.after === undefined) this.after = Math.max(0, (JSON.parse(message.data as string) as { end: number }).end - 1);
      this.sink.on_state('open');
    });
    source.addEventListener('event', (message) => {
      const item = JSON.parse(message.data as string) as EventItem;
      this.after = item.seq;
      if (this.batch.length >= max_batch) {
        this.batch.shift();
        ++this.dropped;
      }
      this.batch.push(item);
    });
    source.addEventListener('skipped', (message) => this.sink.on_skipped((JSON.parse(message.data as string) as { count: number }).count));
    source.addEventListener('end', () => this.sink.on_state('ended'));
    source.onerror = () => {
      this.sink.on_state('lost');
      // EventSource tries again by itself unless the answer was an error.
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        this.source = undefined;
        setTimeout(() => { if (!this.source && !document.hidden && this.timer) this.connect(); }, 3000);
      }
    };
  }

  private flush(): void {
    if (this.batch.length === 0) return;
    const items = this.batch;
    const dropped = this.dropped;
    this.batch = [];
    this.dropped = 0;
    this.sink.on_events(items, dropped);
  }
}
