import { CSPProvider } from '@base-ui/react/csp-provider';
import { type ReactNode } from 'react';
import { ShownOnceProvider } from './shown-once';
import { ToastProvider } from './toast';

/** Everything that the kit needs around the whole page. The page's policy allows no `<style>`, so none is made. */
export const UiProvider = ({ children }: { children: ReactNode }) => (
  <CSPProvider disableStyleElements>
    <ToastProvider>
      <ShownOnceProvider>{children}</ShownOnceProvider>
    </ToastProvider>
  </CSPProvider>
);
