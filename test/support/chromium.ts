import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { clone } from './clone.ts';

/**
 * Starts a headless Chromium. The variable NINEFOLD_TEST_CHROMIUM may name the executable. Without it, Linux x64 uses
 * the executable of the package @sparticuz/chromium, which is unpacked below the clone, so that nothing needs to be
 * installed. Other systems use the installed Chrome.
 */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch(await launchOptions());
}

async function launchOptions(): Promise<LaunchOptions> {
  const named = process.env.NINEFOLD_TEST_CHROMIUM;
  if (named) return { executablePath: named };
  const folder = await unpackChromium();
  if (folder === null) return { channel: 'chrome' };
  return {
    executablePath: join(folder, 'chromium'),
    // The package also has a list of arguments. It is not used, because it disables web security, and so would hide errors of CORS.
    args: ['--disable-gpu', '--font-render-hinting=none'],
    env: {
      ...process.env,
      HOME: folder,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/**
 * Unpacks the package once for each of its versions, together with the fonts. Returns the folder; null if the tests use
 * another browser.
 */
export async function unpackChromium(): Promise<string | null> {
  if (process.env.NINEFOLD_TEST_CHROMIUM || process.platform !== 'linux' || process.arch !== 'x64') return null;
  const manifest: { version: string } = JSON.parse(
    await readFile(join(clone, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
  );
  const folder = join(clone, '.tmp/chromium', manifest.version);
  if (await exists(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  // The package unpacks into the system's folder for temporary files, and unpacks its libraries only if it detects a
  // certain cloud. So it runs in a process whose environment names another folder and this cloud.
  const script = `
    const { default: chromium } = await import('@sparticuz/chromium');
    await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: clone,
    env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
  // The browser would exit if a page finds no font at all.
  await writeFile(join(fresh, 'fonts.conf'), fontsConfiguration(folder));
  try {
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await exists(folder))) throw error; // Ignored if another process created the folder first.
  }
  return folder;
}

function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
