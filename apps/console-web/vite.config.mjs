import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Adds the first script, which asks for data while the page's code is still on its way, and has nothing else in it. */
const firstScript = {
  name: 'first-script',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const first = Object.values(bundle ?? {}).find((part) => part.type === 'chunk' && part.name === 'first');
      if (!first) return [];
      const attrs = { type: 'module', async: true, src: `/${first.fileName}` };
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }];
    },
  },
};

/** What the first script needs; it must not wait for the rest. */
const early = /console-web\/src\/data\/(early|call|range)\.ts|libs\/console-api\/|preload-helper/;
/** What all pages need. In one file, because forty small ones take longer than their bytes. */
const frame =
  /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\/|console-web\/src\/(app|data|ui|pages\/(range-picker|flow-chart))/;
/** What is fetched when it is needed. */
const later = /src\/ui\/(chart-canvas|editor|lazy-editor|menu-popup|dialog-popup|toasts|live-list)\./;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), firstScript],
  resolve: { conditions: ['@sluice/source', 'module', 'browser', 'development|production'] },
  build: {
    // `tsc -b` writes its types beside it, into dist/types.
    outDir: 'dist/site',
    emptyOutDir: true,
    // The policy of the page allows no data: scripts, styles or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'early', test: early, priority: 2 },
            { name: 'frame', test: (id) => frame.test(id) && !later.test(id), priority: 1 },
          ],
        },
      },
      input: { index: join(import.meta.dirname, 'index.html'), first: join(import.meta.dirname, 'src/first.ts') },
    },
  },
});
