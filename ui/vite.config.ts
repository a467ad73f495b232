/** Builds the web page into `dist/ui`: hashed assets, nothing inline, so that a policy of `default-src 'self'` holds. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    // A data: address would need an exception in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
  },
  server: { port: 5173, strictPort: true, proxy: { '/api': 'http://127.0.0.1:5174' } },
});
