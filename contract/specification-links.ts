/** Links by which readers without an account read the specification of an app: parts of the management API. */

/** The path of a link on the node's origin, before its secret. */
export const SHARED_PATH = 'shared';

/** The days after which a link can end. */
export const linkDays = [7, 30] as const;

export interface SpecificationLink {
  id: string;
  /** The name of the builder who made the link, or `operator`. */
  created_by: string;
  created_at: string;
  /** Time at which the link ends, in ISO 8601; null if it does not end by itself. */
  expires_at: string | null;
  /** The version that the link shows; null if it shows the specification as of the time of reading. */
  version: number | null;
  /** Time of the last reading in ISO 8601, to a minute; null if nobody has read it. */
  last_read_at: string | null;
  /** The reason why the link shows nothing; null if it works. `creator`: the builder may no longer make links of the app. */
  ended: 'expired' | 'creator' | null;
}

export interface SpecificationLinkRequest {
  /** The number of a version; null for the specification as of the time of reading. */
  version: number | null;
  /** Null: the link does not end by itself. */
  days: (typeof linkDays)[number] | null;
}

/** A new link. Only this response contains its address, because the node stores a hash of its secret. */
export interface CreatedSpecificationLink {
  id: string;
  url: string;
  expires_at: string | null;
}
