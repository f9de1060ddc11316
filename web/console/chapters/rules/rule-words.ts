import type { ErrorLine, Rule } from '../../../../contract/specification.ts';
import type { TriedRule } from '../../queries/rules.ts';
import { identifier } from '../../queries/sql.ts';

/**
 * Returns the expression within `CHECK ( … )`, as PostgreSQL prints it; null for a rule that is no check of a table.
 */
export function checkExpression({ kind, sql }: Pick<Rule, 'kind' | 'sql'>): string | null {
  if (kind !== 'check') return null;
  const inner = /^CHECK \((.*)\)(?: NO INHERIT)?(?: NOT ENFORCED)?(?: NOT VALID)?$/s.exec(sql)?.[1];
  if (inner === undefined) return null;
  return isWrapped(inner) ? inner.slice(1, -1) : inner;
}

/**
 * Returns true if the last parenthesis closes the first one. `(a) and (b)` is not wrapped. Parentheses in texts are
 * ignored.
 */
function isWrapped(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false;
  let depth = 0;
  const bare = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => 'x'.repeat(quoted.length));
  for (let at = 0; at < bare.length; at++) {
    if (bare[at] === '(') depth += 1;
    if (bare[at] === ')') depth -= 1;
    if (depth === 0 && at < bare.length - 1) return false;
  }
  return true;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Returns SQL that sets the description of a rule as a comment; null if the rule is neither a constraint nor an index.
 */
export function commentSql({ kind, name, entity, sql, words, comment }: Rule): string | null {
  if (kind === 'type' || kind === 'files' || name === 'required' || name.endsWith(' not null')) return null;
  const on = () => {
    if (/^CREATE UNIQUE INDEX/i.test(sql)) {
      // An index has the schema of its table, which the id of the entity starts with.
      const schema = /^(?:"(?:[^"]|"")*"|[^".]+)/.exec(entity)?.[0] ?? 'public';
      return `index ${schema}.${identifier(name)}`;
    }
    const domain = kind === 'check' ? /^(\S.*?) CHECK \(/s.exec(sql)?.[1] : undefined;
    return domain === undefined
      ? `constraint ${identifier(name)} on ${entity}`
      : `constraint ${identifier(name)} on domain ${domain}`;
  };
  return `comment on ${on()}\n  is ${literal(comment ?? words)};`;
}

/** Describes the rows that a rule applies to, if the rule does not apply to all rows. */
export const boundRows: Readonly<Record<Rule['applies_to'], string>> = {
  'all rows': 'all rows',
  'new and changed rows': 'new and changed rows; older rows may violate the rule (NOT VALID)',
  'no row': 'no row: it is not enforced',
  uploads: 'files that members upload on the pages; the limits of the bucket bind every upload',
};

/** Returns SQL that validates the existing rows; null if PostgreSQL has validated them or has nothing to validate. */
export const validateSql = ({ applies_to, entity, name }: Rule): string | null =>
  applies_to === 'new and changed rows' ? `alter table ${entity}\n  validate constraint ${identifier(name)};` : null;

/** Returns SQL that adds a tested rule. If existing rows break the rule, the check applies only to new rows. */
export function keepSql(table: string, rule: TriedRule, broken: number): string {
  if (rule.kind === 'required') {
    const changes = rule.fields.map((field) => `  alter column ${identifier(field)} set not null`);
    return `alter table ${table}\n${changes.join(',\n')};`;
  }
  const constraint =
    rule.kind === 'unique'
      ? `unique (${rule.fields.map(identifier).join(', ')})`
      : `check (${rule.expression.trim()})${broken > 0 ? '\n  not valid' : ''}`;
  return `alter table ${table}
  add constraint name_of_the_rule
  ${constraint};
comment on constraint name_of_the_rule on ${table}
  is 'Description of the rule';`;
}

/** Returns how often each rule was broken in 24 hours, by the id of the rule. Rules that held are missing. Pure. */
export const brokenRules = (errors: readonly ErrorLine[]): ReadonlyMap<string, number> =>
  new Map(
    errors.flatMap(({ group, origin, figures }) =>
      group === 'rule' && origin !== null && figures && figures.day > 0 ? [[origin, figures.day] as const] : [],
    ),
  );

/**
 * Returns the position of a rule in its entity: first those that the app's authors have thought of, then references and
 * types, then keys.
 */
export function rankOfRule({ kind, comment }: Pick<Rule, 'kind' | 'comment'>): number {
  if (kind === 'check' || kind === 'exclusion' || kind === 'unique' || comment !== null) return 0;
  return kind === 'primary key' || kind === 'required' ? 2 : 1;
}
