import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { Corpus, corpusSchema } from '../../test/support/sql-corpus.ts';
import { NamedFunctions } from './body/named-functions.ts';
import { raisesOf } from './body/raises.ts';
import { writesOf } from './body/writes.ts';
import { readCondition, relationsRead } from './condition.ts';
import { mapOperands } from './map-tree.ts';
import type { Expression } from './tree.ts';

// The tests compare this reader with PostgreSQL's own parser (libpg-query) on the same printed SQL. Only tests use
// libpg-query, because hostile input can block it.

const CONDITIONS = 1600;
const VIEWS = 150;
const BODIES = 300;

let postgres: TestPostgres;
let database: pg.Client;
let conditions: string[];
let views: string[];
const corpus = new Corpus(20_261_123);
const bodies = Array.from({ length: BODIES }, () => corpus.body());

beforeAll(async () => {
  await loadModule();
  postgres = await startPostgres('sql-oracle');
  database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const policies = Array.from(
    { length: CONDITIONS },
    (_, i) => `create policy p${i} on public.docs using (${corpus.condition(3)});`,
  );
  const queries = Array.from({ length: VIEWS }, (_, i) => `create view public.v${i} as ${corpus.query()};`);
  await database.query(`${corpusSchema}${policies.join('\n')}\n${queries.join('\n')}`);
  await database.query(`set search_path = ''`);
  const printed = async (sql: string): Promise<string[]> =>
    (await database.query<[string]>({ text: sql, rowMode: 'array' })).rows.map(([text]) => text);
  conditions = await printed('select pg_get_expr(polqual, polrelid) from pg_policy order by oid');
  views = await printed(
    `select pg_get_viewdef(oid) from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace order by oid`,
  );
}, 60_000);

afterAll(async () => {
  await database?.end();
  await postgres?.stop();
});

type Node = Record<string, unknown>;

/** Calls `visit` for each typed node of a parse tree, outer nodes first. */
function walk(node: unknown, visit: (type: string, node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) walk(item, visit);
  else if (node !== null && typeof node === 'object') {
    for (const [key, value] of Object.entries(node)) {
      if (/^[A-Z]/.test(key) && value !== null && typeof value === 'object') visit(key, value as Node);
      walk(value, visit);
    }
  }
}

/** Returns the relations that parsed SQL reads, without the names of WITH. */
function relationsOf(sql: string): string[] {
  const named = new Set<string>();
  const found = new Set<string>();
  const tree = parseSync(sql);
  walk(tree, (type, node) => type === 'CommonTableExpr' && named.add(String(node.ctename)));
  walk(tree, (type, { schemaname, relname }) => {
    if (type === 'RangeVar' && !(schemaname === undefined && named.has(String(relname))))
      found.add(`${schemaname}.${relname}`);
  });
  return [...found].sort();
}

type Skeleton = 'leaf' | { kind: 'and' | 'or' | 'not'; items: Skeleton[] };

