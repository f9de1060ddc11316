import type { CallsChapter } from '../../../../../contract/specification-calls.ts';

/** Returns the ids of the functions that ninefold.define_machine creates. They are the same for every state machine. */
export const machineFunctions = (calls: Pick<CallsChapter, 'functions'> | undefined): ReadonlySet<string> =>
  new Set(
    (calls?.functions ?? [])
      .filter(({ body }) => /^\s*RETURN ninefold\.(open_transitions|state_changes_of)\(/.test(body))
      .map(({ id }) => id),
  );
