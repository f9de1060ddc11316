export const sessionKeys = { builder: () => ['builder'] as const };
