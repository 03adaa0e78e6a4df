import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode } from 'react';
import { IconButton } from './button';

export interface DialogProps {
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
  /** Nothing of the page is seen behind it, and only its buttons close it. */
  isCover?: boolean;
}

/** A dialog, with its library. */
export default function DialogPopup(props: DialogProps) {
  const { open, onClose, title, note, children, actions, side, isCover = false, isSticky = isCover } = props;
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={isSticky}
      onOpenChange={(isOpen, { reason }) => {
        if (!isOpen && !(isSticky && reason === 'escape-key')) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={isCover ? 'backdrop backdrop-cover' : 'backdrop'} forceRender={isCover} />
        <Base.Popup className={side ? `drawer drawer-${side}` : isCover ? 'dialog dialog-cover' : 'dialog'}>
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
}
