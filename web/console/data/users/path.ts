import { segment } from '../api.ts';

/** Address of the accounts of an app, below /admin/v1: GoTrue's calls for administrators, made as the builder. */
export const usersPath = (ref: string): string => `/apps/${segment(ref)}/auth/v1/admin/users`;

/** Address of one account. */
export const userPath = (ref: string, id: string): string => `${usersPath(ref)}/${segment(id)}`;
