export const userKeys = {
  all: (ref: string) => ['users', ref] as const,
  list: (ref: string, search: string) => ['users', ref, 'list', search] as const,
  one: (ref: string, id: string) => ['users', ref, 'one', id] as const,
};
