import './ui/tokens.css';
import './ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router';
import { takeAllEarly } from './data/early';
import { queryClient } from './data/use-api';
import { UiProvider } from './ui/provider';

/** Time for which the first paint waits for the first answers: to draw the page once is less work than twice. */
const firstAnswersMs = 100;

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const [early] = await Promise.all([takeAllEarly(firstAnswersMs), router.load()]);
for (const [key, data] of early) queryClient.setQueryData(key, data);
createRoot(root).render(
  <StrictMode>
    <UiProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </UiProvider>
  </StrictMode>,
);
