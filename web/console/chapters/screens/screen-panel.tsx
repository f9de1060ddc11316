import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Screen } from '../../../../contract/description.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { VerdictMark } from '../../../ui/verdict.tsx';
import { listed, shortId } from '../../format/format.ts';
import { SqlLink } from '../../layout/sql-link.tsx';
import { readScreen } from './editor/definitions.ts';
import { defineSql, dropSql } from './editor/definitions-sql.ts';
import styles from './screens.module.css';

const kinds: Readonly<Record<Screen['kind'], string>> = {
  list: 'A list of',
  detail: 'One row of',
  form: 'A form for',
  board: 'A board of',
  calendar: 'A calendar of',
  gallery: 'A gallery of',
  figures: 'Figures of',
};

const origins: Readonly<Record<Screen['origin'], string>> = {
  derived: 'derived from the entity',
  defined: 'defined by ninefold.define_screen',
  'defined in place of a derived one': 'defined by ninefold.define_screen, replaces the screen derived from the entity',
};

/** Panel of a screen: its content, its roles, the reason why it is broken, and the SQL that changes it. */
export function ScreenPanel({
  appRef,
  screen,
  ...steps
}: {
  appRef: string;
  screen: Screen;
} & PanelSteps) {
  const { route, title, kind, entity, origin, roles, state_field, broken } = screen;
  // As a start for editing, the SQL names the fields even if they follow from the entity.
  const define = defineSql({ ...readScreen(screen), columns: screen.columns });
  const drop = origin === 'derived' ? null : dropSql(readScreen(screen));
  return (
    <Panel
      label={`Screen ${route}`}
      title={
        <>
          <code>{route}</code> <span className="soft">{kind}</span>
        </>
      }
      {...steps}
    >
      <VerdictLine>
        {title}. {kinds[kind]} {shortId(entity)}
        {state_field === null ? '' : `, a column for each ${state_field}`}.
      </VerdictLine>
      {broken.length > 0 && (
        <PanelSection title="Broken">
          <ul className={styles.broken}>
            {broken.map((reason) => (
              <li key={reason}>
                <VerdictMark of="disagrees" /> {reason}
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
      <PanelSection title="Content">
        <KeyValues
          pairs={[
            [
              'Entity',
              <Link key="entity" to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity }}>
                <code>{shortId(entity)}</code>
              </Link>,
            ],
            ...fieldsOf(screen).map(([of, names]): [string, ReactNode] => [
              of,
              names.length > 0 ? <code key={of}>{names.join(', ')}</code> : 'none',
            ]),
            ...rowsOf(screen),
            ['Roles', roles.length > 0 ? listed(roles) : 'no role'],
            ['Origin', origins[origin]],
          ]}
        />
      </PanelSection>
      <PanelSection title={origin === 'derived' ? 'Replace this screen' : 'Change this screen'}>
        <Code code={define} language="sql" label="the SQL of the screen" />
        <p className={styles.foot}>
          <Link
            className={buttonClass({ small: true })}
            to="/app/$ref/screens"
            params={{ ref: appRef }}
            search={{ edit: route }}
          >
            Edit screen
          </Link>
          <SqlLink appRef={appRef} sql={define} />
        </p>
      </PanelSection>
      {drop !== null && (
        <PanelSection title="Delete this screen">
          <Code code={drop} language="sql" label="the SQL that deletes it" />
        </PanelSection>
      )}
    </Panel>
  );
}

/** Describes the rows of a screen and their order. For forms and detail pages, only if the definition contains them. */
function rowsOf({ kind, filter, order_by, group_by, related, actions }: Screen): [string, ReactNode][] {
  const many = kind !== 'detail' && kind !== 'form';
  const said: [of: string, value: string | null, otherwise: string][] = [
    ['Rows', filter, 'all readable rows'],
    ['Order', order_by, 'none'],
  ];
  const extras: typeof said = [
    ['Groups', group_by ?? null, ''],
    ['Related', related?.join(', ') ?? null, ''],
    ['Actions', actions?.join(', ') ?? null, ''],
  ];
  return [...said.filter(([, value]) => many || value !== null), ...extras.filter(([, value]) => value !== null)].map(
    ([of, value, otherwise]) => [of, value === null ? otherwise : <code key={of}>{value}</code>],
  );
}

/** Returns the fields of a form. Fields of new rows and of changes are listed separately if they differ. */
const fieldsOf = ({ columns, fields }: Screen): [of: string, names: readonly string[]][] =>
  fields
    ? [
        ['Of a new row', fields.insert],
        ['Of a change', fields.update],
      ]
    : [['Fields', columns]];
