import { type ButtonHTMLAttributes, type ReactNode, type Ref } from 'react';
import { Icon, type IconName } from './icon';
import './button.css';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  icon?: IconName | undefined;
  /** The action is under way: the button keeps its width and ignores a second click. */
  busy?: boolean;
  children: ReactNode;
}

export const Button = ({ look = 'plain', icon, busy = false, children, className, disabled, ...rest }: Props) => (
  <button
    type="button"
    className={`button button-${look} ${className ?? ''}`}
    disabled={disabled === true || busy}
    aria-busy={busy}
    {...rest}
  >
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </button>
);

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: IconName;
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

export const IconButton = ({ icon, label, className, ...rest }: IconButtonProps) => (
  <button type="button" className={`icon-button ${className ?? ''}`} aria-label={label} title={label} {...rest}>
    <Icon name={icon} />
  </button>
);
