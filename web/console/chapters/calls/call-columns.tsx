import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type { CallEntry, CallFigures } from '../../../../contract/specification-calls.ts';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { count, milliseconds, share } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { windowHeads } from '../window-choice.tsx';
import { callersOf } from './callers.ts';

/** The heading of each area of calls in the table. */
export const callGroups: Readonly<Record<CallEntry['area'], string>> = {
  auth: 'Sign-in and sessions',
  rest: 'Rows',
  rpc: 'Functions',
  storage: 'Files',
  realtime: 'Realtime',
  functions: 'Edge functions',
};

/**
 * Returns the columns of the table of calls, with the figures of a time window. `fewer` omits columns that the panel
 * also shows, for narrow tables.
 */
export const callColumns = (window: StatisticsWindow, fewer: boolean): readonly ListColumn<CallEntry>[] => {
  const of = ({ figures }: CallEntry): CallFigures | undefined =>
    figures && figures[window].calls > 0 ? figures[window] : undefined;
  const all: ListColumn<CallEntry>[] = [
    { name: 'Path', bar: 160, cell: ({ path }) => <code>{path}</code> },
    { name: 'Method', bar: 32, cell: ({ method }) => <span className="soft">{method}</span> },
    { name: 'Description', look: 'words', rank: 'second', bar: 200, cell: ({ summary }) => summary },
    {
      name: 'For',
      rank: 'third',
      bar: 120,
      cell: ({ roles }) => <Callers roles={roles} />,
    },
    {
      name: windowHeads[window],
      look: 'figure',
      bar: 30,
      cell: (call) => <Live value={of(call)?.calls} text={count} />,
    },
    {
      name: 'p50',
      look: 'figure',
      rank: 'third',
      bar: 30,
      cell: (call) => <Live value={of(call)?.p50_ms} text={milliseconds} />,
    },
    {
      name: 'p99',
      look: 'figure',
      rank: 'second',
      bar: 30,
      cell: (call) => <Live value={of(call)?.p99_ms} text={milliseconds} />,
    },
    {
      name: 'Failed',
      look: 'figure',
      rank: 'third',
      bar: 30,
      cell: (call) => {
        const figures = of(call);
        return (
          figures &&
          figures.failed > 0 && <Live value={figures.failed} text={(failed) => share(failed, figures.calls)} />
        );
      },
    },
    {
      name: 'Last',
      look: 'figure',
      rank: 'second',
      bar: 30,
      cell: ({ figures }) =>
        figures?.week.last_at && (
          <span className="soft">
            <TimeAgo iso={figures.week.last_at} short />
          </span>
        ),
    },
  ];
  return fewer ? all.filter(({ name }) => name !== 'For' && name !== 'p50') : all;
};

const Callers = ({ roles }: Pick<CallEntry, 'roles'>) => <span title={roles.join(', ')}>{callersOf(roles)}</span>;

/** Shows a current figure; nothing while it is unknown. */
const Live = ({ value, text }: { value: number | null | undefined; text: (value: number) => string }) =>
  value !== null && value !== undefined && <FlashOnChange value={text(value)}>{text(value)}</FlashOnChange>;
