export const versionKeys = {
  all: (ref: string) => ['versions', ref] as const,
  list: (ref: string) => ['versions', ref, 'list'] as const,
  compared: (ref: string, from: number, to: number) => ['versions', ref, 'compared', from, to] as const,
};
