// A list of any length with equal rows: only those in sight (and a few beyond) are in the DOM.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scroll_to_show, window_of } from '../lib/window';

export interface VirtualListProps<T> {
  items: readonly T[];
  of: string;                   // what the items are; another list begins at its top
  key_of: (item: T) => string | number;
  row_height: number;
  cursor: number;               // index of the current row, -1: none; kept in sight when it changes
  render: (item: T, index: number) => ComponentChildren;
  on_near_end: () => void;      // asked for when the last rows come into sight
  on_scrolled: (top: number) => void;
  head: ComponentChildren;      // stays at the top, scrolls sideways with the rows
  foot: ComponentChildren;
  label: string;
  active: string | undefined;   // id of the current row's element
}

const overscan = 12;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, row_height, cursor } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, set_top] = useState(0);
  const [height, set_height] = useState(600);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const measure = (): void => set_height(Math.max(100, element.clientHeight - row_height));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [row_height]);

  // What is in sight stays where it is when rows are added above: the anchor is the first row in sight. The rows that will
  // be in sight are drawn at once, so that none is drawn twice.
  const anchor = useRef<{ key: string | number; delta: number } | undefined>(undefined);
  const drawn = useRef(items);
  const wanted_top = useRef<number | undefined>(undefined);
  if (drawn.current !== items) {
    drawn.current = items;
    const held = anchor.current;
    const index = held && top >= row_height ? items.findIndex((item) => props.key_of(item) === held.key) : -1;
    if (held && index >= 0) wanted_top.current = index * row_height + held.delta;
  }

  const view = { scroll_top: wanted_top.current ?? top, height, row_height, count: items.length, overscan };
  const shown = window_of(view);

  useLayoutEffect(() => {
    const element = box.current;
    const wanted = wanted_top.current;
    wanted_top.current = undefined;
    if (!element || wanted === undefined) return;
    if (Math.abs(wanted - element.scrollTop) > 1) element.scrollTop = wanted;
    set_top(element.scrollTop);
  }, [items]);

  useLayoutEffect(() => {
    anchor.current = undefined;
    if (!box.current || box.current.scrollTop === 0) return;
    box.current.scrollTop = 0;
    set_top(0);
    props.on_scrolled(0);
  }, [props.of]);

  const on_scroll = (event: Event): void => {
    const scroll_top = (event.currentTarget as HTMLElement).scrollTop;
    set_top(scroll_top);
    props.on_scrolled(scroll_top);
    const index = Math.min(items.length - 1, Math.floor(scroll_top / row_height));
    const item = items[index];
    anchor.current = item === undefined ? undefined : { key: props.key_of(item), delta: scroll_top - index * row_height };
  };

  useEffect(() => {
    if (shown.end >= items.length - overscan) props.on_near_end();
  }, [shown.end, items.length]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || cursor < 0) return;
    const wanted = scroll_to_show({ ...view, scroll_top: element.scrollTop }, cursor);
    if (wanted !== element.scrollTop) element.scrollTop = wanted;
  }, [cursor]);

  return (
    <div class="vlist" ref={box} onScroll={on_scroll} data-testid="event-list">
      <div class="vlist-grid" role="grid" aria-label={props.label} aria-rowcount={items.length + 1} aria-activedescendant={props.active} tabIndex={0}>
        {props.head}
        <div class="vlist-space" role="rowgroup" style={{ height: `${shown.total}px` }}>
          <div class="vlist-rows" role="presentation" style={{ transform: `translateY(${shown.offset}px)` }}>
            {items.slice(shown.first, shown.end).map((item, i) => props.render(item, shown.first + i))}
          </div>
        </div>
      </div>
      {props.foot}
    </div>
  );
}
