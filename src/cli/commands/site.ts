import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Command } from 'commander';
import { limits } from '../../../contract/limits.ts';
import type { BeginSiteVersion, BegunSiteVersion, SiteState, SiteVersion } from '../../../contract/site.ts';
import { CliError, type Client, connect } from '../client.ts';
import { bytesInWords, printJson, printTable } from '../print.ts';

/** Files are small, so that most of the time of an upload is spent on waiting for the server. */
const UPLOADS_AT_ONCE = 6;

interface SiteOptions {
  portal?: boolean;
  rollback?: string | true;
  json?: boolean;
}

const help = `
The folder is the result of a build: index.html and what it loads. An address without a file shows 404.html, or index.html if
there is no such file, so that a router in the browser works. Files whose names contain a hash are cached for a year, all others
are checked at each use. Sign-in and account pages of Ninefold stay at /account, the API at /auth/v1 and /rest/v1.`;

/** Adds the command `ninefold site`. */
export function addSiteCommand(program: Command): void {
  program
    .command('site')
    .description("an app's own front end on the app's origin: list its versions, publish a folder, go back")
    .argument('<ref>')
    .argument('[folder]', 'a folder with index.html; publishes it as a new version')
    .option('--rollback [number]', 'serve an earlier version again; default: the one before the active one')
    .option('--portal', 'serve the pages for members instead')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (ref: string, folder: string | undefined, options: SiteOptions) => {
      const asked = [folder !== undefined, options.rollback !== undefined, options.portal === true];
      if (asked.filter(Boolean).length > 1) throw new CliError('Use one of FOLDER, --rollback and --portal.');
      const client = connect();
      const path = `/apps/${encodeURIComponent(ref)}/site`;
      const before = await client.get<SiteState>(path);
      const isChanged = asked.some(Boolean);
      if (folder !== undefined) await publish(client, path, folder);
      else if (options.rollback !== undefined) {
        const { id } = versionBefore(before.versions, options.rollback);
        await client.post(`${path}/versions/${id}/publish`, {});
      } else if (options.portal) await client.delete(path);
      const state = isChanged ? await client.get<SiteState>(path) : before;
      if (options.json) printJson(state);
      else if (isChanged) process.stdout.write(servedText(state));
      else printVersions(state);
    });
}

function servedText({ url, versions }: SiteState): string {
  const active = versions.find(({ is_active: isActive }) => isActive);
  const what = active
    ? `Version ${active.number} is served: ${active.files} ${active.files === 1 ? 'file' : 'files'}, ${bytesInWords(active.bytes)}.`
    : 'The pages for members are served.';
  const where = url ?? 'No host name leads to the app: set NINEFOLD_DOMAIN.';
  return `${what}\n${where}\n`;
}

function printVersions(state: SiteState): void {
  process.stdout.write(servedText(state));
  if (state.versions.length === 0) return;
  process.stdout.write('\n');
  printTable(
    ['version', 'published', 'by', 'files', 'size', ''],
    state.versions.map((version) => [
      String(version.number),
      version.created_at,
      version.created_by,
      String(version.files),
      bytesInWords(version.bytes),
      version.is_active ? 'active' : '',
    ]),
  );
}

function versionBefore(versions: readonly SiteVersion[], asked: string | true): SiteVersion {
  const active = versions.findIndex(({ is_active: isActive }) => isActive);
  const found =
    asked === true ? versions[active + 1] : versions.find(({ number }) => String(number) === asked.replace(/^v/, ''));
  if (found) return found;
  throw new CliError(
    asked === true ? 'There is no earlier version.' : `There is no version ${asked}. List them with: ninefold site REF`,
  );
}

/**
 * Sends the files that the app does not store yet, and publishes the version.
 * @throws CliError if the folder cannot be published.
 */
async function publish(client: Client, path: string, folder: string): Promise<void> {
  const files = readFolder(folder);
  const hashes = Object.fromEntries([...files].map(([name, content]) => [name, sha256(content)]));
  const { id, missing } = await client.post<BegunSiteVersion>(`${path}/versions`, {
    files: hashes,
  } satisfies BeginSiteVersion);
  const contents = new Map([...files.values()].map((content) => [sha256(content), content]));
  const waiting = missing.values();
  const sendWaiting = async () => {
    for (const hash of waiting) await client.put(`${path}/versions/${id}/files/${hash}`, contents.get(hash));
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, sendWaiting));
  await client.post(`${path}/versions/${id}/publish`, {});
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Returns true for hidden files, which are not published. The folder `.well-known` of RFC 8615 is not hidden. */
const isHidden = (name: string): boolean =>
  name.split('/').some((segment) => segment.startsWith('.') && segment !== '.well-known');

/**
 * Reads the files of a folder by their path. Links to files of the folder are read, too. Says on stderr which links it
 * leaves out.
 */
function readFolder(folder: string): Map<string, Buffer> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new CliError(`${folder} is no folder.`);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/') }))
    .filter(({ path }) => !isHidden(path));
  const skipped = entries.filter(({ entry }) => entry.isSymbolicLink() && !leadsToFileOf(folder, entry));
  if (skipped.length > 0) {
    process.stderr.write(
      `Left out, because these links do not lead to a file of the folder: ${skipped.map(({ path }) => path).join(', ')}.\n`,
    );
  }
  // The names of files are stored in one form of Unicode, but a file system may use another.
  const sources = new Map(
    entries
      .filter(({ entry }) => entry.isFile() || (entry.isSymbolicLink() && leadsToFileOf(folder, entry)))
      .map(({ path }) => [path.normalize('NFC'), path]),
  );
  const names = [...sources.keys()];
  if (!names.includes('index.html')) {
    throw new CliError(`${folder} has no index.html. Name the folder that your build writes, for example dist.`);
  }
  if (names.length > limits.siteFiles.default) {
    throw new CliError(`${folder} has ${names.length} files; a version may have ${limits.siteFiles.default}.`);
  }
  const files = new Map([...sources].map(([name, path]) => [name, readFileSync(join(folder, path))]));
  for (const [name, { length }] of files) {
    if (length > limits.bodyBytes.default)
      throw new CliError(`${name} is larger than ${MOST}. Serve it from elsewhere.`);
  }
  return files;
}

/** Returns true if a link leads to a file within the folder. */
function leadsToFileOf(folder: string, { parentPath, name }: Dirent): boolean {
  const link = join(parentPath, name);
  if (!statSync(link, { throwIfNoEntry: false })?.isFile()) return false;
  const target = relative(realpathSync(folder), realpathSync(link)).split(sep).join('/');
  return !target.startsWith('../') && !isHidden(target);
}

const MOST = `${limits.bodyBytes.default / 1024 / 1024} MiB`;
