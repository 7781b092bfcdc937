// A table: columns with sensible widths that can be sorted; where there is no room for them each row becomes a card, its
// cells under one another with their names. Rows may have a second line over the whole width.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../text';
import { Hostile, InTable } from './hostile';
import { Icon } from './icon';

export interface Column<T> {
  id: string;
  title: string;                     // empty: a column of buttons
  draw: (row: T) => ComponentChildren;
  sort?: (row: T) => string | number;
  // What is in it decides how it is as wide and where it may break: words whole, identifiers anywhere but not narrow,
  // figures and short texts never.
  kind?: 'words' | 'code' | 'short' | 'number' | 'act';
  width?: string;                    // of the column, where widths must not follow what is in them
  testid?: string;
}

interface Sorting { id: string; down: boolean }

// Texts as people sort them: without regard to case, numbers in them by their value.
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function sorted<T>(rows: readonly T[], of: ((row: T) => string | number) | undefined, down: boolean): readonly T[] {
  if (!of) return rows;
  const compared = (a: string | number, b: string | number): number =>
    (typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b)));
  return [...rows].sort((a, b) => (down ? -1 : 1) * compared(of(a), of(b)));
}

const class_of = (kind: Column<never>['kind']): string => ({ words: '', code: 'mono code', short: 'short', number: 'num', act: 'table-act' })[kind ?? 'words'];

// The least pixels in which a column can be read.
const least: Record<NonNullable<Column<never>['kind']>, number> = { words: 104, code: 122, short: 126, number: 72, act: 96 };
function least_pixels<T>({ kind, width }: Column<T>): number {
  return (width && Number(/(\d+)px/.exec(width)?.[1] ?? 0)) || least[kind ?? 'words'];
}

function drawn<T>(column: Column<T>, row: T): ComponentChildren {
  const made = column.draw(row);
  return typeof made === 'string' ? <Hostile text={made} /> : made;
}

// A word that is wider than its cell: a table with fixed columns lets it stand out, another becomes wider than its place.
function spills(box: HTMLElement): boolean {
  const table = box.firstElementChild as HTMLElement;
  if (table.offsetWidth > box.clientWidth) return true;
  if (!table.matches('.fixed')) return false;
  const texts = table.querySelectorAll<HTMLElement>(':scope > tbody > tr > td, :scope > tbody > tr > td > .hostile');
  return [...texts].some((text) => text.scrollWidth > text.clientWidth && getComputedStyle(text).display !== 'inline');
}

// Whether columns side by side have no room: fewer pixels than their kinds need, or words of these rows that would be torn.
function use_stacked(box: { current: HTMLElement | null }, pixels: number, rows: unknown): boolean {
  const [stacked, set] = useState(false);
  const torn = useRef<{ width: number; rows: unknown }>();  // where words had no room
  const measure = (): void => {
    const element = box.current as HTMLElement;
    const width = element.clientWidth;
    let crowded = width < pixels || (torn.current !== undefined && torn.current.rows === rows && width <= torn.current.width);
    if (!crowded) {
      element.classList.remove('stacked');
      crowded = spills(element);
      torn.current = crowded ? { width, rows } : undefined;
    }
    element.classList.toggle('stacked', crowded);
    set(crowded);
  };
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current as HTMLElement);
    return () => observer.disconnect();
  }, [pixels, rows]);
  return stacked;
}

export function Table<T>({ columns, rows, key_of, row_class, row_data, below, caption, testid, row_testid, fixed }: {
  columns: readonly Column<T>[];
  rows: readonly T[];
  key_of: (row: T) => string | number;
  row_class?: (row: T) => string;
  row_data?: (row: T) => Record<string, string | number | undefined>;
  below?: (row: T) => ComponentChildren;   // null: nothing
  caption?: string;
  testid?: string;
  row_testid?: string;
  fixed?: boolean;
}) {
  const [sorting, sort_by] = useState<Sorting | undefined>();
  const by = columns.find((column) => column.id === sorting?.id);
  const turn = (column: Column<T>): void => {
    const first_down = column.kind === 'number';
    sort_by((now) => (now?.id !== column.id ? { id: column.id, down: first_down } : now.down === first_down ? { id: column.id, down: !first_down } : undefined));
  };
  const box = useRef<HTMLDivElement>(null);
  const stacked = use_stacked(box, columns.reduce((sum, column) => sum + least_pixels(column), 0), rows);
  return (
    <InTable.Provider value={true}><div class={stacked ? 'table-box stacked' : 'table-box'} ref={box}>
      <table class={fixed ? 'table fixed' : 'table'} data-testid={testid}>
        {caption && <caption class="unseen">{caption}</caption>}
        {fixed && <colgroup>{columns.map((column) => <col key={column.id} style={{ width: column.width ?? 'auto' }} />)}</colgroup>}
        <thead>
          <tr>
            {columns.map((column) => {
              const mine = sorting?.id === column.id;
              return (
                <th key={column.id} scope="col" class={column.kind === 'number' ? 'num' : column.kind === 'act' ? 'table-act' : ''} aria-sort={mine ? (sorting.down ? 'descending' : 'ascending') : undefined}>
                  {column.sort ? <button type="button" class="sort" onClick={() => turn(column)}>{column.title}{mine && <Icon name={sorting.down ? 'down' : 'up'} />}</button>
                    : column.title || <span class="unseen">{t.common.actions}</span>}
                </th>
              );
            })}
          </tr>
        </thead>
        {sorted(rows, by?.sort, sorting?.down ?? false).map((row) => {
          const more = below?.(row);
          return (
            <tbody key={key_of(row)}>
              <tr class={row_class?.(row)} data-testid={row_testid} {...row_data?.(row)}>
                {columns.map((column) => <td key={column.id} class={class_of(column.kind)} data-label={column.title} data-testid={column.testid}>{stacked && column.kind !== 'act' ? <div>{drawn(column, row)}</div> : drawn(column, row)}</td>)}
              </tr>
              {more && <tr class="table-below"><td colSpan={columns.length}>{more}</td></tr>}
            </tbody>
          );
        })}
      </table>
    </div></InTable.Provider>
  );
}
