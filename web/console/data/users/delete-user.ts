import { mutationOptions } from '@tanstack/react-query';
import { throughDoor } from '../door.ts';
import { afterChange } from './after-change.ts';

/** Deletes an account with its identities and sessions. */
export const deleteUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: () => throughDoor(ref, (admin) => admin.deleteUser(id)),
    onSuccess: () => afterChange(ref, null),
  });
