import { Dialog as Base } from '@base-ui/react/dialog';
import { IconButton } from './button';
import { type DialogProps } from './dialog';

/** A dialog, with its library. */
export default function DialogPopup(props: DialogProps) {
  const { open, onClose, title, note, children, actions, side, isSticky = false } = props;
  return (
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
}
