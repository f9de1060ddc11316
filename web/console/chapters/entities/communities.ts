/**
 * The neighbours of each node with the weight of the link. The entry of a node for itself is twice the weight of its
 * inner links. Symmetric.
 */
type Links = readonly ReadonlyMap<number, number>[];

/**
 * Finds communities by modularity, with the Louvain method (Blondel et al. 2008, "Fast unfolding of communities in large networks").
 * Returns the community of each node. The same graph always gives the same communities. Pure.
 */
export function communities(links: Links): number[] {
  const of = moved(links);
  const names = [...new Set(of)];
  if (names.length === links.length) return of;
  const place = new Map(names.map((name, at) => [name, at]));
  const placeOf = (node: number) => place.get(of[node] ?? -1) ?? 0;
  const merged = names.map(() => new Map<number, number>());
  for (const [node, neighbours] of links.entries()) {
    const from = merged[placeOf(node)];
    for (const [other, weight] of neighbours) from?.set(placeOf(other), (from.get(placeOf(other)) ?? 0) + weight);
  }
  const above = communities(merged);
  return of.map((_, node) => above[placeOf(node)] ?? 0);
}

/** Moves each node to the neighbouring community with the largest gain in modularity, until no node gains by moving. */
function moved(links: Links): number[] {
  const of = links.map((_, node) => node);
  const degrees = links.map((neighbours) => sum(neighbours.values()));
  const total = sum(degrees);
  const weights = [...degrees];
  for (let changed = total > 0; changed; ) {
    changed = false;
    for (const [node, neighbours] of links.entries()) {
      const degree = degrees[node] ?? 0;
      const from = of[node] ?? node;
      const towards = new Map<number, number>([[from, 0]]);
      for (const [other, weight] of neighbours) {
        const to = of[other] ?? other;
        if (other !== node) towards.set(to, (towards.get(to) ?? 0) + weight);
      }
      weights[from] = (weights[from] ?? 0) - degree;
      const gainOf = (to: number) => (towards.get(to) ?? 0) - (degree * (weights[to] ?? 0)) / total;
      let best = from;
      for (const to of towards.keys()) if (gainOf(to) > gainOf(best) + 1e-9) best = to;
      weights[best] = (weights[best] ?? 0) + degree;
      if (best !== from) {
        of[node] = best;
        changed = true;
      }
    }
  }
  return of;
}

const sum = (values: Iterable<number>): number => {
  let all = 0;
  for (const value of values) all += value;
  return all;
};
