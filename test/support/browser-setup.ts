import { build } from './build-setup.ts';
import { unpackChromium } from './chromium.ts';

/** Builds the server and the console, and unpacks the browser, so that no test pays for it. */
export async function setup(): Promise<void> {
  await build('server', 'web');
  await unpackChromium();
}
