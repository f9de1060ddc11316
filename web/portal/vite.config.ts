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
        // Every file costs a request and is compressed alone, so what most pages need is in a few files. React and the
        // other packages change less often than the pages, so they stay cached. Everything else is loaded with the
        // pages that need it.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            { name: 'packages', test: /node_modules\//, tags: ['$initial'], priority: 2 },
            { name: 'start', tags: ['$initial'], priority: 1 },
            // The sign-in uses some of these too. In the group below, they would make it load that whole file.
            { name: 'hooks', test: /node_modules\/@mantine\/hooks\//, priority: 1 },
            // The code that is on nearly every page of a member, with everything that it imports.
            {
              name: 'screens',
              test: /portal\/screens\/(shell\/shell|rows\/rows-table|shared\/(actions|quick-transitions|state-since))\.tsx?$/,
            },
          ],
        },
      },
    },
  },
});
