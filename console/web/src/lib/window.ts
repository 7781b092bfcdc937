// Which rows of a long list are in the DOM. Row heights are equal, so that this is arithmetic.

export interface Viewport {
  scroll_top: number;
  height: number;
  row_height: number;
  count: number;
  overscan: number;  // rows kept beyond each edge
}

export interface Window {
  first: number;  // index of the first row drawn
  end: number;    // one behind the last
  offset: number; // pixels above the first
  total: number;  // pixels of the whole list
}

export function window_of(view: Viewport): Window {
  const { row_height, count, overscan } = view;
  const total = count * row_height;
  const top = Math.max(0, Math.min(view.scroll_top, total - view.height));
  const first = Math.max(0, Math.floor(top / row_height) - overscan);
  const end = Math.min(count, Math.ceil((top + Math.max(0, view.height)) / row_height) + overscan);
  return { first: Math.min(first, end), end, offset: Math.min(first, end) * row_height, total };
}

// The scroll position that brings row `index` into sight with the least movement.
export function scroll_to_show(view: Viewport, index: number): number {
  const top = index * view.row_height;
  if (top < view.scroll_top) return top;
  const bottom = top + view.row_height;
  if (bottom > view.scroll_top + view.height) return bottom - view.height;
  return view.scroll_top;
}
