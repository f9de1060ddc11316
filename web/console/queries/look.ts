import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';
import { callSql, literal, runSql } from './sql.ts';

/** The accent colour and the logo of the pages for members. A part that is null means the colour or logo of Ninefold. */
export interface Look {
  /** The colour in six hexadecimal digits, for example `#1f6feb`. */
  readonly accent: string | null;
  /** A picture as a `data:` address. */
  readonly logo: string | null;
}

const lookKey = (ref: string) => ['look', ref] as const;

/** Reads the look of an app's pages for members. */
export const look = (ref: string) =>
  queryOptions({
    queryKey: lookKey(ref),
    queryFn: async ({ signal }): Promise<Look> => {
      const { results } = await runSql(ref, 'select a.accent, a.logo from ninefold.app a', signal);
      const [accent = null, logo = null] = results[0]?.rows[0] ?? [];
      return { accent, logo };
    },
  });

/** Changes the look of an app's pages for members. */
export const setLook = (ref: string) =>
  mutationOptions({
    mutationFn: ({ accent, logo }: Look) => {
      const said = { accent: accent && literal(accent), logo: logo && literal(logo) };
      return runSql(ref, callSql('ninefold.set_look', said), new AbortController().signal);
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: lookKey(ref) }),
  });
