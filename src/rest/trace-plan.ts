import { entityId, routineId } from '../../contract/entity-names.ts';
import type { SqlName } from '../catalog/schema-cache.ts';
import type { TouchedBy, TouchedRelation, TraceRecorder } from '../observe/call-trace.ts';
import type { Plan, ReadNode } from './plan/plan.ts';
import type { Batch } from './sql/build-statements.ts';

interface About {
  readonly call: string;
  readonly operation: TouchedBy;
  readonly relations: readonly TouchedRelation[];
}

/** Plans of one shape are the same object, so a repeated request needs only one lookup. */
const known = new WeakMap<Plan, About>();
const ids = new WeakMap<object, string>();

/** Records the call of chapter 7 and the relations of a plan: names of the schema, without values. */
export function tracePlan(trace: TraceRecorder, plan: Plan, method: string): void {
  let about = known.get(plan);
  if (about === undefined) {
    about = aboutOf(plan, method);
    known.set(plan, about);
  }
  trace.call = about.call;
  trace.operation = about.operation;
  trace.relations = about.relations;
  trace.planned = performance.now();
}

/** Records the statement that gives the result, without its values. */
export function traceStatement(trace: TraceRecorder, { statements, main }: Batch): void {
  const statement = statements[main];
  trace.sql = statement?.text ?? null;
  trace.parameters = statement?.params.length ?? 0;
  trace.built = performance.now();
}

const operations = { insert: 'insert', update: 'update', 'upsert-one': 'insert', delete: 'delete' } as const;

function aboutOf(plan: Plan, method: string): About {
  switch (plan.kind) {
    case 'read':
      return {
        call: `rest.${idOf(plan.target)}.select`,
        operation: 'select',
        relations: touched(plan.target, plan.read),
      };
    case 'mutate': {
      const operation = operations[plan.mutation];
      return { call: `rest.${idOf(plan.target)}.${operation}`, operation, relations: touched(plan.target, plan.read) };
    }
    case 'call': {
      const { routine } = plan;
      const id = remembered(routine, () =>
        routineId(
          routine.schema,
          routine.name,
          routine.parameters.map(({ type }) => type),
        ),
      );
      return {
        call: `rpc.${id}${method === 'POST' ? '' : '.get'}`,
        operation: 'execute',
        relations: touched(routine, plan.read),
      };
    }
    case 'describe':
      return { call: 'rest.describe', operation: 'select', relations: [] };
    case 'options':
      return { call: 'rest.options', operation: 'select', relations: [] };
  }
}

const idOf = (name: SqlName): string => remembered(name, () => entityId(name.schema, name.name));

function remembered(name: object, make: () => string): string {
  let id = ids.get(name);
  if (id === undefined) {
    id = make();
    ids.set(name, id);
  }
  return id;
}

/** Returns the relation or function itself, followed by embedded relations. */
function touched({ schema, name }: SqlName, read: ReadNode): readonly TouchedRelation[] {
  const found: TouchedRelation[] = [{ schema, name }];
  const visit = (node: ReadNode): void => {
    for (const child of node.children) {
      found.push({ schema: child.relation.schema, name: child.relation.name });
      visit(child);
    }
  };
  visit(read);
  return found;
}
