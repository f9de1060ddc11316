/** Collects the ids of members whose names are shown at the same time, so that one request reads all of their names. */
export class NameBatch {
  #waiting: Map<string, ((name: string | null) => void)[]> | null = null;

  /**
   * Returns the name of a member; null if the caller may not read it.
   * @param read Reads the names of several members. Of the callers that wait together, the function of the first is called.
   */
  load(
    id: string,
    read: (ids: readonly string[]) => Promise<Readonly<Record<string, string>>>,
  ): Promise<string | null> {
    const waiting = this.#waiting ?? new Map<string, ((name: string | null) => void)[]>();
    if (this.#waiting === null) {
      this.#waiting = waiting;
      setTimeout(async () => {
        this.#waiting = null;
        const names = await read([...waiting.keys()].sort()).catch((): Record<string, string> => ({}));
        for (const [of, resolvers] of waiting) for (const resolve of resolvers) resolve(names[of] ?? null);
      });
    }
    return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]));
  }
}
