import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/account/',
  publicDir: '../console/public',
  plugins: [react()],
  build: {
    outDir: '../../dist/portal',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: true,
    rolldownOptions: {
      output: {
        // React changes less often than the pages, so it is in one file that stays cached. Other packages are loaded
        // with the pages that need them.
        codeSplitting: {
          groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// }],
        },
      },
    },
  },
});
