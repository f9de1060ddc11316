import { NativeSelect, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import styles from './editor.module.css';
import type { MachineState } from './use-machine.ts';

/** Form of the chosen state: its name, whether it is the first one, and the transitions that can be drawn from it. */
export function StateForm({
  state,
  chosen,
  onChoose,
}: {
  state: MachineState;
  chosen: string;
  onChoose: (state: string | null) => void;
}) {
  const { design } = state;
  const [name, setName] = useState(chosen);
  const rename = () => {
    const typed = name.trim();
    if (typed === chosen || typed === '') return;
    state.renameState(chosen, typed);
    onChoose(typed);
  };
  const others = design.states.filter((one) => one !== chosen);
  const isFirst = design.initial === chosen;
  return (
    <section className={styles.state} aria-label={`State ${chosen}`}>
      <TextInput
        label="Name of the state"
        value={name}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === 'Enter' && rename()}
      />
      <NativeSelect
        label="Draw a transition to"
        value=""
        data={[{ value: '', label: others.length > 0 ? 'Choose a state' : 'Add a state first' }, ...others]}
        onChange={({ currentTarget }) => currentTarget.value !== '' && state.draw(chosen, currentTarget.value)}
      />
      <span className={styles.tools}>
        <Button
          small
          offBecause={isFirst ? 'It is the first state.' : null}
          onClick={() => state.set({ initial: chosen })}
        >
          Make it the first state
        </Button>
        <Button
          small
          kind="quiet"
          icon={IconTrash}
          offBecause={isFirst ? 'A machine needs its first state.' : null}
          onClick={() => {
            state.removeState(chosen);
            onChoose(design.initial);
          }}
        >
          Remove state
        </Button>
      </span>
    </section>
  );
}
