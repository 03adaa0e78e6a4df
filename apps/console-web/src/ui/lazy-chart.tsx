import { type ComponentProps, lazy, Suspense } from 'react';
import type Loaded from './chart';

const Loading = lazy(() => import('./chart'));

/** The chart with its library, fetched after the page; its place has the final height before. */
export const Chart = (props: ComponentProps<typeof Loaded>) => (
  <div className="chart-place">
    <Suspense fallback={null}>
      <Loading {...props} />
    </Suspense>
  </div>
);
