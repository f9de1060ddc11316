export const sessionListKeys = {
  all: (ref: string) => ['sessions', ref] as const,
  list: (ref: string, userId: string | null) => ['sessions', ref, 'list', userId] as const,
};
