// The live tail. Tabs of one browser that follow the same query share one connection: the tab that holds a lock reads
// it and tells the others over a channel; when it goes, the next one takes over behind the last event it saw. Events
// are handed over in batches, so that a flood costs one drawing per turn.
import { events_api } from './events';
import type { EventItem, FleetAnswer } from './types';

export type TailState = 'connecting' | 'open' | 'lost' | 'ended';

export interface TailSink {
  // Oldest first; `dropped` were left out here to keep up; everything up to `at` was given.
  on_events: (items: EventItem[], dropped: number, at: number) => void;
  // The server left `count` matches out; of `unknown` records nobody can tell any more whether they matched.
  on_skipped: (count: number, unknown: number) => void;
  on_state: (state: TailState) => void;
  on_fleet: (fleet: FleetAnswer) => void;  // the database of all nodes went away, or is back
}

// An event and how far the stream had come with it: its sequence, or in a fleet the time at which it was stored, which
// others may share.
interface Streamed {
  item: EventItem;
  at: number;
}

type Told =
  | { kind: 'join'; from: string; after: number | undefined }
  | { kind: 'welcome'; to: string; items: Streamed[] | null; state: TailState }  // null: read for yourself
  | { kind: 'items'; items: Streamed[]; dropped: number }
  | { kind: 'fleet'; fleet: FleetAnswer }
  | { kind: 'skipped'; count: number; unknown: number }
  | { kind: 'state'; state: TailState };

const flush_interval_ms = 250;
const max_batch = 500;       // more than this between two flushes is not shown, only counted
const max_history = 1_000;   // events that the reading tab keeps for those that join
const welcome_ms = 1_000;    // without an answer by then a tab reads for itself
const retry_ms = 3_000;
const overlap_us = 5_000_000;  // in a fleet an event may be seen later than one that was stored behind it; lists know what they have

export class Tail {
  private source: EventSource | undefined;
  private batch: Streamed[] = [];
  private dropped = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private state: TailState = 'connecting';

  // Of sharing. `reads`: this tab has the connection; `leads`: it also tells the others.
  private readonly me = crypto.randomUUID();
  private readonly name: string;
  private channel: BroadcastChannel | undefined;
  private leads = false;
  private follows = false;
  private leave: (() => void) | undefined;
  private history: Streamed[] = [];
  private history_after: number | undefined;  // everything behind this sequence is in `history`

  constructor(private readonly query: string, private after: number | undefined, private readonly sink: TailSink) {
    this.name = `wafd-tail:${query}`;
    this.timer = setInterval(() => this.flush(), flush_interval_ms);
    document.addEventListener('visibilitychange', this.on_visibility);
    this.enter();
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    document.removeEventListener('visibilitychange', this.on_visibility);
    this.exit();
    this.batch = [];
  }

  // A hidden tab gives its place back (browsers allow six connections a host) and resumes behind the last event it saw.
  private readonly on_visibility = (): void => {
    if (document.hidden) this.exit();
    else if (!this.leave) this.enter();
  };

