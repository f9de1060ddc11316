export const callKeys = {
  story: (ref: string, requestId: string) => ['calls', ref, 'story', requestId] as const,
  errors: (ref: string, code: string | null) => ['calls', ref, 'errors', code] as const,
};
