import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../../../language/messages.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import type { Row } from '../../queries/rest.ts';
import { rowPath, useScreens } from '../../queries/screens.ts';
import { missingFor, waysOf } from '../../queries/transitions.ts';
import type { MovableEntity } from '../../queries/waiting.ts';
import { Trouble } from './trouble.tsx';
import { useMove } from './use-move.ts';

/** Max number of buttons of a row. */
const BUTTONS = 2;

/**
 * Returns the first open transitions of a row as buttons, and what happened to the last one. A transition that needs a
 * value leads to the page of the row.
 */
export function useQuickTransitions(
  entity: MovableEntity,
  row: Row,
): { readonly buttons: readonly ReactNode[]; readonly outcome: ReactNode } {
  const { machine } = entity;
  const all = useScreens();
  const { taking, move } = useMove(entity, machine);
  const path = rowPath(all, entity, row) ?? '/';
  const open = waysOf(machine, row).filter(({ isOpen }) => isOpen);
  const buttons = open.slice(0, BUTTONS).map(({ transition }) =>
    missingFor(transition, row).length > 0 ? (
      <Link
        key={transition.name}
        to={path}
        search={{ take: transition.name } as never}
        className={buttonClass({ small: true })}
      >
        {transition.label}
      </Link>
    ) : (
      <Button
        key={transition.name}
        small
        busy={taking.isPending && taking.variables?.to === transition.to && t('working')}
        onClick={() => move(row, transition, {})}
      >
        {transition.label}
      </Button>
    ),
  );
  const outcome = (
    <>
      {taking.data !== undefined && taking.data !== 'moved' && (
        <p role="alert">{t(taking.data === 'changed' ? 'movedOn' : 'ruleRefuses')}</p>
      )}
      <Trouble error={taking.error} />
    </>
  );
  return { buttons, outcome };
}
