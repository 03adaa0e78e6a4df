import { type ComponentProps, lazy, Suspense } from 'react';
import type Loaded from './editor';
import './lazy-editor.css';

const Loading = lazy(() => import('./editor'));

/** The editor with its library, fetched when a page needs it; its place has the final height before. */
export const Editor = (props: ComponentProps<typeof Loaded>) => (
  <div className="editor-place">
    <Suspense fallback={null}>
      <Loading {...props} />
    </Suspense>
  </div>
);
