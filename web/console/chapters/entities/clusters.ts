import { entityId } from '../../../../contract/entity-names.ts';
import type { EntitiesChapter, Entity } from '../../../../contract/specification-entities.ts';
import { entityName } from '../../format/format.ts';
import { communities } from './communities.ts';

/** A group of entities with more relations among themselves than to the rest. */
export interface Cluster {
  /** Unique among the clusters of an app. */
  name: string;
  /** Sorted by rows, most first. */
  entities: Entity[];
  rows: number;
  /** Number of relations between two entities of the cluster. */
  inside: number;
  /** Number of relations to and from entities of other clusters. */
  outside: number;
}

/** Maximum size of a cluster of entities without a relation. */
const listed = 30;
const sharedName = 'shared';

/**
 * Divides the entities of an app into clusters, the largest first. Entities with very many references form the cluster
 * "shared", because they would join everything into one cluster. Pure.
 */
export function clustersOf(chapter: EntitiesChapter): Cluster[] {
  const { entities } = chapter;
  const at = new Map(entities.map(({ id }, place) => [id, place]));
  const pairs = chapter.relations.flatMap(({ from, to }): [number, number][] => {
    const [a, b] = [at.get(entityId(from.schema, from.entity)), at.get(entityId(to.schema, to.entity))];
    return a === undefined || b === undefined || a === b ? [] : [[a, b]];
  });
  const shared = sharedIn(entities.length, pairs);
  const links = entities.map(() => new Map<number, number>());
  for (const [a, b] of pairs) {
    if (shared.has(a) || shared.has(b)) continue;
    links[a]?.set(b, (links[a]?.get(b) ?? 0) + 1);
    links[b]?.set(a, (links[b]?.get(a) ?? 0) + 1);
  }
  const found = communities(links);
  const joined = new Map<number, number[]>();
  const alone: number[] = [];
  for (const place of entities.keys()) {
    const community = found[place] ?? 0;
    if (shared.has(place)) continue;
    if (links[place]?.size === 0) alone.push(place);
    else joined.set(community, [...(joined.get(community) ?? []), place]);
  }
  const groups = [...joined.values(), ...pieces(alone, entities), [...shared]].filter(({ length }) => length > 0);
  const names = new Set<string>();
  return groups
    .map((places) => clusterOf(places, entities, pairs, shared))
    .toSorted((a, b) => b.entities.length - a.entities.length || (a.name < b.name ? -1 : 1))
    .map((cluster) => {
      const first = cluster.entities[0];
      const name = names.has(cluster.name) && first ? entityName(first.schema, first.name) : cluster.name;
      names.add(name);
      return { ...cluster, name };
    });
}

/** Returns the entities that at least 12 other entities, and at least a fifth of all entities, reference. */
function sharedIn(all: number, pairs: readonly (readonly [number, number])[]): Set<number> {
  const pointing = new Map<number, Set<number>>();
  for (const [from, to] of pairs) pointing.set(to, (pointing.get(to) ?? new Set()).add(from));
  return new Set([...pointing].filter(([, from]) => from.size >= Math.max(12, all / 5)).map(([to]) => to));
}

/** Sorts entities without a relation by name and divides them into lists of equal length. */
function pieces(alone: readonly number[], entities: readonly Entity[]): number[][] {
  const called = (place: number) => entities[place]?.id ?? '';
  const sorted = alone.toSorted((a, b) => (called(a) < called(b) ? -1 : 1));
  const size = Math.ceil(sorted.length / Math.max(1, Math.ceil(sorted.length / listed)));
  return sorted.length === 0
    ? []
    : Array.from({ length: Math.ceil(sorted.length / size) }, (_, n) => sorted.slice(n * size, (n + 1) * size));
}

function clusterOf(
  places: readonly number[],
  entities: readonly Entity[],
  pairs: readonly (readonly [number, number])[],
  shared: ReadonlySet<number>,
): Cluster {
  const own = new Set(places);
  const members = places
    .flatMap((place) => entities[place] ?? [])
    .toSorted((a, b) => rowsOf(b) - rowsOf(a) || (a.id < b.id ? -1 : 1));
  const inside = pairs.filter(([a, b]) => own.has(a) && own.has(b)).length;
  const touching = pairs.filter(([a, b]) => own.has(a) || own.has(b)).length;
  return {
    name: places.some((place) => shared.has(place)) ? sharedName : nameOf(members),
    entities: members,
    rows: members.reduce((sum, entity) => sum + rowsOf(entity), 0),
    inside,
    outside: touching - inside,
  };
}

/**
 * Returns the prefix up to an underscore that most of the names share, or else the name of the entity with the most
 * rows.
 */
function nameOf(entities: readonly Entity[]): string {
  const [first] = entities;
  if (!first) return '';
  const many = new Map<string, number>();
  for (const { name } of entities) {
    const prefix = name.slice(0, Math.max(0, name.indexOf('_')));
    if (prefix !== '') many.set(prefix, (many.get(prefix) ?? 0) + 1);
  }
  const [max] = [...many].toSorted(([, a], [, b]) => b - a);
  return max && max[1] > Math.max(1, entities.length / 2) ? max[0] : entityName(first.schema, first.name);
}

export const rowsOf = ({ kind, figures }: Entity): number => (kind === 'view' ? 0 : (figures?.rows_estimate ?? 0));
