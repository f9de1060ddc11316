import { NinefoldError } from '../../errors/ninefold-error.ts';

/** A GET below /rest/v1: the part of the topic after `live:`. */
export interface LiveQuery {
  /** The schema before the path; null for the first exposed schema. */
  readonly schema: string | null;
  readonly path: string;
  readonly query: string;
}

/** `live:/tickets?select=id`, or `live:other:/tickets?select=id` for the schema `other`. */
const TOPIC = /^live:(?:([^/:?]+):)?(\/[^?#]*)(?:\?([^#]*))?$/;

/** Returns true for the name of a private topic that is a live list. */
export const isLiveTopic = (name: string): boolean => /^live:(?:[^/:?]+:)?\//.test(name);

/**
 * Reads the topic of a live list.
 * @throws NinefoldError LiveListRefused
 */
export function readLiveTopic(name: string): LiveQuery {
  const match = TOPIC.exec(name);
  if (!match) {
    throw new NinefoldError('LiveListRefused', {
      message: 'The topic of a live list is live: and the path and query of a read, such as live:/tickets?select=id.',
    });
  }
  const [, schema, path = '', query = ''] = match;
  return { schema: schema === undefined ? null : decoded(schema), path, query };
}

function decoded(schema: string): string {
  try {
    return decodeURIComponent(schema);
  } catch {
    return schema;
  }
}
