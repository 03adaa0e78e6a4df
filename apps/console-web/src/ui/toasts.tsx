import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from './button';
import { Icon } from './icon';

export type Tone = 'ok' | 'bad';

export interface Said {
  readonly tone: Tone;
  readonly text: ReactNode;
}

/** Shows the sentences that were said. */
export default function Toasts({ sentences }: { sentences: readonly Said[] }) {
  return (
    <Toast.Provider timeout={6000}>
      <Adding sentences={sentences} />
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Adding({ sentences }: { sentences: readonly Said[] }) {
  const { add } = Toast.useToastManager();
  const addedCount = useRef(0);
  useEffect(() => {
    for (const { tone, text } of sentences.slice(addedCount.current))
      add({ type: tone, description: text, priority: tone === 'bad' ? 'high' : 'low' });
    addedCount.current = sentences.length;
  }, [sentences, add]);
  return null;
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={`toast toast-${toast.type ?? 'ok'}`}>
      <Icon name={toast.type === 'bad' ? 'warn' : 'check'} />
      <Toast.Description className="toast-text" />
      <Toast.Close render={<IconButton icon="close" label="Close" />} />
    </Toast.Root>
  ));
}
