import { NativeSelect } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { Machine } from '../../../../../contract/states.ts';
import { Button } from '../../../../ui/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { counted } from '../../../format/format.ts';
import { FormSection } from '../../../migrations/form-section.tsx';
import { rowsOf } from '../machine-words.ts';
import styles from './editor.module.css';
import { usedStates } from './machine-design.ts';
import { rowEffects } from './row-effects.ts';
import type { MachineState } from './use-machine.ts';

/** Says what the machine of the form means for the rows that exist, and how to keep them whole. */
export function RowEffects({ before, state }: { before: Machine | null; state: MachineState }) {
  const { design } = state;
  const effects = rowEffects(before, design);
  const rows = before && rowsOf(before);
  if (effects.length === 0) return null;
  return (
    <FormSection title={rows === null ? 'What it means' : `What it means for the ${counted(rows, 'row')}`}>
      <ul className={styles.effects}>
        {effects.map(({ key, kind, words, state: lost, keep }) => (
          <li key={key} data-kind={kind}>
            <Icon of={kind === 'fine' ? IconCheck : IconAlertTriangle} small />
            <span>{words}</span>
            {keep && (
              <Button small onClick={() => state.add(keep)}>
                Keep this way
              </Button>
            )}
            {lost !== undefined && (
              <NativeSelect
                aria-label={`Move the rows of ${lost} to`}
                value=""
                data={[{ value: '', label: 'Move them to' }, ...usedStates(design)]}
                onChange={({ currentTarget }) =>
                  currentTarget.value !== '' && state.set({ moves: { ...design.moves, [lost]: currentTarget.value } })
                }
              />
            )}
          </li>
        ))}
      </ul>
    </FormSection>
  );
}
