import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useCallback } from 'react';
import { IconButton } from './button';
import { Icon } from './icon';
import './toast.css';

type Tone = 'ok' | 'bad';

export const ToastProvider = ({ children }: { children: ReactNode }) => (
  <Toast.Provider timeout={6000}>
    {children}
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <Toasts />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

function Toasts() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={`toast toast-${toast.type ?? 'ok'}`}>
      <Icon name={toast.type === 'bad' ? 'warn' : 'check'} />
      <Toast.Description className="toast-text" />
      <Toast.Close render={<IconButton icon="close" label="Close" />} />
    </Toast.Root>
  ));
}

/** Returns a function that says a sentence at the corner of the page. */
export function useToast(): (tone: Tone, text: ReactNode) => void {
  const { add } = Toast.useToastManager();
  return useCallback(
    (tone, text) => {
      add({ type: tone, description: text, priority: tone === 'bad' ? 'high' : 'low' });
    },
    [add],
  );
}
