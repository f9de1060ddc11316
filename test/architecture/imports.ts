import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** An import, an export-from or a dynamic import. */
export interface Import {
  readonly from: string;
  /** 1-based. */
  readonly line: number;
  /**
   * The path below the clone for a relative import (`src/errors/ninefold-error.ts`), or the specifier as it is written.
   */
  readonly to: string;
  readonly isRelative: boolean;
}

/** The formatter puts every statement at the start of a line. A dynamic import may be anywhere in a line. */
const statement =
  /^[ \t]*(?:import|export)\b[^;'"]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^[ \t]*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

/** Returns the imports of a file, including type imports. */
export function importsOf(file: SourceFile): Import[] {
  return [...file.text.matchAll(statement)].map((match) => {
    const specifier = match.groups?.from ?? match.groups?.bare ?? match.groups?.dynamic ?? '';
    const isRelative = specifier.startsWith('.');
    const end = file.text.slice(0, match.index + match[0].length);
    return {
      from: file.path,
      line: end.split('\n').length,
      to: isRelative ? posix.join(posix.dirname(file.path), specifier.replace(/\?.*$/, '')) : specifier,
      isRelative,
    };
  });
}

/** Returns true if a specifier names a package or a part of it. */
export const isOfPackage = (specifier: string, name: string): boolean =>
  specifier === name || specifier.startsWith(`${name}/`);
