export const userKeys = {
  lists: (ref: string) => ['users', ref, 'list'] as const,
  list: (ref: string, search: string) => ['users', ref, 'list', search] as const,
  roles: (ref: string, id: string) => ['users', ref, 'roles', id] as const,
  factors: (ref: string, id: string) => ['users', ref, 'factors', id] as const,
  one: (ref: string, id: string) => ['users', ref, 'one', id] as const,
};
