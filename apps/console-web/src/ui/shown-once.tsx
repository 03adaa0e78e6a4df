import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Button } from './button';
import { CodeBlock } from './copy';
import { Dialog } from './dialog';
import { Notice } from './empty';

/** A secret that exists nowhere else, such as a new key. */
export interface Secret {
  title: ReactNode;
  /** Name of the text, such as `API key`. */
  label: string;
  text: string;
  /** Warning to read before the dialog is closed. */
  note: string;
  copy: string;
  /** The same secret in another form. */
  also?: { label: string; text: string } | undefined;
}

const ShowContext = createContext<(secret: Secret) => void>(() => undefined);

/** Returns a function that shows a secret until someone dismisses it. */
export const useShownOnce = (): ((secret: Secret) => void) => useContext(ShowContext);

/** Shows secrets above all pages: no navigation, no new answer and no end of a session removes them. */
export function ShownOnceProvider({ children }: { children: ReactNode }) {
  const [secrets, setSecrets] = useState<readonly Secret[]>([]);
  const show = useCallback((secret: Secret) => setSecrets((before) => [...before, secret]), []);
  const [secret] = secrets;
  useLeaveGuard(secret !== undefined);
  return (
    <ShowContext value={show}>
      {children}
      {secret && <SecretDialog secret={secret} onClose={() => setSecrets(([, ...rest]) => rest)} />}
    </ShowContext>
  );
}

const SecretDialog = ({ secret, onClose }: { secret: Secret; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    isSticky
    title={secret.title}
    actions={
      <Button look="primary" onClick={onClose}>
        I have saved it
      </Button>
    }
  >
    <div className="stack">
      <Notice tone="attention">{secret.note}</Notice>
      <CodeBlock label={secret.label} text={secret.text} copy={secret.copy} />
      {secret.also && (
        <CodeBlock label={secret.also.label} text={secret.also.text} copy={`Copy ${secret.also.label}`} />
      )}
    </div>
  </Dialog>
);

/** Makes the browser ask before the tab is closed or reloaded. */
export function useLeaveGuard(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isOn]);
}
