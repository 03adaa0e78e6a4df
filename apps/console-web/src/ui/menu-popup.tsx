import { Menu as Base } from '@base-ui/react/menu';
import { type ReactNode, type RefObject } from 'react';
import { Icon, type IconName } from './icon';

interface MenuItem {
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

interface Props extends Pick<MenuProps, 'head' | 'items'> {
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onClose: () => void;
}

/** Popup of a menu, with its items. */
export default function MenuPopup({ button, isOpen, onClose, head, items }: Props) {
  return (
    <Base.Root
      modal={false}
      open={isOpen}
      onOpenChange={(mayOpen, { event }) => {
        // The button itself closes the menu when it is pressed again.
        if (!mayOpen && !(event.target instanceof Node && button.current?.contains(event.target))) onClose();
      }}
    >
      <Base.Portal>
        <Base.Positioner className="menu-place" anchor={button} sideOffset={6} align="end">
          <Base.Popup className="menu" finalFocus={button}>
            {head && <div className="menu-head">{head}</div>}
            {items.map((item, index) => (
              <Base.Item
                key={`${index} ${item.label}`}
                className={`menu-item ${item.isBad ? 'menu-bad' : ''}`}
                onClick={item.onSelect}
              >
                {item.icon && <Icon name={item.icon} />}
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
