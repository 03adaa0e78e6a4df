import { type ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import './empty.css';

/**
 * Why there is nothing: none yet, none in this range, filtered out, a server is unreachable, this person may not see
 * it, all is well, or it is still to come.
 */
export type Nothing = 'none-yet' | 'none-in-range' | 'filtered' | 'unreachable' | 'forbidden' | 'well' | 'waiting';

const icons: Record<Nothing, IconName> = {
  'none-yet': 'table',
  'none-in-range': 'wait',
  filtered: 'search',
  unreachable: 'unreachable',
  forbidden: 'shield',
  well: 'check',
  waiting: 'live',
};

interface Props {
  kind: Nothing;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export const Empty = ({ kind, title, children, action }: Props) => (
  <div className={`empty empty-${kind}`} data-nothing={kind}>
    <span className="empty-icon">
      <Icon name={icons[kind]} size={20} />
    </span>
    <p className="empty-title">{title}</p>
    {children && <div className="empty-text">{children}</div>}
    {action && <div className="row">{action}</div>}
  </div>
);

/** A line across the page or a card. */
export const Notice = ({
  tone,
  children,
  live = false,
}: {
  tone: 'ok' | 'attention' | 'bad' | 'accent';
  children: ReactNode;
  live?: boolean;
}) => (
  <div className={`notice notice-${tone}`} role={live ? 'status' : undefined}>
    <Icon name={tone === 'ok' ? 'check' : tone === 'accent' ? 'bad' : 'warn'} />
    <div>{children}</div>
  </div>
);
