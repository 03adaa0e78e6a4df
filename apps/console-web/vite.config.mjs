import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
  },
});
