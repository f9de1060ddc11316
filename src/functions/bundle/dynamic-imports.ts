import type { Loader, PluginBuild } from 'esbuild';

/**
 * esbuild reads `import("./" + name)` and `require` with such an argument as a pattern, and bundles every file of this machine that matches it
 * without asking a plugin. The functions here give such calls a form in which esbuild leaves them to the runtime.
 */

/** Loaders of files with code. */
const scripts: ReadonlySet<Loader> = new Set<Loader>(['js', 'jsx', 'ts', 'tsx']);

const END_OF_LINE = String.raw`[^\n\r\u2028\u2029]*(?=[\n\r\u2028\u2029]|$)`;
/** The text between two tokens: white space and comments, with those of HTML that scripts may have. */
const GAP = String.raw`(?:\s|/\*(?:(?!\*/)[\s\S])*\*/|//${END_OF_LINE}|<!--${END_OF_LINE}|-->${END_OF_LINE})*`;
const LITERAL = String.raw`(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')`;
/** Arguments that are no pattern: they have neither a template nor an addition. */
const NO_PATTERN = `(?:${LITERAL}|[^\`+()"'/])*\\)`;
/** Not the end of a longer name, and not the name of a property. Three points before it are a spread. */
const START = String.raw`(?<![\w$#]|(?<!\.\.)\.)`;

/** Match at least the calls that can have a pattern, in any source. An escape sequence can hide the name `require`, but no keyword. */
const MAY_IMPORT = new RegExp(`import${GAP}(?:\\.${GAP}(?:defer|source)${GAP})?\\((?!${NO_PATTERN})`);
const MAY_REQUIRE = new RegExp(`(?<![\\w$#])require(?![\\w$]|\\(${NO_PATTERN})`);
const MAY_HIDE = /\\u(?:00|\{0*)(?:72|65|71|75|69)/;

/** Match these calls in what esbuild prints, which has no comments, no types, and no needless parentheses. */
const IMPORTS = new RegExp(`${START}import(?:\\.(?:defer|source))?\\((?!${NO_PATTERN})`, 'g');
const REQUIRES = new RegExp(`${START}(?<!function )require(?:\\?\\.)?\\((?!${NO_PATTERN})`, 'g');

const IMPORT_HELPER = 'function ninefoldImport(name, options) { return import(name, options); }';
const REQUIRE_HELPER = 'function ninefoldRequire(name) { return require(name); }';

/** Code of a module, and how esbuild reads it. */
export interface ModuleCode {
  readonly contents: string;
  readonly loader: Loader;
}

/** Returns code without patterns. @param file The name of the file for messages. */
export async function withoutPatterns(
  { contents, loader }: ModuleCode,
  file: string,
  { transform }: Pick<PluginBuild['esbuild'], 'transform'>,
): Promise<ModuleCode> {
  const mayHavePattern = MAY_IMPORT.test(contents) || MAY_REQUIRE.test(contents) || MAY_HIDE.test(contents);
  if (!scripts.has(loader) || !mayHavePattern) return { contents, loader };
  const hasJsx = loader === 'jsx' || loader === 'tsx';
  const { code } = await transform(contents, {
    loader,
    sourcefile: file,
    sourcemap: 'inline',
    sourcesContent: false,
    target: 'esnext',
    legalComments: 'none',
    tsconfigRaw: '{}',
    ...(hasJsx && { jsx: 'preserve' }),
  });
  const changed = code.replace(IMPORTS, 'ninefoldImport(').replace(REQUIRES, 'ninefoldRequire(');
  // Unchanged code stays as it was sent, so that messages name its lines.
  if (changed === code) return { contents, loader };
  const map = changed.lastIndexOf('//# sourceMappingURL=data:');
  const helpers = `${IMPORT_HELPER} ${REQUIRE_HELPER}\n`;
  return { contents: `${changed.slice(0, map)}${helpers}${changed.slice(map)}`, loader: hasJsx ? 'jsx' : 'js' };
}

/** Returns code without comments that name a source map outside of it: esbuild would read any file of this machine. */
export const withoutSourceMap = (text: string): string =>
  text.replace(/([/][/*])[#@](\s*sourceMappingURL=)(?!data:)/g, '$1 $2');
