export const callKeys = {
  story: (ref: string, requestId: string) => ['calls', ref, 'story', requestId] as const,
  detail: (ref: string, id: string) => ['calls', ref, 'detail', id] as const,
  errors: (ref: string, code: string | null) => ['calls', ref, 'errors', code] as const,
};
