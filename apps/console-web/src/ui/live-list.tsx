import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import './live-list.css';

interface Props<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  children: (item: Item) => ReactNode;
  onOpen: (item: Item) => void;
  /** Called with true when someone scrolls down from the newest row, and with false when they come back. */
  onScrolledDown: (isDown: boolean) => void;
  empty: ReactNode;
}

const rowHeight = (): number => (matchMedia('(max-width: 860px)').matches ? 62 : 40);

/** Rows, with new ones at the top. Only rows that are seen are in the page. */
export function LiveList<Item>({ label, items, itemKey, children, onOpen, onScrolledDown, empty }: Props<Item>) {
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: rowHeight,
    overscan: 6,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : itemKey(item);
    },
  });
  return (
    <div
      ref={place}
      className="live-list"
      onScroll={({ currentTarget }) => onScrolledDown(currentTarget.scrollTop > 0)}
    >
      {items.length === 0 && empty}
      <ul aria-label={label} style={{ height: rows.getTotalSize() }} onKeyDown={moveFocus}>
        {rows.getVirtualItems().map(({ index, key, start, size }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li key={key} style={{ height: size, transform: `translateY(${start}px)` }}>
              <button type="button" onClick={() => onOpen(item)}>
                {children(item)}
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** `j` and `k`, or the arrows, go to the next and the previous row. */
function moveFocus(event: KeyboardEvent): void {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const row = (event.target as HTMLElement).closest('li');
  if (step === undefined || !row) return;
  event.preventDefault();
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  next?.querySelector('button')?.focus();
}
