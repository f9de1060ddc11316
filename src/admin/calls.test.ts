import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clone } from '../../test/support/clone.ts';
import { type AdminCall, adminCall } from './call.ts';
import { adminCalls, callsBySubject } from './calls.ts';
import { noContent } from './reply.ts';

const page = join(clone, 'docs/management-api.md');

/** Returns the calls by their routes, in alphabetical order. */
const byRoute = (): AdminCall[] => adminCalls.toSorted((a, b) => (a.route < b.route ? -1 : 1));

const doesOf = ({ sensitive }: AdminCall): string | undefined =>
  typeof sensitive === 'object' ? sensitive.does : sensitive;

/** Returns the fields of a JSON body: `{name, template?}`; '' for a call without a schema. */
function bodyOf({ body }: AdminCall): string {
  if (body === undefined) return '';
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  const fields = Object.keys(schema.properties ?? {}).map((name) => (required.has(name) ? name : `${name}?`));
  return `\`{${fields.join(', ')}}\``;
}

/** Returns what a call does, in sentences. */
function wordsOf(call: AdminCall): string {
  const { summary, sensitive, audit, errors = [] } = call;
  const only = typeof sensitive === 'object' ? ` (${sensitive.only})` : '';
  return [
    summary,
    ...(sensitive === undefined ? [] : [`Needs a recent proof of identity${only}.`]),
    ...(audit === undefined ? [] : [`Logged as \`${audit.action}\`.`]),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.map((code) => `\`${code}\``).join(', ')}.`]),
  ].join(' ');
}

/** Returns a cell of a table, in which `|` ends a cell unless it is escaped. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = (call: AdminCall): string => {
  const parameters = (call.query ?? []).join(', ');
  const given = parameters === '' ? bodyOf(call) : `\`?${parameters}\``;
  const cells = [`\`${call.route}\``, call.least, given || '–', call.returns ?? '–', wordsOf(call)];
  return `| ${cells.map(cell).join(' | ')} |`;
};

const sections = (): string =>
  Object.entries(callsBySubject)
    .map(
      ([subject, calls]) =>
        `## ${subject}\n\n| Call | Least role | Body or query | Response | Meaning |\n| --- | --- | --- | --- | --- |\n${calls.map(row).join('\n')}\n`,
    )
    .join('\n');

/** Returns an object as JSON with one line for each entry, in the form of the formatter. */
const lines = (entries: readonly (readonly [string, string | undefined])[]): string =>
  entries.map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',\n');

describe('the calls of the management API', () => {
  it('docs/management-api.md describes every call below its introduction', async () => {
    const introduction = readFileSync(page, 'utf8').split(/^## /m)[0];
    await expect(`${introduction}${sections()}`).toMatchFileSnapshot(page);
  });

  it('contract/generated has the role and the proof of every call, for the console', async () => {
    const closed = byRoute().filter(({ least }) => least !== 'open');
    const roles = lines(closed.map(({ route, least }) => [route, least]));
    const proofs = lines(closed.filter(doesOf).map((call) => [call.route, doesOf(call)]));
    await expect(
      `{\n  "leastRoles": {\n${roles}\n  },\n  "sensitiveCalls": {\n${proofs}\n  }\n}\n`,
    ).toMatchFileSnapshot(join(clone, 'contract/generated/admin-calls.json'));
  });

  it('every call has a role and words; a definition without them does not compile', () => {
    const parts = { route: 'GET /example', handle: () => Promise.resolve(noContent()) } as const;
    // @ts-expect-error The role is missing.
    const withoutRole = adminCall({ ...parts, summary: 'Returns nothing.' });
    // @ts-expect-error The words are missing.
    const withoutWords = adminCall({ ...parts, least: 'builder' });
    const lacks = ({ least, summary }: AdminCall): boolean => !least || !summary;
    expect([...adminCalls, withoutRole, withoutWords].filter(lacks)).toEqual([withoutRole, withoutWords]);
  });

  it('no two calls share a route, and a path is either open or not', () => {
    expect(new Set(adminCalls.map(({ route }) => route)).size).toBe(adminCalls.length);
    const open = adminCalls.filter(({ least }) => least === 'open').map(({ route }) => route.split(' ')[1]);
    expect(adminCalls.filter(({ route, least }) => least !== 'open' && open.includes(route.split(' ')[1]))).toEqual([]);
    expect(adminCalls.filter(({ least, audit, sensitive }) => least === 'open' && (audit || sensitive))).toEqual([]);
  });

  it('have a role on the app as their minimum role if they are below an app', () => {
    const ofApps = adminCalls.filter(({ route }) => route.includes(' /apps/:ref'));
    expect(ofApps.filter(({ least }) => !['owner', 'developer', 'reader'].includes(least))).toEqual([]);
    const ofNode = adminCalls.filter((call) => !ofApps.includes(call));
    expect(ofNode.filter(({ least }) => ['owner', 'developer', 'reader'].includes(least))).toEqual([]);
  });

  it('name types of contract as their responses', () => {
    const folder = join(clone, 'contract');
    const text = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const names = adminCalls.flatMap(({ returns = '' }) => returns.match(/\b[A-Z][a-z]\w+/g) ?? []);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !new RegExp(`^export (?:interface|type) ${name}\\b`, 'm').test(text))).toEqual([]);
  });
});
