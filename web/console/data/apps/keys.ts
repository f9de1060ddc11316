export const appKeys = {
  list: () => ['apps'] as const,
  sizes: () => ['apps', '', 'sizes'] as const,
  connection: (ref: string) => ['apps', ref, 'connection'] as const,
  activity: (ref: string) => ['apps', ref, 'activity'] as const,
};
