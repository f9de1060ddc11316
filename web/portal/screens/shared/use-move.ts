import { useMutation } from '@tanstack/react-query';
import type { PortalEntity, PortalMachine, PortalTransition } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import type { Row } from '../../queries/rest.ts';
import { useScreens } from '../../queries/screens.ts';
import { takeTransition } from '../../queries/transitions.ts';
import { undoTransition } from '../../queries/undo.ts';
import { useToast } from './toast.tsx';

/** Returns a mutation that makes transitions, and a function that makes one and then offers to undo it. */
export function useMove(entity: PortalEntity, machine: PortalMachine) {
  const portal = usePortal();
  const all = useScreens();
  const toast = useToast();
  const taking = useMutation(takeTransition(portal, entity, machine));
  /** @param onAnswer Is called with true if the row was moved, and with false if another caller has moved it. */
  const move = (row: Row, transition: PortalTransition, values: Row, onAnswer = (_isMoved: boolean) => {}) => {
    toast(null);
    taking.mutate(
      { row, to: transition.to, values },
      {
        onSuccess: async (result) => {
          onAnswer(result === 'moved');
          if (result !== 'moved') return;
          const undo = await undoTransition(portal, all, { entity, machine }, row);
          toast({ words: t('fieldWrong', { label: rowName(all, entity, row), words: `${transition.label}.` }), undo });
        },
      },
    );
  };
  return { taking, move };
}
