import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from './button';
import type { DialogProps } from './dialog-popup';
import { Sent } from './sent';
import './dialog.css';

const Popup = lazy(() => import('./dialog-popup'));

/** A dialog. The first page is painted without its library, which is fetched with the first dialog. */
export function Dialog(props: DialogProps) {
  const [wasOpened, setOpened] = useState(props.open);
  if (props.open && !wasOpened) setOpened(true);
  if (!props.open && !wasOpened) return null;
  return (
    <Suspense fallback={null}>
      <Popup {...props} />
    </Suspense>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Text that says what will happen, and when. */
  children: ReactNode;
  /** Word of the button, such as `Revoke key`. */
  action: string;
  look?: 'danger' | 'primary';
  onConfirm: () => void;
  busy?: boolean;
  error?: string | undefined;
  /** Whether the action is possible now; true by default. */
  isPossible?: boolean;
  /** Text that must be typed, for an action that stops traffic. */
  typed?: string | undefined;
}

/** Asks before an action that cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { open, onClose, title, children, action, look = 'danger', onConfirm } = props;
  const { busy = false, error, typed, isPossible = true } = props;
  const [text, setText] = useState('');
  const isReady = isPossible && (typed === undefined || text === typed);
  return (
    <Dialog
      {...{ open, onClose, title }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} busy={busy} disabled={!isReady} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        {children}
        {typed !== undefined && (
          <label className="field">
            <span className="field-label">
              Type{' '}
              <strong>
                <Sent text={typed} />
              </strong>{' '}
              to confirm
            </span>
            <input className="input" value={text} onChange={(event) => setText(event.target.value)} />
          </label>
        )}
        {error && (
          <p role="alert" className="field-error">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