/** Combines nested conditions of the same kind (AND or OR) into one. */
function joined(kind: 'and' | 'or', items: Skeleton[]): Skeleton {
  const flat = items.flatMap((item) => (item !== 'leaf' && item.kind === kind ? item.items : [item]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind, items: flat };
}

const not = (item: Skeleton): Skeleton => ({ kind: 'not', items: [item] });

function skeletonOf(expression: Expression): Skeleton {
  if (expression.kind === 'and' || expression.kind === 'or')
    return joined(expression.kind, expression.items.map(skeletonOf));
  return expression.kind === 'not' ? not(skeletonOf(expression.item)) : 'leaf';
}

/**
 * Returns the skeleton that PostgreSQL's parser produces. This reader turns `<> ALL (list)` into NOT and a UNION in a
 * subquery into OR, so the function does the same.
 */
function parsedSkeleton(node: unknown): Skeleton {
  const [[type, value] = ['', {}]] = Object.entries(node as Record<string, Node>);
  if (type === 'BoolExpr') {
    const items = (value.args as unknown[]).map(parsedSkeleton);
    if (value.boolop === 'NOT_EXPR') return not(items[0] ?? 'leaf');
    return joined(value.boolop === 'AND_EXPR' ? 'and' : 'or', items);
  }
  if (type === 'A_Expr' && value.kind === 'AEXPR_OP_ALL' && JSON.stringify(value.name).includes('"<>"'))
    return not('leaf');
  if (type === 'SubLink' && /"op":"SETOP_UNION"/.test(JSON.stringify(value))) return joined('or', ['leaf', 'leaf']);
  return 'leaf';
}

const parsedCondition = (text: string): unknown => {
  const values: unknown[] = [];
  walk(parseSync(`select ${text}`), (type, { val }) => type === 'ResTarget' && values.push(val));
  return values[0];
};

describe('readCondition', () => {
  it('reads the same AND, OR and NOT as PostgreSQL', () => {
    expect(conditions).toHaveLength(CONDITIONS);
    const different = conditions.filter((text) => {
      const [read, parsed] = [skeletonOf(readCondition(text)), parsedSkeleton(parsedCondition(text))];
      return JSON.stringify(read) !== JSON.stringify(parsed);
    });
    expect(different).toEqual([]);
  });

  it("names only fields that PostgreSQL's parser names, and all of them if the whole expression is understood", () => {
    let understood = 0;
    for (const text of conditions) {
      const parsed = new Set<string>();
      walk(parsedCondition(text), (type, { fields }) => {
        const last = type === 'ColumnRef' ? (fields as { String?: { sval: string } }[]).at(-1)?.String : undefined;
        if (last) parsed.add(last.sval);
      });
      const read = new Set<string>();
      let isWhole = !JSON.stringify(readCondition(text)).includes('"kind":"opaque"');
      mapOperands(readCondition(text), (operand) => {
        if (operand.kind === 'field') read.add(operand.name);
        if (operand.kind === 'other' || operand.kind === 'query') isWhole = false;
        return operand;
      });
      const isPlain = isWhole && !/SELECT/.test(text);
      if (isPlain) understood++;
      const strange = [...read].filter((name) => !parsed.has(name));
      const missing = isPlain ? [...parsed].filter((name) => !read.has(name)) : [];
      expect.soft({ strange, missing }, text).toEqual({ strange: [], missing: [] });
    }
    expect(understood).toBeGreaterThan(CONDITIONS / 3);
  });
});

describe('relationsRead', () => {
  it('finds the relations of conditions and of views', () => {
    const all = [...conditions.map((text) => [text, `select ${text}`]), ...views.map((text) => [text, text])];
    for (const [text = '', sql = ''] of all) {
      const read = new Set(relationsRead(text).map(([schema, name]) => `${schema}.${name}`));
      expect.soft([...read].sort(), text).toEqual(relationsOf(sql));
    }
  });
});

describe('readers of function bodies', () => {
  const parsedBody = (body: string): unknown =>
    parsePlPgSQLSync(`create function f() returns void language plpgsql as $outer$${body}$outer$`);

  /** Returns the SQL of a body. An assignment counts as its expression. */
  const queriesOf = (tree: unknown): string[] => {
    const found: string[] = [];
    walk(tree, (type, { query, parseMode }) => {
      if (type !== 'PLpgSQL_expr') return;
      const text = String(query).replace(/^\s*\w+\s*:=/, '');
      found.push(
        parseMode === 0 && /^\s*(select|with|insert|update|delete|truncate|refresh)/i.test(text)
          ? text
          : `select ${text}`,
      );
    });
    return found;
  };

  it('finds the same errors in function bodies as PostgreSQL, with their messages', () => {
    for (const body of bodies) {
      const parsed: (string | null)[] = [];
      walk(parsedBody(body), (type, node) => {
        if (type === 'PLpgSQL_stmt_raise' && node.elog_level === 21)
          parsed.push(String(node.message ?? node.condname ?? ''));
        if (type === 'PLpgSQL_stmt_assert') parsed.push('positive');
      });
      const read = raisesOf(body).map(({ message }) => (message === 'taken' ? '' : message));
      expect.soft(read, body).toEqual(parsed);
    }
  });

  it('agrees with PostgreSQL on whether a function body writes', () => {
    const writing = /^(InsertStmt|UpdateStmt|DeleteStmt|MergeStmt|TruncateStmt|RefreshMatViewStmt|LockingClause)$/;
    for (const body of bodies) {
      let isWriting = false;
      for (const query of queriesOf(parsedBody(body)))
        walk(parseSync(query), (type, node) => {
          if (writing.test(type) || (type === 'FuncCall' && /"sval":"nextval"/.test(JSON.stringify(node.funcname))))
            isWriting = true;
        });
      expect.soft(writesOf('plpgsql', body) !== 'never', body).toBe(isWriting);
    }
  });

  it('names the functions of the app that a function body calls', () => {
    const names = ['is_member', 'can', 'Ids of', 'a_function_whose_name_is_exactly_as_long_as_postgresql_allows_i'];
    const schemas = ['public', 'private', 'public', 'public'];
    const functions = names.map((name, i) => ({
      id: `${schemas[i]}.${/^[a-z_]+$/.test(name) ? name : `"${name}"`}()`,
      body: '',
    }));
    const named = new NamedFunctions(functions);
    for (const body of bodies) {
      const called = new Set<string>();
      for (const query of queriesOf(parsedBody(body)))
        walk(parseSync(query), (type, { funcname }) => {
          const last =
            type === 'FuncCall' ? (funcname as { String: { sval: string } }[]).at(-1)?.String.sval : undefined;
          const id = functions[names.indexOf(last?.slice(0, 63) ?? '')]?.id;
          if (id !== undefined) called.add(id);
        });
      expect.soft(new Set(named.in(body)), body).toEqual(called);
    }
  });
});
