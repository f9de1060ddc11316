export const specificationKeys = {
  of: (ref: string) => ['specification', ref] as const,
  types: (ref: string, entity: string, format: string, hash: string) => ['types', ref, entity, format, hash] as const,
};
