import { type Command, Option } from 'commander';
import { connect } from '../client.ts';

/** Adds the command `ninefold types`. */
export function addTypesCommand(program: Command): void {
  program
    .command('types')
    .description('the entities of an app for programs: the Database type that supabase-js takes')
    .argument('<ref>')
    .addOption(new Option('--zod', 'zod schemas of what may be inserted and updated').conflicts('jsonSchema'))
    .option('--json-schema', 'the same as JSON Schema 2020-12')
    .action(async (ref: string, options: { zod?: boolean; jsonSchema?: boolean }) => {
      const format = options.zod ? 'zod' : options.jsonSchema ? 'json-schema' : 'typescript';
      process.stdout.write(await connect().text(`/apps/${encodeURIComponent(ref)}/types?format=${format}`));
    });
}
