import { queryOptions } from '@tanstack/react-query';
import { consoleClient } from '../console-client.ts';
import { sessionKeys } from './keys.ts';

export interface Builder {
  name: string;
  email: string;
}

/** Who is signed in; null when nobody is. */
export const builder = () =>
  queryOptions({
    queryKey: sessionKeys.builder(),
    queryFn: async (): Promise<Builder | null> => {
      const { data } = await (await consoleClient()).auth.getSession();
      if (!data.session) return null;
      const { email = '', user_metadata } = data.session.user;
      const name: unknown = user_metadata.name;
      return { name: typeof name === 'string' && name !== '' ? name : email, email };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
