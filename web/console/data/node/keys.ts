export const nodeKeys = { status: () => ['node', 'status'] as const };
