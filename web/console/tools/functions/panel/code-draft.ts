import type { BundleFault, EdgeFunction, FunctionSources } from '../../../../../contract/functions.ts';
import type { Language } from '../../../../ui/highlight.ts';
import { activeVersion } from '../function-words.ts';

/** Changes of a function's code that are not deployed. */
export interface CodeDraft {
  /** Number of the version that the changes begin with. */
  readonly base: number;
  /** The new text of each changed file; null for a deleted file. */
  readonly files: Readonly<Record<string, string | null>>;
}

type Files = FunctionSources['files'];

/** Returns the number of the version whose code is edited: the active one, or the newest while the function is off. Pure. */
export const editedVersion = (one: EdgeFunction): number => (activeVersion(one) ?? one.versions[0])?.number ?? 0;

/** Returns the files with the changes of a draft. Pure. */
export const draftedFiles = (files: Files, draft: CodeDraft | undefined): Files =>
  Object.fromEntries(
    Object.entries({ ...files, ...draft?.files }).flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
  );

/** Returns a draft with another text of a file; undefined if no file differs from its version. Pure. */
export function withFile(files: Files, draft: CodeDraft, path: string, text: string | null): CodeDraft | undefined {
  const changed = Object.entries({ ...draft.files, [path]: text }).filter(
    ([name, now]) => now !== (Object.hasOwn(files, name) ? files[name] : null),
  );
  return changed.length === 0 ? undefined : { ...draft, files: Object.fromEntries(changed) };
}

/** Returns the paths of files in the order of the list: the entrypoint, then by name. Pure. */
export const pathsOf = (files: Files, entrypoint: string): string[] =>
  Object.keys(files).toSorted((a, b) => (a === entrypoint ? -1 : b === entrypoint ? 1 : a.localeCompare(b, 'en')));

/** Returns the reason why a new file cannot have a path; null if it can. Pure. */
export function whyNoPath(path: string, files: Files): string | null {
  if (path === '') return 'Enter a path first.';
  if (
    !/^[\w.@+-][\w.@+ -]*(?:\/[\w.@+-][\w.@+ -]*)*$/.test(path) ||
    path.split('/').some((part) => /^\.+$/.test(part))
  ) {
    return 'A path is relative to the folder of the functions, such as _shared/cors.ts.';
  }
  return Object.hasOwn(files, path) ? `The function already has the file ${path}.` : null;
}

/** Returns the language in which a file is coloured. Pure. */
export const languageOf = (path: string): Language =>
  /\.jsonc?$/.test(path) ? 'json' : /\.[cm]?[jt]sx?$/.test(path) ? 'javascript' : /\.sql$/.test(path) ? 'sql' : 'text';

/** Describes the place of a fault: \`hello/index.ts:3\`. Pure. */
export const placeOf = ({ file, line }: BundleFault): string | null =>
  file === null ? null : line === null ? file : `${file}:${line}`;
