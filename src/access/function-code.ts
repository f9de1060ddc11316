import type { CallEntry } from '../../contract/specification-calls.ts';
import type { RelationFact } from '../catalog/entities.ts';
import { memoize } from '../catalog/memoize.ts';
import { entityId, idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { NamedFunctions } from '../sql-reader/body/named-functions.ts';
import { type Raise, raisesOf } from '../sql-reader/body/raises.ts';
import { constantSql, isCaught } from '../sql-reader/body/statements.ts';
import { tokens } from '../sql-reader/body/tokens.ts';
import { type Use, usesOf } from '../sql-reader/body/uses.ts';
import { runsDynamicSql, writesOf } from '../sql-reader/body/writes.ts';
import { type CommonFacts, named, type Reads } from './fact-indexes.ts';

/** The longest body of a function whose analysis is cached. */
const REMEMBERED_CHARACTERS = 10_000;

/**
 * Finds out what the code of the app's functions calls, reads, writes and raises: directly, or through the functions
 * that the code names. SQL that the code builds at run time is not read.
 */
export class FunctionCode {
  readonly #named: NamedFunctions;
  readonly #byId: ReadonlyMap<string, RoutineFact>;
  readonly #exposedSchemas: readonly string[];
  /** The results of the functions' own texts. Filled when first needed, because most functions are Ninefold's. */
  readonly #ownWrites = new Map<RoutineFact, CallEntry['writes']>();
  readonly #reached = new Map<RoutineFact, readonly RoutineFact[]>();
  readonly #called = new Map<string, readonly RoutineFact[]>();

  constructor({ routines, exposedSchemas }: CommonFacts) {
    this.#named = new NamedFunctions(routines.map((routine) => ({ id: idOf(routine), body: executedCode(routine) })));
    this.#byId = new Map(routines.map((routine) => [idOf(routine), routine]));
    this.#exposedSchemas = exposedSchemas;
  }

  /** Returns the functions that a piece of code names. */
  namedIn(code: string): RoutineFact[] {
    return this.#named.in(code).flatMap((id) => this.#byId.get(id) ?? []);
  }

  /** Returns the function and all functions that its code reaches. */
  reached(routine: RoutineFact): readonly RoutineFact[] {
    const known = this.#reached.get(routine);
    if (known) return known;
    const found = [...this.#named.reached(idOf(routine))].flatMap((id) => this.#byId.get(id) ?? []);
    this.#reached.set(routine, found);
    return found;
  }

  /**
   * Returns `always` if each call writes or fails, `may` if a call may write, and undefined if there is no sign of a
   * write.
   */
  writes(routine: RoutineFact): CallEntry['writes'] {
    if (this.#ownWritesOf(routine) === 'always') return 'always';
    return this.reached(routine).some((one) => this.#ownWritesOf(one) !== undefined) ? 'may' : undefined;
  }

  #ownWritesOf(routine: RoutineFact): CallEntry['writes'] {
    if (this.#ownWrites.has(routine)) return this.#ownWrites.get(routine);
    const own = ownWrites(routine);
    this.#ownWrites.set(routine, own);
    return own;
  }

  /** Returns the names in the code of the function itself. */
  uses({ language, body }: RoutineFact): readonly Use[] {
    return codeOf(`${language}\n${body}`).uses;
  }

  /** Returns the ids of the entities that the code reads, and of those whose rows it writes. */
  entities(look: Reads<'byName'>, routine: RoutineFact): { read: ReadonlySet<string>; written: ReadonlySet<string> } {
    const [read, written] = [new Set<string>(), new Set<string>()];
    for (const one of this.reached(routine).filter(isOfApp)) {
      for (const { kind, schema, name } of this.uses(one)) {
        const into = kind === 'select' ? read : rowWrites.has(kind) ? written : null;
        const relation = into && this.relation(look, one, schema, name);
        if (relation && isOfApp(relation)) into.add(entityId(relation.schema, relation.name));
      }
    }
    return { read, written };
  }

  /** Returns the relation that code names. A name without schema is looked up in the search path of the function. */
  relation(look: Reads<'byName'>, routine: RoutineFact, schema: string | null, name: string): RelationFact | undefined {
    for (const one of schema === null ? this.searchPath(routine) : [schema]) {
      const found = named(look, one, name);
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the schemas in which a function finds names, without those of PostgreSQL. */
  searchPath({ settings }: RoutineFact): readonly string[] {
    const set = settings.find((setting) => setting.startsWith('search_path='));
    return set === undefined ? this.#exposedSchemas : tokens(set.slice('search_path='.length)).map(({ text }) => text);
  }

  /** Returns the errors in the code of the function itself, in the order of the code. */
  ownRaises({ language, body }: RoutineFact): readonly Raise[] {
    return codeOf(`${language}\n${body}`).raises;
  }

  /** Returns the errors that a call may return because the code, or a function that it reaches, raises them. */
  raises(routine: RoutineFact): Raise[] {
    return [...this.ownRaises(routine).filter(isReturned), ...this.raisesOfCalls(routine)];
  }

  /**
   * Returns the errors of the functions that the code reaches, without those that a block around the call catches. The
   * conditions of these errors are left out, because they name arguments and variables of the called function.
   */
  raisesOfCalls(routine: RoutineFact): Raise[] {
    const passing = new Map<string | null, ReadonlySet<RoutineFact>>();
    const called = this.reached(routine).filter((one) => one !== routine && isOfApp(one));
    return called.flatMap((one) =>
      this.ownRaises(one)
        .filter(isReturned)
        .flatMap((raise) => {
          const from = passing.get(raise.sqlstate) ?? this.#uncaughtCalls(routine, raise.sqlstate);
          passing.set(raise.sqlstate, from);
          return from.has(one) ? [{ ...raise, condition: null }] : [];
        }),
    );
  }

  /** Returns the functions from which an error with this SQLSTATE reaches the caller of a function. */
  #uncaughtCalls(routine: RoutineFact, sqlstate: string | null): ReadonlySet<RoutineFact> {
    const found = new Set([routine]);
    // The loop adds functions to the set and also visits these.
    for (const one of found) {
      const isRead = one.language === 'sql' || one.language === 'plpgsql';
      const calls = this.uses(one).filter(({ kind, handlers }) => kind === 'call' && !isCaught(handlers, sqlstate));
      const called = isRead ? calls.flatMap(({ schema, name }) => this.called(schema, name)) : this.namedIn(one.body);
      for (const other of called) found.add(other);
    }
    return found;
  }

  /** Returns the functions of a name that code calls. */
  called(schema: string | null, name: string): readonly RoutineFact[] {
    const code = `${schema === null ? '' : `${quote(schema)}.`}${quote(name)}(`;
    const known = this.#called.get(code) ?? this.namedIn(code);
    this.#called.set(code, known);
    return known;
  }
}

const isReturned = (raise: Raise): boolean => !raise.isCaught && !raise.isAgain;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const rowWrites: ReadonlySet<Use['kind']> = new Set(['insert', 'update', 'delete', 'truncate']);

/** Returns false for objects of Ninefold, which other chapters describe. */
const isOfApp = ({ schema }: { schema: string }): boolean => schema !== 'ninefold' && schema !== 'ninefold_states';

/** Caches the result by language and body, because few bodies change between two derivations. */
const codeOf = memoize(
  (text) => {
    const end = text.indexOf('\n');
    const [language, body] = [text.slice(0, end), text.slice(end + 1)];
    const isRead = language === 'sql' || language === 'plpgsql';
    return { uses: isRead ? usesOf(language, body) : [], raises: language === 'plpgsql' ? raisesOf(body) : [] };
  },
  { maxText: REMEMBERED_CHARACTERS },
);

/** Returns the code of a function, followed by the constant SQL that it runs with EXECUTE. */
const executedCode = ({ language, body }: RoutineFact): string =>
  language === 'plpgsql' ? [body, ...constantSql(body)].join('\n') : body;

function ownWrites({ schema, language, body }: RoutineFact): CallEntry['writes'] {
  const writes = writesOf(language, body);
  if (writes === 'always') return 'always';
  // The SQL that Ninefold's own functions build only reads.
  const isDynamic = language === 'plpgsql' && schema !== 'ninefold' && runsDynamicSql(body);
  return writes === 'at times' || isDynamic ? 'may' : undefined;
}
