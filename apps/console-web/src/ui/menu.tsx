import { lazy, Suspense, useRef, useState } from 'react';
import { IconButton } from './button';
import type { MenuProps } from './menu-popup';
import './menu.css';

const load = () => import('./menu-popup');
const Popup = lazy(load);

/** A button that opens a menu. The first page is painted without the menu's library: it is fetched when it is needed. */
export function Menu({ label, icon, head, items }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const open = (next: boolean): void => {
    setOpen(next);
    if (next) setOpened(true);
  };
  return (
    <>
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => open(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          open(true);
        }}
      />
      {wasOpened && (
        <Suspense fallback={null}>
          <Popup {...{ button, isOpen, items, head }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
