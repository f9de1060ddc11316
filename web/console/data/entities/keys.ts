export const entityKeys = { list: (ref: string) => ['entities', ref] as const };