  private enter(): void {
    this.told_state('connecting');
    if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) {
      this.leave = () => undefined;
      this.read();
      return;
    }
    const channel = new BroadcastChannel(this.name);
    this.channel = channel;
    channel.onmessage = (message: MessageEvent<Told>) => this.on_told(message.data);
    const abort = new AbortController();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    let gone = false;
    this.leave = () => { gone = true; abort.abort(); release(); };
    navigator.locks.request(this.name, { signal: abort.signal }, () => {
      if (gone) return undefined;
      this.leads = true;
      this.follows = false;
      if (!this.source) this.read();
      return held;
    }).catch(() => undefined);  // aborted: this tab left before its turn
    channel.postMessage({ kind: 'join', from: this.me, after: this.after } satisfies Told);
    setTimeout(() => { if (!gone && !this.follows && !this.source) this.read(); }, welcome_ms);
  }

  private exit(): void {
    this.leave?.();
    this.leave = undefined;
    this.source?.close();
    this.source = undefined;
    this.channel?.close();
    this.channel = undefined;
    this.leads = false;
    this.follows = false;
    this.history = [];
    this.history_after = undefined;
  }

  private on_told(told: Told): void {
    if (told.kind === 'join') {
      if (!this.leads) return;
      const { after } = told;
      const whole = after !== undefined && this.history_after !== undefined && this.history_after <= after;
      this.channel?.postMessage({ kind: 'welcome', to: told.from, items: whole ? this.history.filter((one) => one.at > after - (one.item.place ? overlap_us : 0)) : null, state: this.state } satisfies Told);
    } else if (told.kind === 'welcome') {
      if (told.to !== this.me || this.leads) return;
      if (told.items === null) {
        if (!this.source) this.read();
        return;
      }
      // An answer that comes late ends the connection that this tab has opened for itself meanwhile.
      this.source?.close();
      this.source = undefined;
      this.follows = true;
      this.told_state(told.state);
      told.items.forEach((one) => this.take(one));
    } else if (!this.follows) {
      return;
    } else if (told.kind === 'items') {
      told.items.forEach((one) => this.take(one));
      this.dropped += told.dropped;
    } else if (told.kind === 'fleet') {
      this.sink.on_fleet(told.fleet);
    } else if (told.kind === 'skipped') {
      this.sink.on_skipped(told.count, told.unknown);
    } else {
      this.told_state(told.state);
    }
  }

  private tell(told: Told): void {
    if (this.leads) this.channel?.postMessage(told);
  }

  private told_state(state: TailState): void {
    this.state = state;
    this.sink.on_state(state);
    this.tell({ kind: 'state', state });
  }

  private read(): void {
    this.told_state('connecting');
    this.history = [];
    this.history_after = this.after;
    const source = new EventSource(events_api.stream_address(this.query, this.after));
    this.source = source;
    source.addEventListener('hello', (message) => {
      if (this.after === undefined) {
        this.after = Math.max(0, (JSON.parse(message.data as string) as { end: number }).end - 1);
        this.history_after = this.after;
      }
      this.told_state('open');
    });
    source.addEventListener('event', (message) => {
      const item = JSON.parse(message.data as string) as EventItem;
      this.take({ item, at: Number(message.lastEventId) || item.seq });
    });
    source.addEventListener('fleet', (message) => {
      const fleet = JSON.parse(message.data as string) as FleetAnswer;
      this.sink.on_fleet(fleet);
      this.tell({ kind: 'fleet', fleet });
    });
    source.addEventListener('skipped', (message) => {
      const { count, unknown } = JSON.parse(message.data as string) as { count: number; unknown: number };
      this.sink.on_skipped(count, unknown);
      this.tell({ kind: 'skipped', count, unknown });
    });
    // Nothing matched up to there: a new connection need not look at it again.
    source.addEventListener('position', (message) => {
      const { after } = JSON.parse(message.data as string) as { after: number };
      if (this.after === undefined || after > this.after) this.after = after;
    });
    source.addEventListener('end', () => this.told_state('ended'));
    source.onerror = () => {
      this.told_state('lost');
      // EventSource tries again by itself unless the answer was an error.
      if (source.readyState === EventSource.CLOSED && this.source === source) {
        this.source = undefined;
        setTimeout(() => { if (!this.source && this.leave && !this.follows && this.timer) this.read(); }, retry_ms);
      }
    };
  }

  private take(one: Streamed): void {
    const { place, seq } = one.item;
    if (place === undefined && this.after !== undefined && seq <= this.after) return;
    if (this.after === undefined || one.at > this.after) this.after = one.at;
    if (this.batch.length >= max_batch) {
      this.batch.shift();
      ++this.dropped;
    }
    this.batch.push(one);
  }

  private flush(): void {
    if (this.batch.length === 0) return;
    const items = this.batch;
    const dropped = this.dropped;
    this.batch = [];
    this.dropped = 0;
    if (this.leads) {
      this.tell({ kind: 'items', items, dropped });
      // Listeners that join later begin behind the dropped events, too.
      if (dropped > 0) this.history_after = (items[0] as Streamed).at - 1;
      this.history = dropped > 0 ? [...items] : [...this.history, ...items];
      const over = this.history.length - max_history;
      if (over > 0) {
        this.history_after = (this.history[over - 1] as Streamed).at;
        this.history = this.history.slice(over);
      }
    }
    this.sink.on_events(items.map((one) => one.item), dropped, this.after ?? 0);
  }
}
