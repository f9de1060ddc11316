import { IconArrowRight, IconPlus } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Machine } from '../../../../../contract/states.ts';
import { Button } from '../../../../ui/button.tsx';
import type { Binding } from '../../../../ui/shortcuts/bindings.ts';
import { useKeys } from '../../../../ui/shortcuts/keyboard.tsx';
import { Diagram } from '../../../diagram/diagram.tsx';
import { boxOfState, hotEdges, machineGraph, stateOfBox } from '../machine-graph.ts';
import { machineMermaid } from '../machine-mermaid.ts';
import styles from './editor.module.css';
import { drawnMachine } from './machine-design.ts';
import type { MachineState } from './use-machine.ts';

/** The machine of the form as a figure. A press on a state chooses it, or ends the transition that is being drawn. */
export function DrawnFigure({
  appRef,
  state,
  before,
  chosen,
  onChoose,
}: {
  appRef: string;
  state: MachineState;
  before: Machine | null;
  chosen: string | null;
  onChoose: (state: string | null) => void;
}) {
  const { design } = state;
  const [isDrawing, setDrawing] = useState(false);
  const machine = useMemo(() => drawnMachine(design, before), [design, before]);
  const graph = useMemo(() => machineGraph(machine), [machine]);
  const hot = useMemo(() => hotEdges(graph, chosen, null), [graph, chosen]);
  const addState = () => {
    const name = freeName(design.states);
    state.addState(name);
    onChoose(name);
  };
  const open = (box: string) => {
    const name = stateOfBox(box);
    if (name === null) return;
    if (isDrawing && chosen !== null && name !== chosen) {
      state.draw(chosen, name);
      setDrawing(false);
    } else onChoose(name);
  };
  const canDraw = chosen !== null && design.states.length > 1;
  useKeys(useFigureKeys({ addState, draw: () => canDraw && setDrawing(!isDrawing) }));
  return (
    <Diagram
      number="Figure 4.1"
      caption={design.entity === '' ? 'The states' : `${design.entity.replace(/^public\./, '')}.${design.field}`}
      label="The machine that you draw"
      remark={
        <span className={styles.tools}>
          <span role="status" className={styles.hint}>
            {isDrawing ? `Press the state that follows ${chosen}.` : ''}
          </span>
          <Button small icon={IconPlus} onClick={addState}>
            State
          </Button>
          <Button
            small
            icon={IconArrowRight}
            kind={isDrawing ? 'first' : 'usual'}
            offBecause={canDraw ? null : 'Choose one of two or more states first.'}
            onClick={() => setDrawing(!isDrawing)}
          >
            {isDrawing ? 'Stop drawing' : 'Transition'}
          </Button>
        </span>
      }
      name={`${appRef}-machine`}
      graph={graph}
      words={undefined}
      selected={chosen === null ? null : boxOfState(chosen)}
      hot={hot}
      mermaid={() => machineMermaid(machine)}
      onOpen={open}
    />
  );
}

/** Returns a name that no state has yet. */
function freeName(states: readonly string[]): string {
  const names = ['state', ...Array.from({ length: states.length + 1 }, (_, i) => `state_${i + 2}`)];
  return names.find((name) => !states.includes(name)) ?? 'state';
}

/** Keys of the figure: S adds a state, C draws a transition from the chosen state. */
function useFigureKeys(actions: { addState: () => void; draw: () => void }): readonly Binding[] {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => [
      { keys: 's', group: 'Figure', does: 'Add a state', run: () => latest.current.addState() },
      { keys: 'c', group: 'Figure', does: 'Draw a transition', run: () => latest.current.draw() },
    ],
    [],
  );
}
