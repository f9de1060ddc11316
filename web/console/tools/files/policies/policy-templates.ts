import { sqlName } from '../../../../../contract/entity-names.ts';
import { literal } from '../../../queries/sql.ts';

/** A typical policy on the files of a bucket. */
export interface PolicyTemplate {
  readonly key: 'own-folder' | 'public-read' | 'member-read' | 'member-upload';
  readonly name: string;
  readonly words: string;
}

export const policyTemplates: readonly PolicyTemplate[] = [
  {
    key: 'own-folder',
    name: 'Own folder',
    words: 'Members read, add, change and delete files whose first folder is their own id.',
  },
  {
    key: 'member-upload',
    name: 'Members upload',
    words: 'Members add files, and read and delete those that they added.',
  },
  { key: 'member-read', name: 'Members read', words: 'Members read every file.' },
  { key: 'public-read', name: 'Public read', words: 'Everybody reads and lists every file, also without a session.' },
];

type Command = 'select' | 'insert' | 'update' | 'delete' | 'all';

interface PolicyParts {
  name: string;
  command: Command;
  roles: string;
  condition: string;
}

/** PostgreSQL cuts names after 63 bytes. */
const NAME_BYTES = 63;

/** Returns the migration that adds the policies of a template to a bucket, and the one that takes them back. Pure. */
export function policyMigration(
  key: PolicyTemplate['key'],
  bucket: string,
  taken: ReadonlySet<string>,
): { sql: string; undo: string } {
  const policies = partsOf(key, bucket).map((parts) => ({ ...parts, name: freeName(parts.name, taken) }));
  return {
    sql: policies.map(policySql).join('\n\n'),
    undo: policies.map(({ name }) => `drop policy ${sqlName(name)} on storage.objects;`).join('\n'),
  };
}

function partsOf(key: PolicyTemplate['key'], bucket: string): PolicyParts[] {
  const inBucket = `bucket_id = ${literal(bucket)}`;
  const member = { roles: 'authenticated' };
  const own = `${inBucket} and owner_id = (select auth.uid()::text)`;
  switch (key) {
    case 'own-folder': {
      const condition = `${inBucket} and (storage.foldername(name))[1] = (select auth.uid()::text)`;
      return [{ ...member, name: `own folder in ${bucket}`, command: 'all', condition }];
    }
    case 'member-upload':
      return [
        { ...member, name: `members add to ${bucket}`, command: 'insert', condition: inBucket },
        { ...member, name: `members read own files of ${bucket}`, command: 'select', condition: own },
        { ...member, name: `members delete own files of ${bucket}`, command: 'delete', condition: own },
      ];
    case 'member-read':
      return [{ ...member, name: `members read ${bucket}`, command: 'select', condition: inBucket }];
    case 'public-read':
      return [
        { name: `everybody reads ${bucket}`, command: 'select', roles: 'anon, authenticated', condition: inBucket },
      ];
  }
}

function policySql({ name, command, roles, condition }: PolicyParts): string {
  const clause = command === 'insert' ? 'with check' : 'using';
  return [
    `create policy ${sqlName(name)} on storage.objects`,
    `  for ${command} to ${roles}`,
    `  ${clause} (${condition});`,
  ].join('\n');
}

/** Returns a name that no policy on storage.objects has, within the length that PostgreSQL stores. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const ending = n === 1 ? '' : ` ${n}`;
    const cut = cutToBytes(name, NAME_BYTES - ending.length) + ending;
    if (!taken.has(cut)) return cut;
  }
}

function cutToBytes(text: string, max: number): string {
  const characters = [...text];
  while (new TextEncoder().encode(characters.join('')).length > max) characters.pop();
  return characters.join('');
}

/** Returns the name of the file of a migration. Pure. */
export const policyMigrationName = (key: PolicyTemplate['key'], bucket: string, now: Date): string =>
  `${now.toISOString().replace(/\D/g, '').slice(0, 14)}_${key.replaceAll('-', '_')}_${bucket.toLowerCase().replace(/[^a-z0-9]+/g, '_')}.sql`;
