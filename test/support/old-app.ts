import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clone } from './clone.ts';
import { inDatabase, superuserUrl, withClient } from './database.ts';
import type { NodeAddress } from './node.ts';

const names = readdirSync(join(clone, 'src/schema'))
  .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
  .map((file) => file.replace(/\.sql$/, ''))
  .sort();
const textOf = (name: string) => readFileSync(join(clone, 'src/schema', `${name}.sql`), 'utf8');

/**
 * Name of the newest schema file that creates a table. An app of the previous release lacks it and all later files. The
 * later files only replace definitions, so applying them twice has the effect of applying them once.
 */
export const newest = names.findLast((name) => /^create (?:unlogged )?table/m.test(textOf(name))) ?? '';
/** Name of the last schema file of all. */
export const last = names.at(-1) ?? '';
const previous = names[names.indexOf(newest) - 1] ?? '';

/**
 * Statements that need no undoing: the owner, the triggers and the policies of an object go with the object, event triggers with their
 * function, and a block creates indexes and triggers.
 */
const undone =
  /^(?:alter (?:table|function|sequence) ninefold\.\w+(?:\([\w", ]*\))? owner to \w+;|alter (?:table ninefold\.\w+ enable|event trigger \w+ enable) always\b.*|alter table ninefold\.\w+ enable row level security;|do \$\$)$/;

/** The objects that this file creates: their kinds and names. */
const created = (() => {
  const sql = textOf(newest);
  // The undoing of other statements would need the earlier definitions.
  const other = [...sql.matchAll(/^(?:alter|drop|update|insert|delete|do)\b.*/gm)].find(([text]) => !undone.test(text));
  if (other) throw new Error(`${newest} contains “${other[0]}”, which this file cannot undo: extend it`);
  const objects = [...sql.matchAll(/^create (?:unlogged )?(table|function|type|sequence) (ninefold\.\w+)/gm)];
  const indexes = [...sql.matchAll(/^ +create (index) (\w+) on storage\./gm)];
  return [...objects, ...indexes].map(([, kind, name]) => ({
    kind,
    name: kind === 'index' ? `storage.${name}` : name,
  }));
})();

const conflicting = created.find(({ kind }) => kind === 'table')?.name ?? '';

/** An object that prevents the update of an app, and PostgreSQL's message. */
export const conflict = {
  create: `create table ${conflicting} (mine int)`,
  drop: `drop table ${conflicting}`,
  message: `relation "${conflicting.replace('ninefold.', '')}" already exists`,
};

/**
 * Takes the newest schema file away from an app, as if the previous release had created the app. Then runs `sql` as the
 * superuser. The node notices the change like any other change of an app.
 */
export async function makeOld(node: NodeAddress, ref: string, sql = ''): Promise<void> {
  await undoNewest(await superuserUrl(node, `app_${ref}`), sql);
  await recordSchemaFile(node, ref, previous);
}

/** Stores the name of the last schema file of an app in the console's database. */
export async function recordSchemaFile(node: NodeAddress, ref: string, file: string): Promise<void> {
  await withClient(await superuserUrl(node, 'app_console'), (client) =>
    client.query('update public.apps set schema_file = $2 where ref = $1', [ref, file]),
  );
}

/**
 * Takes the newest schema file away from the template and the console. Every app must have been made old before, and the
 * node must be restarted afterwards.
 */
export async function makeNodeOld(node: NodeAddress): Promise<void> {
  const url = await superuserUrl(node, 'app_console');
  await undoNewest(inDatabase(url, 'ninefold_template'), '');
  await recordSchemaFile(node, 'console', previous);
  await undoNewest(url, '');
}

async function undoNewest(url: string, sql: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const { kind, name } of [...created].reverse()) await client.query(`drop ${kind} ${name} cascade`);
    await client.query(`delete from ninefold.schema_files where name >= $1 and name !~ '^console/'`, [newest]);
    await client.query(sql);
  });
}
