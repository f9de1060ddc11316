import { type Command, Option } from 'commander';
import type { Change } from '../../../contract/changes.ts';
import { chapters } from '../../../contract/chapters.ts';
import type { Specification } from '../../../contract/specification.ts';
import type { CreatedSpecificationLink, SpecificationLinkRequest } from '../../../contract/specification-links.ts';
import { CliError, type Client, connect } from '../client.ts';
import type { ComparisonInput } from '../compare-specifications.ts';
import { printJson } from '../print.ts';
import { probeNow, probeWords } from '../probe.ts';

interface SpecOptions {
  format: 'markdown' | 'json' | 'html';
  onePage?: boolean;
  check?: string | true;
  probe?: boolean;
  share?: boolean;
  diff?: string[];
  json?: boolean;
}

/** Loads the module that compares specifications, which takes longer than most commands run. */
const comparisons = () => import('../compare-specifications.ts');

/** Exit codes of a comparison, as in diff(1). */
const [SAME, DIFFERENT, TROUBLE] = [0, 1, 2];

const help = `
A and B:
  FILE             an export as Markdown or JSON: a path, or any name that ends in .md or .json
  REF              an app as it stands
  REF@12           an app as it was in version 12
  REF@2026-01-31   as it stood when that day began (UTC), or at a time: 2026-01-31T14:00

Exit codes of --check and --diff: 0 they say the same, 1 they differ or a probe disagrees, 2 they cannot be compared.`;

/** Adds the command `ninefold spec`. */
export function addSpecCommand(program: Command): void {
  program
    .command('spec')
    .description('the specification of an app, derived from what runs')
    .argument('[ref]')
    .addOption(
      new Option('--format <format>', 'of the output').choices(['markdown', 'json', 'html']).default('markdown'),
    )
    .option('--one-page', 'print one page that explains the app')
    .option('--check [file]', 'compare a committed export with the app and print the changes')
    .option('--probe', 'with --check: test every cell of chapter 6 and print wrong cells')
    .option('--share', 'print a new link by which anyone can read the specification for 30 days')
    .option('--diff <sides...>', 'A B: print the changes from A to B')
    .option('--json', 'print the changes as JSON')
    .addHelpText('after', help)
    .action(async (ref: string | undefined, options: SpecOptions) => {
      const { check, diff, json, probe } = options;
      if (diff !== undefined) {
        const [a, b, ...more] = diff;
        const isUsed = a !== undefined && b !== undefined && more.length === 0 && ref === undefined;
        if (!isUsed || check !== undefined) throw new CliError('Use: ninefold spec --diff A B', null, null, TROUBLE);
        const { readInput } = await comparisons();
        await compare(async () => [await readInput(connect, a), await readInput(connect, b)], json);
      } else if (ref === undefined) {
        throw new CliError('Use: ninefold spec REF', null, null, TROUBLE);
      } else if (check !== undefined) {
        const isOne = check === true ? probe : !(probe && json);
        if (!isOne) throw new CliError('Use: ninefold spec REF --check FILE, or --check --probe', null, null, TROUBLE);
        if (check !== true) {
          const { committedInput, liveInput } = await comparisons();
          await compare(async () => {
            const client = connect();
            return [await committedInput(client, check, ref), await liveInput(client, ref)];
          }, json);
        }
        if (probe) await probeCells(ref, json);
      } else if (probe) {
        throw new CliError('Use: ninefold spec REF --check --probe', null, null, TROUBLE);
      } else if (options.share) {
        const body: SpecificationLinkRequest = { version: null, days: 30 };
        const path = `/apps/${encodeURIComponent(ref)}/specification/links`;
        process.stdout.write(`${(await connect().post<CreatedSpecificationLink>(path, body)).url}\n`);
      } else {
        await print(connect(), ref, options);
      }
    });
}

async function print(client: Client, ref: string, { format, onePage }: SpecOptions): Promise<void> {
  const path = `/apps/${encodeURIComponent(ref)}/specification`;
  const text =
    format === 'json' && !onePage
      ? (await comparisons()).exportJson(await client.get<Specification>(path))
      : await client.text(`${path}?format=${format}${onePage ? '&extent=one-page' : ''}`);
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/**
 * Probes the permissions, prints the cells whose result differs from the specification, and sets the exit code.
 * @throws CliError with exit code 2.
 */
async function probeCells(ref: string, json = false): Promise<void> {
  try {
    const report = await probeNow(connect(), ref);
    if (json) printJson(report);
    else process.stdout.write(probeWords(report));
    if (report.disagree > 0) process.exitCode = DIFFERENT;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.message, error.code, error.details, TROUBLE);
  }
}

/**
 * Prints the changes from the first specification to the second, and sets the exit code.
 * @throws CliError with exit code 2.
 */
async function compare(sides: () => Promise<[ComparisonInput, ComparisonInput]>, json = false): Promise<void> {
  try {
    const [before, after] = await sides();
    const { isSame, changes } = await (await comparisons()).compareInputs(connect, before, after);
    if (json) printJson(changes);
    else process.stdout.write(isSame ? '' : report(before.title, after.title, changes));
    process.exitCode = isSame ? SAME : DIFFERENT;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.message, error.code, error.details, TROUBLE);
  }
}

function report(before: string, after: string, changes: readonly Change[]): string {
  if (changes.length === 0) return `${before} has another format than ${after}, but the same content.\n`;
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
  return `${count} from ${before} to ${after}:\n${changesText(changes)}`;
}

/** Returns the changes as text, grouped by chapter. */
export function changesText(changes: readonly Change[]): string {
  const names = new Map<string, string>(chapters.map(({ key, number, name }) => [key, `${number} ${name}`]));
  return [...new Set(changes.map(({ chapter }) => chapter))]
    .map((chapter) => {
      const lines = changes.filter((change) => change.chapter === chapter).map(({ words }) => `  ${words}\n`);
      return `\n${names.get(chapter) ?? chapter}\n${lines.join('')}`;
    })
    .join('');
}
