/** Names of edge functions: a letter, then letters, digits, `_` and `-`, as Supabase accepts them. */
export const FUNCTION_NAME = /^[A-Za-z][\w-]{0,62}$/;
/** Names of secrets: those of environment variables. */
export const SECRET_NAME = /^[A-Za-z_]\w{0,127}$/;
/**
 * Names of variables that the node sets itself, or their beginning. Supabase reserves `SUPABASE_` alone. Projects have secrets of their own
 * such as `SB_PUBLISHABLE_KEY`, because their functions had no publishable key before.
 */
export const RESERVED_SECRET = /^(?:SUPABASE_|SB_REGION$|SB_EXECUTION_ID$|DENO_|NINEFOLD_)/;
/** Maximum number of characters of a note about a version. */
export const VERSION_NOTE_CHARACTERS = 200;

/** One version of an edge function. */
export interface FunctionVersion {
  /** Counts up within the function. */
  readonly number: number;
  readonly created_at: string;
  /** Name of the builder who deployed it, or `operator`. */
  readonly created_by: string;
  /** A note of the builder about the change; null without one. */
  readonly message: string | null;
  readonly entrypoint: string;
  /** Size of the bundle in bytes. */
  readonly bytes: number;
  /** SHA-256 of the bundle in hexadecimal digits. */
  readonly sha256: string;
  /** Names of environment variables that the code reads. */
  readonly reads: readonly string[];
  /** True for the version that runs. */
  readonly is_active: boolean;
}

/** An edge function of an app. */
export interface EdgeFunction {
  readonly name: string;
  /** The address of the function. */
  readonly url: string;
  /** True if callers must send a key of the app or a token. */
  readonly verify_jwt: boolean;
  readonly created_at: string;
  /** Newest first. */
  readonly versions: readonly FunctionVersion[];
  /** Figures of the last 24 hours. */
  readonly calls: FunctionFigures;
}

/** Figures of an edge function in the last 24 hours. */
export interface FunctionFigures {
  readonly count: number;
  readonly failed: number;
  /** Calls of each hour, the oldest first; 24 numbers. */
  readonly hours: readonly number[];
  /** Median duration of calls of a running process, in milliseconds; null without a call. */
  readonly median: number | null;
  /** Median duration of a start of the process, in milliseconds; null without one. */
  readonly start: number | null;
}

/** A secret of edge functions. Its value is never shown. */
export interface FunctionSecret {
  readonly name: string;
  readonly set_at: string;
  readonly set_by: string;
  /** Names of the functions whose active version reads it. */
  readonly read_by: readonly string[];
}

/** The reply of `GET /admin/v1/apps/:ref/functions`. */
export interface FunctionsState {
  /** False if this node runs no edge functions. */
  readonly runs: boolean;
  readonly functions: readonly EdgeFunction[];
  readonly secrets: readonly FunctionSecret[];
}

/** The body of `PUT /admin/v1/apps/:ref/functions/:name`. */
export interface DeployFunction {
  /** The text of each file by its path, such as `hello/index.ts` and `_shared/cors.ts`. */
  readonly files: Readonly<Record<string, string>>;
  /** The path of the first file. */
  readonly entrypoint: string;
  /** The path of deno.json or an import map in `files`; absent without one. */
  readonly import_map?: string | undefined;
  /** True by default: callers must send a key of the app or a token. */
  readonly verify_jwt?: boolean | undefined;
  /** A note about the change. */
  readonly message?: string | undefined;
}

/** One fault of a deployment. */
export interface BundleFault {
  /** The file, or the URL of a module; null for a fault of the whole. */
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
}

/** One line of output of edge functions. */
export interface FunctionLogLine {
  readonly id: number;
  readonly at: string;
  /** Null for lines of the process. */
  readonly function: string | null;
  readonly request_id: string | null;
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'start' | 'end';
  readonly message: string;
  /** For a start: how long it took. */
  readonly milliseconds: number | null;
}

/** The files of a version, as they were deployed. */
export interface FunctionSources {
  readonly entrypoint: string;
  /** The path of deno.json or an import map in `files`; null without one. */
  readonly import_map: string | null;
  readonly files: Readonly<Record<string, string>>;
}
