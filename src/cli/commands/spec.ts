import { type Command, Option } from 'commander';
import { connect } from '../client.ts';

/** `ninefold spec`. */
export function addSpecCommand(program: Command): void {
  program
    .command('spec')
    .description('the specification of an app, derived from what runs')
    .argument('<ref>')
    .addOption(new Option('--format <format>', 'of the output').choices(['markdown', 'json']).default('markdown'))
    .action(async (ref: string, options: { format: string }) => {
      const path = `/apps/${encodeURIComponent(ref)}/specification?format=${options.format}`;
      const text = await connect().text(path);
      process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    });
}
