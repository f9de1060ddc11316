import { entityId, routineId } from '../../contract/entity-names.ts';
import type { SqlName } from '../catalog/schema-cache.ts';
import type { PlanNames, TouchedRelation } from '../observe/events.ts';
import type { Plan, ReadNode } from './plan/plan.ts';

const operations = { insert: 'insert', update: 'update', 'upsert-one': 'insert', delete: 'delete' } as const;

/** Returns the names of a plan: its call in chapter 7 and the relations that it reads or writes. */
export function planNames(plan: Plan, method: string): PlanNames {
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
      const id = routineId(
        routine.schema,
        routine.name,
        routine.parameters.map(({ type }) => type),
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

const idOf = ({ schema, name }: SqlName): string => entityId(schema, name);

/** Returns the names of the relation or function of the request, followed by the names of the embedded relations. */
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
