import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from './button';
import { Sent } from './sent';
import './dialog.css';

interface Props {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  note?: ReactNode;
  children: ReactNode;
  /** Buttons at the foot. */
  actions?: ReactNode;
  /** A panel at the side, for the story of a row. */
  side?: 'end' | 'start';
  /** Only the buttons close it, because what it shows is shown once. */
  isSticky?: boolean;
}

export const Dialog = ({ open, onClose, title, note, children, actions, side, isSticky = false }: Props) => (
  <Base.Root
    open={open}
    disablePointerDismissal={isSticky}
    onOpenChange={(isOpen) => {
      if (!isOpen) onClose();
    }}
  >
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className={side ? `drawer drawer-${side}` : 'dialog'}>
        <header className="dialog-head">
          <div>
            <Base.Title className="dialog-title">{title}</Base.Title>
            {note && <Base.Description className="soft">{note}</Base.Description>}
          </div>
          {!isSticky && <Base.Close render={<IconButton icon="close" label="Close" />} />}
        </header>
        <div className="dialog-body">{children}</div>
        {actions && <footer className="dialog-foot">{actions}</footer>}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** What will happen, and when. */
  children: ReactNode;
  /** Word of the button, such as `Revoke key`. */
  deed: string;
  onConfirm: () => void;
  busy?: boolean;
  error?: string | undefined;
  /** Text that must be typed, for a deed that stops traffic. */
  typed?: string | undefined;
}

/** Asks before a deed that cannot be taken back. */
export function Confirm({ open, onClose, title, children, deed, onConfirm, busy = false, error, typed }: ConfirmProps) {
  const [text, setText] = useState('');
  const isReady = typed === undefined || text === typed;
  return (
    <Dialog
      {...{ open, onClose, title }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} disabled={!isReady} onClick={onConfirm}>
            {deed}
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
              to go on
            </span>
            <input
              className="input"
              value={text}
              onChange={(event) => {
                setText(event.target.value);
              }}
            />
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
