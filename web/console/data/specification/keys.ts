export const specificationKeys = { of: (ref: string) => ['specification', ref] as const };
