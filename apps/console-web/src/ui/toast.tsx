import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import type { Said, Tone } from './toasts';
import './toast.css';

type Say = (tone: Tone, text: ReactNode) => void;
const SayContext = createContext<Say>(() => undefined);
const Toasts = lazy(() => import('./toasts'));

/** The place of toasts. Their library is fetched when the first one is said. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [sentences, setSentences] = useState<readonly Said[]>([]);
  const say = useCallback<Say>((tone, text) => setSentences((before) => [...before, { tone, text }]), []);
  return (
    <SayContext value={say}>
      {children}
      {sentences.length > 0 && (
        <Suspense fallback={null}>
          <Toasts sentences={sentences} />
        </Suspense>
      )}
    </SayContext>
  );
}

/** Returns a function that says a sentence at the corner of the page. */
export const useToast = (): Say => useContext(SayContext);
