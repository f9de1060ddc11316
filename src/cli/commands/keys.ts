import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type {
  AddSigningKeysRequest,
  AppConnection,
  RotateKeysRequest,
  SigningKeyEntry,
} from '../../../contract/admin.ts';
import { CliError, connect } from '../client.ts';
import { printConnection, printJson, printSnippets, printTable } from '../print.ts';

const pathOf = (ref: string): string => `/apps/${encodeURIComponent(ref)}/keys`;

function print(keys: readonly SigningKeyEntry[], { json = false }: { json?: boolean }): void {
  if (json) printJson(keys);
  else {
    printTable(
      ['key id', 'algorithm', 'state', 'since'],
      keys.map(({ kid, alg, state, changed_at: since }) => [kid, alg, state, since ?? '–']),
    );
  }
}

/** Adds the commands `ninefold keys …`. */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('how to connect to an app, and the keys that sign its access tokens');

  keys
    .command('show', { isDefault: true })
    .description('how to connect to an app: ninefold keys REF')
    .argument('<ref>')
    .option('--json', 'print JSON')
    .action(async (ref: string, options: { json?: boolean }) => {
      const connection = await connect().get<AppConnection>(`/apps/${encodeURIComponent(ref)}/connection`);
      printConnection(connection, options.json ?? false);
      if (!options.json) printSnippets(connection);
    });

  keys
    .command('list')
    .description('all signing keys of an app')
    .argument('<ref>')
    .option('--json', 'print JSON')
    .action(async (ref: string, options: { json?: boolean }) =>
      print(await connect().get<SigningKeyEntry[]>(pathOf(ref)), options),
    );

  keys
    .command('add')
    .description('create a standby key: it is published, but signs nothing until you rotate the keys')
    .argument('<ref>')
    .option('--alg <algorithm>', 'ES256, RS256 or EdDSA', 'ES256')
    .option('--json', 'print JSON')
    .action(async (ref: string, options: { alg: string; json?: boolean }) => {
      const body = { alg: options.alg } as AddSigningKeysRequest;
      print(await connect().post<SigningKeyEntry[]>(pathOf(ref), body), options);
    });

  keys
    .command('import')
    .description('import a private JWK or JWKS as standby keys')
    .argument('<ref>')
    .argument('<file>', 'JSON; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (ref: string, file: string, options: { json?: boolean }) => {
      print(await connect().post<SigningKeyEntry[]>(pathOf(ref), { jwk: readJwk(file) }), options);
    });

  keys
    .command('rotate')
    .description('sign new access tokens with the newest standby key; tokens of the current key stay valid')
    .argument('<ref>')
    .argument('[kid]', 'a key other than the newest standby key')
    .option('--json', 'print JSON')
    .action(async (ref: string, kid: string | undefined, options: { json?: boolean }) => {
      const body: RotateKeysRequest = kid === undefined ? {} : { kid };
      print(await connect().post<SigningKeyEntry[]>(`${pathOf(ref)}/rotate`, body), options);
    });

  keys
    .command('revoke')
    .description('refuse the tokens of a key, and erase its private half')
    .argument('<ref>')
    .argument('<kid>')
    .option('--json', 'print JSON')
    .action(async (ref: string, kid: string, options: { json?: boolean }) => {
      const path = `${pathOf(ref)}/${encodeURIComponent(kid)}/revoke`;
      print(await connect().post<SigningKeyEntry[]>(path, {}), options);
    });
}

function readJwk(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    // The message of a SyntaxError is not shown, because JSON.parse quotes the text, which contains a private key.
    if (!(error instanceof SyntaxError)) throw new CliError(error instanceof Error ? error.message : String(error));
  }
  throw new CliError(`${file} contains no JSON object.`);
}
