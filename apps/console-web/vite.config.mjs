import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Modules that all pages need. They are in one file, because forty small ones take longer than their bytes. */
const frame =
  /node_modules\/(react|react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\/|console-web\/src\/(app|data|ui|pages\/(range-picker|flow-chart))/;
/** Modules that are fetched when they are needed. */
const later = /src\/ui\/(chart-canvas|editor|lazy-editor|menu-popup|dialog-popup|toasts|live-list)\./;

const browserLanguage = "domEnv ? nav.language : 'en-US'";
/**
 * Takes the browser's language out of uPlot (a private part of version 1.6.32): the library makes a formatter of it when it
 * loads, and fails with one that is none of BCP 47, such as `en-US@posix`. The language of the pages: src/data/locale.ts.
 */
const chartsInEnglish = {
  name: 'charts-in-english',
  transform(code, id) {
    if (!/node_modules\/uplot\/.*js$/.test(id)) return undefined;
    if (!code.includes(browserLanguage)) throw new Error(`${id} no longer has: ${browserLanguage}`);
    return { code: code.replace(browserLanguage, "'en'"), map: null };
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), chartsInEnglish],
  resolve: { conditions: ['@sluice/source', 'module', 'browser', 'development|production'] },
  build: {
    // `tsc -b` writes its types next to it, into dist/types.
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
          groups: [{ name: 'frame', test: (id) => frame.test(id) && !later.test(id) }],
        },
      },
    },
  },
});
