import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Builder, BuilderPasswordRequest } from '../../../contract/admin.ts';
import type { BuilderLink } from '../../../contract/team.ts';
import { connect } from '../client.ts';
import { printJson, printTable } from '../print.ts';

/** Adds the commands `ninefold builders …`. */
export function addBuilderCommands(program: Command): void {
  const builders = program.command('builders').description('list builders, set a password, recover an account');

  builders
    .command('list')
    .description('all builders of the node')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const list = await connect().get<Builder[]>('/builders');
      if (options.json) return printJson(list);
      printTable(
        ['email', 'name', 'on the node', 'apps', 'last sign-in'],
        list.map((builder) => [
          builder.email,
          builder.name,
          builder.is_owner ? 'owner' : builder.creates_apps ? 'creates apps' : 'member',
          Object.entries(builder.apps)
            .map(([ref, role]) => `${ref}: ${role}`)
            .join(', '),
          builder.last_sign_in_at ?? 'never',
        ]),
      );
    });

  builders
    .command('password')
    .description('set the password of a builder and end their sessions')
    .argument('<email>')
    .action(async (email: string) => {
      const body: BuilderPasswordRequest = { email, password: await readPassword() };
      await connect().put('/builders/password', body);
      process.stdout.write(`${email} has a new password.\n`);
    });

  builders
    .command('recover')
    .description('print a link with which a builder sets a new password; it works once, for 15 minutes')
    .argument('<email>')
    .option('--remove-second-factor', 'remove the second factors and recovery codes of the builder too')
    .action(async (email: string, { removeSecondFactor = false }: { removeSecondFactor?: boolean }) => {
      const body = { email, remove_second_factor: removeSecondFactor };
      const { url } = await connect().post<BuilderLink>('/builders/recover', body);
      process.stdout.write(`${url}\n`);
    });
}

/** Reads a password from the terminal without showing it, or from the first line of standard input. */
async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return readFileSync(0, 'utf8').split(/\r?\n/)[0] ?? '';
  process.stderr.write('New password (is not shown): ');
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: hidden, terminal: true });
  try {
    return await reader.question('');
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}
