export const callKeys = {
  trace: (ref: string, requestId: string) => ['calls', ref, 'trace', requestId] as const,
  detail: (ref: string, id: string) => ['calls', ref, 'detail', id] as const,
  figures: (ref: string, id: string, window: string) => ['calls', ref, 'figures', id, window] as const,
  log: (ref: string, search: object) => ['calls', ref, 'log', search] as const,
  logSummary: (ref: string, search: object) => ['calls', ref, 'log-summary', search] as const,
  errors: (ref: string, code: string | null) => ['calls', ref, 'errors', code] as const,
};
