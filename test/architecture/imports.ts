import { posix } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** One import, export-from or dynamic import. */
export interface Import {
  readonly from: string;
  /** 1-based. */
  readonly line: number;
  /** A path below the clone for a relative import (`src/errors/ninefold-error.ts`), else the specifier as it is written. */
  readonly to: string;
  readonly isRelative: boolean;
}

/** Statements start a line, as the formatter puts them; a dynamic import may stand anywhere. */
const statement =
  /^[ \t]*(?:import|export)\b[^;'"]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^[ \t]*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

/** The imports of a file, type imports too. */
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

/** Whether a specifier names a package or a part of it. */
export const isOfPackage = (specifier: string, name: string): boolean =>
  specifier === name || specifier.startsWith(`${name}/`);
