import { type CallPlan, returnsScalar, returnsSetOfScalar } from '../plan/plan.ts';
import { arrayLiteral, columnText, identifier, type Params, qualified } from './text.ts';
import { jsonRowsText } from './write.ts';

/** Name of the column with a scalar result. */
export const SCALAR = 'pgrst_scalar';

const result = { alias: 'pgrst_call' };

/** Returns SQL with the result of a function as rows. */
export function callText(plan: CallPlan, params: Params): string {
  const scalar = returnsScalar(plan.routine) || returnsSetOfScalar(plan.routine);
  const columns = scalar ? columnText(result, SCALAR) : resultColumns(plan);
  return `SELECT ${columns} FROM ${fromText(plan, scalar, params)}`;
}

function resultColumns({ returning, filterColumns }: CallPlan): string {
  if (returning.length === 0 || returning.includes('*')) return columnText(result, '*');
  return [...new Set([...returning, ...filterColumns])].map((column) => columnText(result, column)).join(', ');
}

function fromText(plan: CallPlan, scalar: boolean, params: Params): string {
  const name = qualified(plan.routine);
  const called = (list: string): string =>
    scalar ? `(SELECT ${name}(${list}) AS ${SCALAR}) AS pgrst_call` : `${name}(${list}) AS pgrst_call`;
  const args = plan.arguments;
  switch (args.kind) {
    case 'none':
      return called('');
    case 'unnamed':
      return called(`${params.bind(args.body)}::${args.parameter.type}`);
    case 'values':
      return called(
        args.values
          .map(({ parameter, value }) => {
            const bound = params.bind(typeof value === 'string' ? value : arrayLiteral(value));
            return namedArgument(parameter, `${bound}::${parameter.unboundedType}`);
          })
          .join(', '),
      );
    case 'json': {
      const columns = args.parameters.map((parameter) => ({
        name: parameter.name,
        type: parameter.unboundedType,
        transform: null,
        default: null,
      }));
      const rows = jsonRowsText(columns, args, { defaults: false, one: true }, params);
      const list = args.parameters.map((parameter) =>
        namedArgument(parameter, columnText({ alias: 'pgrst_body' }, parameter.name)),
      );
      return `${rows}, LATERAL ${called(list.join(', '))}`;
    }
  }
}

const namedArgument = (parameter: { name: string; variadic: boolean }, value: string): string =>
  `${parameter.variadic ? 'VARIADIC ' : ''}${identifier(parameter.name)} => ${value}`;
