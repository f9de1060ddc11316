import type { RolesChapter } from '../../../../../contract/specification-roles.ts';
import type { ChapterRole } from '../../../../access/calling-roles.ts';
import type { Membership } from '../../../../access/membership.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import { groupBy } from '../../../../catalog/group.ts';

/** Words for privileges, in the order in which sentences list them. */
const verbs = {
  tables: { SELECT: 'read', INSERT: 'add', UPDATE: 'change', DELETE: 'delete' },
  sequences: { USAGE: 'take numbers from', SELECT: 'read', UPDATE: 'set' },
  functions: { EXECUTE: 'call' },
} as const;

/**
 * Returns the default privileges: the operations that each role may perform on new tables, sequences and functions.
 * Default privileges do not enable row-level security.
 */
export function defaultPrivileges(
  facts: Pick<DecisionFacts, 'default_grants' | 'exposedSchemas'>,
  roles: readonly ChapterRole[],
  membership: Membership,
): RolesChapter['default_privileges'] {
  const ofDatabase = roles.filter(({ caller }) => caller.memberRole === null);
  return facts.exposedSchemas.flatMap((schema) =>
    facts.default_grants
      .filter((one) => one.schema === schema)
      .map(({ of, grants }) => {
        const held = (role: ChapterRole): string =>
          Object.entries(verbs[of])
            .filter(([privilege]) =>
              grants.some(
                ([grantee, granted]) =>
                  granted === privilege && (grantee === 0 || membership.hasPrivilegesOf(role.fact.oid, grantee)),
              ),
            )
            .map(([, verb]) => verb)
            .join(', ');
        const alike = [...groupBy(ofDatabase, held)].filter(([may]) => may !== '');
        const who = alike.map(([may, those]) => `${those.map(({ name }) => name).join(', ')} may ${may}`).join('; ');
        const rest = who === '' ? 'nobody may do anything before it is granted' : who;
        return { id: `${of} in ${schema}`, words: `New ${of} in ${schema}: ${rest}.` };
      }),
  );
}
