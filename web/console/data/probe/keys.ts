export const probeKeys = { of: (ref: string) => ['probe', ref] as const };
