import { Select } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { PortalScreens } from '../../../../contract/portal.ts';
import { count } from '../../format/format.ts';
import { OFFERED_MEMBERS, screensOfCaller } from '../../queries/preview.ts';
import styles from './pictures.module.css';
import type { CallerChoice } from './use-caller-choice.ts';

/** Choice of the kind of member, with the number of screens of each, and of the member whose rows are shown. */
export function CallerChoiceFields({ appRef, choice }: { appRef: string; choice: CallerChoice }) {
  const counts = useScreenCounts(appRef, choice);
  return (
    <>
      <fieldset className={styles.kinds} aria-label="Kind of member">
        {choice.kinds.map((kind, place) => (
          <button key={kind.id} type="button" aria-pressed={kind === choice.kind} onClick={() => choice.choose(kind)}>
            {kind.label} {counts[place] !== undefined && <span className={styles.amount}>{count(counts[place])}</span>}
          </button>
        ))}
      </fieldset>
      <MemberChoice choice={choice} />
    </>
  );
}

/** Choice of the member whose rows are shown. */
export function MemberChoice({ choice: { kind, members, member, choose } }: { choice: CallerChoice }) {
  if (kind.caller === 'anon' || !members) return null;
  if (!member) return <span className={styles.rowsOf}>No member of this kind yet</span>;
  return (
    <span className={styles.rowsOf}>
      rows of
      <Select
        className={styles.member ?? ''}
        aria-label="Member whose rows are shown"
        searchable
        data={members.map(({ id, name }) => ({ value: id, label: name }))}
        nothingFoundMessage={
          members.length < OFFERED_MEMBERS ? 'No member with that name' : `Not among the first ${OFFERED_MEMBERS}`
        }
        value={member.id}
        onChange={(id) => id !== null && choose(kind, id)}
      />
    </span>
  );
}

/** Reads how many screens each kind of member has. */
export function useScreenCounts(appRef: string, { kinds }: CallerChoice): (number | undefined)[] {
  return useQueries({
    queries: kinds.map(({ caller }) => ({
      ...screensOfCaller(appRef, caller),
      select: ({ screens, pages }: PortalScreens) => screens.length + pages.length,
    })),
  }).map(({ data }) => data);
}
