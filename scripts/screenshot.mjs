/**
 * Takes a picture of a page:
 * `node scripts/screenshot.mjs URL OUT.png [--width 1440] [--height 900] [--theme light|dark] [--storage-state FILE] [--wait-for SELECTOR] [--full-page]`.
 * Prints the page's console messages and its failed requests.
 */
import '../bin/node-version.mjs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { importTypeScript } from './typescript.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '1440' },
    height: { type: 'string', default: '900' },
    theme: { type: 'string', default: 'light' },
    'storage-state': { type: 'string' },
    'wait-for': { type: 'string' },
    'full-page': { type: 'boolean', default: false },
  },
});
const [url, out] = positionals;
if (!url || !out) {
  process.stderr.write(
    'Usage: node scripts/screenshot.mjs URL OUT.png [--width 1440] [--height 900] [--theme dark] …\n',
  );
  process.exit(2);
}

await prepare({ targets: [] });
const { launchChromium } = await importTypeScript('test/support/chromium.ts');
const browser = await launchChromium();
try {
  const context = await browser.newContext({
    viewport: { width: Number(values.width), height: Number(values.height) },
    colorScheme: values.theme === 'dark' ? 'dark' : 'light',
    storageState: values['storage-state'],
  });
  const page = await context.newPage();
  page.on('console', (message) => console.log(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => console.log(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => console.log(`failed: ${request.url()} ${request.failure()?.errorText}`));
  await page.goto(url, { waitUntil: 'load' });
  if (values['wait-for']) await page.waitForSelector(values['wait-for']);
  // A page with an open request never becomes idle. Then the picture shows the state of the page after the timeout.
  else await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {});
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: out, fullPage: values['full-page'] });
  console.log(out);
} finally {
  await browser.close();
}
