import type { PreviewStart } from '../../../contract/preview.ts';
import { closeDoors } from './sandbox.ts';

// The page has an opaque origin, so the code of the portal can be loaded only after the parts of the browser that such
// an origin lacks have been replaced.
closeDoors();
const loading = import('./start.tsx');

/** Starts the pages with the first message of the console. Only the parent of the frame can send it. */
const onMessage = ({ source, data, ports: [port] }: MessageEvent<PreviewStart>) => {
  if (source !== window.parent || data?.kind !== 'ninefold-preview' || !port) return;
  removeEventListener('message', onMessage);
  void loading.then(({ startPreview }) => startPreview(data, port));
};
addEventListener('message', onMessage);
