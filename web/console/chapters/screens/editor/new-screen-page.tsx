import { Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { buttonClass } from '../../../../ui/button.tsx';
import { Empty } from '../../../../ui/empty.tsx';
import { shortId } from '../../../format/format.ts';
import { Page } from '../../../layout/page.tsx';
import styles from './editor.module.css';
import { KindDrawing } from './kind-drawing.tsx';
import { isOfEntity, newKinds, type OfferedKind, offBecause, replacedRoute, usualFirst } from './new-design.ts';

/** Page with the kinds of a new screen or page. A kind that the chosen table cannot have says why. */
export function NewScreenPage({
  appRef,
  chapter,
  entities,
  machines,
}: {
  appRef: string;
  chapter: ScreensChapter;
  /** The entities that clients can reach. */
  entities: readonly Entity[];
  /** Ids of the entities with a state machine. */
  machines: ReadonlySet<string>;
}) {
  const [chosen, setChosen] = useState(usualFirst(entities, machines)[0]?.id ?? null);
  const entity = entities.find(({ id }) => id === chosen);
  return (
    <Page
      appRef={appRef}
      crumbs={[
        { text: '2 Screens', link: { to: '/app/$ref/screens', params: { ref: appRef } } },
        { text: 'New screen' },
      ]}
    >
      <h1 className={styles.newTitle}>What do members need?</h1>
      {entities.length === 0 ? (
        <Empty title="Make a table first">
          <p>Screens show rows, and this app has no table that clients can reach.</p>
          <p>
            <Link
              className={buttonClass({ kind: 'first' })}
              to="/app/$ref/data"
              params={{ ref: appRef }}
              search={{ design: 'new' }}
            >
              Create a table
            </Link>
          </p>
        </Empty>
      ) : (
        <Select
          className={styles.newEntity ?? ''}
          label="Rows of"
          searchable={entities.length > 8}
          allowDeselect={false}
          data={entities.map(({ id }) => ({ value: id, label: shortId(id) }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      <ul className={styles.kinds}>
        {newKinds.map((offered) => (
          <Kind key={offered.kind} {...{ appRef, chapter, machines, entity }} {...offered} />
        ))}
      </ul>
    </Page>
  );
}

/** A kind with its drawing, which leads to the editor; without a link, the reason why the entity cannot have it. */
function Kind({
  appRef,
  chapter,
  machines,
  entity,
  kind,
  words,
}: {
  appRef: string;
  chapter: ScreensChapter;
  machines: ReadonlySet<string>;
  entity: Entity | undefined;
} & OfferedKind) {
  const reason = offBecause(kind, entity, entity !== undefined && machines.has(entity.id));
  const existing = entity && replacedRoute(kind, entity, chapter);
  const content = (
    <>
      <KindDrawing kind={kind} />
      <b>{kind.charAt(0).toUpperCase() + kind.slice(1)}</b>
      <span>{reason ?? words}</span>
    </>
  );
  return (
    <li>
      {reason === null ? (
        <Link
          className={styles.kind}
          to="/app/$ref/screens"
          params={{ ref: appRef }}
          search={
            existing ? { edit: existing } : { edit: 'new', kind, ...(isOfEntity(kind) && entity && { of: entity.id }) }
          }
        >
          {content}
        </Link>
      ) : (
        <div className={styles.kind} data-off>
          {content}
          {kind === 'board' && entity && (
            <Link to="/app/$ref/states" params={{ ref: appRef }} search={{ edit: 'new' }}>
              Draw a state machine
            </Link>
          )}
        </div>
      )}
    </li>
  );
}
