import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import { Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { counted, listed, shortId } from '../../format/format.ts';
import styles from './field-page.module.css';
import { type FieldUsage, names } from './field-usage.ts';

/** Table of the access of each role to a field. */
export function FieldAccess({ appRef, story, stale }: { appRef: string; story: FieldUsage; stale: boolean }) {
  const { entity } = story;
  return (
    <div className={styles.access}>
      <Table label="Access by role" stale={stale}>
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">Read</th>
            <th scope="col">Insert</th>
            <th scope="col">Update</th>
          </tr>
        </thead>
        <tbody>
          {story.access.map(({ role, read, insert, update }) => (
            <tr key={role.name}>
              <td>
                <code>{role.name}</code>
              </td>
              {[['select', read] as const, ['insert', insert] as const, ['update', update] as const].map(
                ([operation, verdict]) => (
                  <td key={operation}>
                    <Link
                      to="/app/$ref/roles"
                      params={{ ref: appRef }}
                      search={{ cell: `${entity.id} ${operation} ${role.name}` }}
                      className={styles.verdict ?? ''}
                      aria-label={`${operation} by ${role.name}: ${verdict}`}
                    >
                      <Verdict of={verdict} />
                    </Link>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** A use of the field: its kind, a link and a description. */
interface Use {
  id: string;
  what: string;
  link: ReactNode;
  words: string;
}

/** Lists the rules, policies, machines and screens that use the field. */
export function FieldUses({ appRef, story, stale }: { appRef: string; story: FieldUsage; stale: boolean }) {
  const uses = usesOf(appRef, story);
  if (uses.length === 0) {
    return <p className={styles.none}>No rule, policy, screen or machine uses the field.</p>;
  }
  return (
    <Table label="Uses" stale={stale}>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Name</th>
          <th scope="col" className={styles.words}>
            How
          </th>
        </tr>
      </thead>
      <tbody>
        {uses.map(({ id, what, link, words }) => (
          <tr key={id}>
            <td className="soft">{what}</td>
            <td className={styles.which}>{link}</td>
            <td className={styles.words} title={words}>
              {words}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function usesOf(appRef: string, { entity, rules, policies, screens, machines, field }: FieldUsage): Use[] {
  const params = { ref: appRef };
  return [
    ...rules.map(
      ({ id, name, words }): Use => ({
        id: `rule ${id}`,
        what: 'rule',
        link: (
          <Link to="/app/$ref/rules" params={params} search={{ rule: id }}>
            {name}
          </Link>
        ),
        words,
      }),
    ),
    ...policies.map(
      ({ name, command, roles, words, sql }): Use => ({
        id: `policy ${name}`,
        what: 'policy',
        link: (
          <Link to="/app/$ref/sql" params={params} search={{ sql }}>
            {name}
          </Link>
        ),
        words: `${command} for ${listed(roles)}: ${words}`,
      }),
    ),
    ...machines.map(
      ({ machine, moves, transitions }): Use => ({
        id: `machine ${machine.id}`,
        what: 'machine',
        link: (
          <Link to="/app/$ref/states" params={params} search={{ machine: machine.id }}>
            {shortId(machine.id)}
          </Link>
        ),
        words: moves
          ? `moves it through ${counted(machine.states.length, 'state')}`
          : `${listed(transitions)} ${transitions.length === 1 ? 'checks, requires or sets it' : 'check, require or set it'}`,
      }),
    ),
    ...screens.map(
      ({ route, title, kind, columns }): Use => ({
        id: `screen ${route}`,
        what: 'screen',
        link: (
          <Link to="/app/$ref/screens" params={params} search={{ screen: route }}>
            <code>{route}</code>
          </Link>
        ),
        words: `${title} (${kind})${columns.includes(field.name) ? '' : ', by its filter or order'}`,
      }),
    ),
    ...entity.triggers
      .filter((trigger) => !isMachineTrigger(trigger) && names(trigger.sql, field.name))
      .map(
        ({ name, sql, comment }): Use => ({
          id: `trigger ${name}`,
          what: 'trigger',
          link: (
            <Link to="/app/$ref/entities" params={params} search={{ entity: entity.id }}>
              {name}
            </Link>
          ),
          words: comment ?? sql,
        }),
      ),
  ];
}
