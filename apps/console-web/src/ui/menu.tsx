import { Menu as Base } from '@base-ui/react/menu';
import { type ReactNode } from 'react';
import { IconButton } from './button';
import { Icon, type IconName } from './icon';
import './menu.css';

export interface MenuItem {
  label: string;
  icon?: IconName;
  onSelect: () => void;
  isBad?: boolean;
}

interface Props {
  label: string;
  icon: IconName;
  head?: ReactNode;
  items: readonly MenuItem[];
}

export const Menu = ({ label, icon, head, items }: Props) => (
  <Base.Root modal={false}>
    <Base.Trigger render={<IconButton icon={icon} label={label} />} />
    <Base.Portal>
      <Base.Positioner className="menu-place" sideOffset={6} align="end">
        <Base.Popup className="menu">
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
