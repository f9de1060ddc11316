import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Address of a running node for `npm run dev`. The console's dev server forwards every request to it, with the Host of
 * its own pages.
 */
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
        // The packages that the first page needs change less often than the console, so they are in one file that
        // stays cached. Packages that many pages share are in another single file, because many small files would delay
        // the first request of the page. Packages that few pages share stay separate, so that the first page does not
        // load them.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'packages', test: /node_modules\/@(tanstack\/(react-)?(router|query|store|history))/ },
            {
              name: 'shared',
              minShareCount: 6,
              // The first page needs no words of settings and limits.
              test: /\/web\/(?!console\/tools\/settings)|\/contract\/(?!limits|settings|all-settings)|node_modules\/@(mantine|tabler|floating-ui)/,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 9010,
    // The console has a source folder named apps, so only paths of an app's services are forwarded to the node.
    proxy: { '/admin': node, '^/apps/[^/]+/(auth|rest|openapi)': node, '/health': node },
  },
});
