export const setupKeys = { state: () => ['setup'] as const };
