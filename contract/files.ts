/** The responses of the management API about the files of an app. */

/** The objects of one bucket or member, and their bytes. Equal contents count once for each object. */
export interface FileCount {
  objects: number;
  bytes: number;
}

/** How much an app stores. */
export interface FileUsage {
  /** Every bucket, by bytes. */
  buckets: ({ id: string } & FileCount)[];
  /** The members with the most bytes. `email` is null for a member without an address, or who was deleted. */
  members: ({ id: string; email: string | null } & FileCount)[];
  /** Number of members with files. */
  members_with_files: number;
  /** The different contents that the node stores, and their bytes. */
  stored: { contents: number; bytes: number };
  /** The contents among `stored` that no object names. The node deletes them after orphanHours. */
  unused: { contents: number; bytes: number };
  /** Uploads in parts that are not complete, and the bytes of their parts. */
  uploads: { count: number; bytes: number };
  /** The bytes that the app may store; 0 is no limit. */
  quota_bytes: number;
}

/** Details of an object that `/storage/v1` does not return. */
export interface FileDetails {
  id: string;
  owner_id: string | null;
  /** Address of the member who added the object; null if no member did, or the member was deleted. */
  owner_email: string | null;
  user_metadata: Readonly<Record<string, unknown>> | null;
  version: string | null;
  last_accessed_at: string | null;
  /** The bytes that the version names; null if the node stores none. */
  content: { sha256: string; stored_at: string; quarantined_at: string | null; objects: number } | null;
}

/** An access key of the S3 protocol. It has the privileges of the service role. */
export interface S3KeyEntry {
  /** The access key id. */
  id: string;
  name: string;
  created_by: string;
  created_at: string;
  last_used_at: string | null;
}

/** A new access key of the S3 protocol. Only the response that creates it contains the secret. */
export interface CreatedS3Key extends S3KeyEntry {
  secret: string;
}
