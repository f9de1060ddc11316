import { Link } from '@tanstack/react-router';
import type { RefusedTransition, RequestTrace } from '../../../../contract/observed.ts';
import type { Machine } from '../../../../contract/states.ts';
import { liveValueClass } from '../../../ui/live-value.tsx';
import { KeyValues, PanelSection } from '../../../ui/panel.tsx';
import { shortId } from '../../format/format.ts';
import type { Filter } from '../../queries/rows/filter.ts';
import { wayId } from '../states/machine-words.ts';
import { StateName } from '../states/state-name.tsx';
import { useChapter } from '../use-chapter.ts';
import { Caller } from './caller.tsx';
import { keyWords } from './request-words.ts';

/** Describes a refused transition in a sentence: the message of the state machine and the row. */
export function RefusedResponse({ appRef, refused }: { appRef: string; refused: RefusedTransition }) {
  return (
    <>
      {refused.message} The row is{' '}
      {refused.key ? <RowLink appRef={appRef} refused={refused} className={liveValueClass} /> : 'a new one'} of{' '}
      {shortId(refused.entity)}.
    </>
  );
}

/** Section of the panel for a refused transition: its name, its row and its caller. */
export function RefusedSection({
  appRef,
  refused,
  who,
}: {
  appRef: string;
  refused: RefusedTransition;
  who: RequestTrace['who'];
}) {
  const { chapter } = useChapter(appRef, 'states');
  const machine = chapter?.machines.find(({ entity, field }) => entity === refused.entity && field === refused.field);
  return (
    <PanelSection title="Refused transition">
      <KeyValues
        pairs={[
          ['transition', <Name key="transition" appRef={appRef} refused={refused} machine={machine} />],
          ['from', <State key="from" name={refused.from} machine={machine} />],
          ['to', <State key="to" name={refused.to} machine={machine} />],
          [
            'row',
            refused.key ? (
              <RowLink key="row" appRef={appRef} refused={refused} />
            ) : refused.from ? (
              'no key'
            ) : (
              'a new row'
            ),
          ],
          ['by', <Caller key="by" appRef={appRef} who={who} />],
        ]}
      />
    </PanelSection>
  );
}

/** Shows the name of the transition. Links to chapter 4 if the machine still has the transition. */
function Name({
  appRef,
  refused: { transition, from },
  machine,
}: {
  appRef: string;
  refused: RefusedTransition;
  machine: Machine | undefined;
}) {
  if (transition === null) return 'none leads there';
  if (!machine?.transitions.some(({ name }) => name === transition) || from === null) return transition;
  return (
    <Link to="/app/$ref/states" params={{ ref: appRef }} search={{ machine: machine.id, way: wayId(transition, from) }}>
      {transition}
    </Link>
  );
}

/** Shows a state with its colour if the machine has it. */
const State = ({ name, machine }: { name: string | null; machine: Machine | undefined }) =>
  name === null ? <span className="soft">none</span> : machine ? <StateName machine={machine} name={name} /> : name;

/** Shows the key of the row, with a link to the row in Data. */
function RowLink({
  appRef,
  refused: { entity, key },
  className,
}: {
  appRef: string;
  refused: RefusedTransition;
  className?: string | undefined;
}) {
  const where = Object.entries(key ?? {}).map(([field, value]): Filter => ({ field, operator: 'eq', value }));
  return (
    <Link to="/app/$ref/data" params={{ ref: appRef }} search={{ table: entity, where }} className={className}>
      {keyWords(key ?? {})}
    </Link>
  );
}
