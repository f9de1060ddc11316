import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds a running node; the console's own dev server hands every call on to it, with the Host that its pages have. */
const node = { target: 'http://127.0.0.1:9009', changeOrigin: false };

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: true,
    rolldownOptions: {
      output: {
        // The packages of the first page change far less often than the console: one file that stays cached. What many pages
        // share is one file too: small ones would stand in line with the first call of the page. What few share is not, or the first
        // page would load what it does not show.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'packages', test: /node_modules\/@(tanstack\/(react-)?(router|query|store|history))/ },
            {
              name: 'shared',
              minShareCount: 6,
              test: /\/(web|contract)\/|node_modules\/@(mantine|tabler|floating-ui)/,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 9010,
    // The console has sources in a folder apps of its own: calls of an app are those below one of its services.
    proxy: { '/admin': node, '^/apps/[^/]+/(auth|rest|openapi)': node, '/health': node },
  },
});
