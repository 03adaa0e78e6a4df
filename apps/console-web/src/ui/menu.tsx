import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { IconButton } from './button';
import { type IconName } from './icon';
import './menu.css';

export interface MenuItem {
  label: string;
  icon?: IconName;
  onSelect: () => void;
  isBad?: boolean;
}

export interface MenuProps {
  label: string;
  icon: IconName;
  head?: ReactNode;
  items: readonly MenuItem[];
}

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
