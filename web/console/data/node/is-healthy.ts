/** Returns whether the node answers and reaches its database. */
export const isHealthy = (): Promise<boolean> =>
  fetch('/health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
