import { queryOptions } from '@tanstack/react-query';
import { throughDoor } from '../door.ts';
import { userKeys } from './keys.ts';

/** One user of an app. Fails with `user_not_found` where there is none. */
export const user = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.one(ref, id),
    queryFn: async ({ signal }) => (await throughDoor(ref, (admin) => admin.getUserById(id), { signal })).data.user,
  });
