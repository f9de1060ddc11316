import { isWritable } from '../../../../contract/call-detail.ts';
import type { ComputedField, Entity, Field } from '../../../../contract/specification-entities.ts';
import { executedRoutines } from '../../../access/exposed.ts';
import type { Lookup } from '../../../access/lookup.ts';
import { groupBy } from '../../../catalog/group.ts';
import { compareText } from '../../../catalog/names.ts';
import type { RoutineFact } from '../../../catalog/routines.ts';
import { type KeyRelationship, nameKey } from '../../../catalog/schema-cache.ts';
import type { NamedTypeFact, OutputFact } from '../../../catalog/type-facts.ts';
import { entitiesChapter } from '../../derive/chapters/entities/entities.ts';
import { Entries } from '../../derive/entries.ts';
import type { TypeFacts } from './facts.ts';
import { NamedTypes, type Shape } from './type-names.ts';

/**
 * Returns the type `Database` for `createClient<Database>` of supabase-js, with the names of Supabase's generator. For
 * each exposed schema: Tables and Views with Row, Insert, Update, Relationships and, if there are any, ComputedFields;
 * Functions; Enums; CompositeTypes.
 */
export function typescriptTypes(types: TypeFacts): string {
  const write = new Writer(types);
  const schemas = types.facts.exposedSchemas.map((schema) => member(schema, write.schema(schema)));
  return `${head}\nexport type Database = ${object(schemas)}\n${tail}`;
}

/** Returns the part of `Database` for one entity; an empty string if the entity is not exposed. */
export const typescriptOf = (types: TypeFacts, id: string): string => new Writer(types).only(id);

const head = `export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]
`;

/** Short names for parts of `Database`, as users of supabase-js know them. */
const tail = `
type DefaultSchema = Database[Extract<keyof Database, 'public'> extends never ? keyof Database : Extract<keyof Database, 'public'>]

export type Tables<Name extends keyof (DefaultSchema['Tables'] & DefaultSchema['Views'])> =
  (DefaultSchema['Tables'] & DefaultSchema['Views'])[Name] extends { Row: infer Row } ? Row : never

export type TablesInsert<Name extends keyof DefaultSchema['Tables']> =
  DefaultSchema['Tables'][Name] extends { Insert: infer Insert } ? Insert : never

export type TablesUpdate<Name extends keyof DefaultSchema['Tables']> =
  DefaultSchema['Tables'][Name] extends { Update: infer Update } ? Update : never

export type Enums<Name extends keyof DefaultSchema['Enums']> = DefaultSchema['Enums'][Name]

export type CompositeTypes<Name extends keyof DefaultSchema['CompositeTypes']> = DefaultSchema['CompositeTypes'][Name]
`;

class Writer {
  readonly #types: TypeFacts;
  readonly #look: Lookup;
  readonly #named: NamedTypes;
  readonly #entities: readonly Entity[];
  readonly #outputs: ReadonlyMap<number, OutputFact>;

  constructor(types: TypeFacts) {
    this.#types = types;
    this.#named = new NamedTypes(types.named_types, (fact) => this.#isExposed(fact));
    const entries = new Entries(types.facts);
    this.#look = entries.look;
    this.#entities = entitiesChapter(entries).entities;
    this.#outputs = new Map(types.outputs.map((output) => [output.routine, output]));
  }

  schema(schema: string): string {
    const entities = this.#entities.filter((entity) => entity.schema === schema);
    const named = this.#types.named_types.filter((fact) => fact.schema === schema);
    return object([
      member('Tables', this.#record(entities.filter(isTable).map((one) => member(one.name, this.#entity(one))))),
      member(
        'Views',
        this.#record(entities.filter((one) => !isTable(one)).map((one) => member(one.name, this.#entity(one)))),
      ),
      member('Functions', this.#record(this.#functions(schema))),
      member(
        'Enums',
        this.#record(
          named.filter(({ kind }) => kind === 'e').map((fact) => member(fact.name, union(fact.labels ?? []))),
        ),
      ),
      member(
        'CompositeTypes',
        this.#record(named.filter(standsAlone).map((fact) => member(fact.name, this.#composite(fact)))),
      ),
    ]);
  }

  only(id: string): string {
    const entity = this.#entities.find((one) => one.exposed && one.id === id);
    if (!entity) return '';
    const place = `Database[${JSON.stringify(entity.schema)}][${isTable(entity) ? "'Tables'" : "'Views'"}]`;
    return `// within ${place.replaceAll('"', "'")}\n${member(entity.name, this.#entity(entity))}\n`;
  }

  /** Returns an object type. Without members, returns the type of an object without any property. */
  #record(members: readonly string[]): string {
    return members.length === 0 ? '{ [_ in never]: never }' : object(members);
  }

  #entity(entity: Entity): string {
    const { fields, writable } = entity;
    const isWritable = isTable(entity) || writable.insert || writable.update;
    const computed = this.#computed(entity);
    const parts = [
      member(
        'Row',
        this.#record([
          ...fields.map((field) => member(field.name, this.#value(field))),
          ...computed.map(({ name, type }) => member(name, `${this.#type(this.#named.shapeOf(type))} | null`)),
        ]),
      ),
    ];
    // A selection of `*` does not return computed fields. supabase-js omits the fields of `ComputedFields` from the
    // type of `*`.
    if (computed.length > 0) parts.push(member('ComputedFields', union(computed.map(({ name }) => name))));
    if (isWritable) {
      parts.push(
        member(
          'Insert',
          this.#record(fields.map((field) => this.#given(field, isTable(entity) && mustBeGiven(field)))),
        ),
        member('Update', this.#record(fields.map((field) => this.#given(field, false)))),
      );
    }
    return object([...parts, member('Relationships', this.#relationships(entity))]);
  }

  /** Returns the computed fields of an entity, without duplicate names. */
  #computed({ computed = [] }: Entity): ComputedField[] {
    const fields = computed.filter(({ as }) => as === 'field');
    return fields.filter(({ name }, i) => fields.findIndex((one) => one.name === name) === i);
  }

  #value(field: Field): string {
    const type = this.#type(this.#named.shapeOf(field.type));
    return field.nullable ? `${type} | null` : type;
  }

  /**
   * Returns the member for a field in the type of a write. If PostgreSQL computes the field, the type of the member is
   * never.
   */
  #given(field: Field, required: boolean): string {
    if (!isWritable(field)) return member(field.name, 'never', true);
    return member(field.name, this.#value(field), !required);
  }

  #type(shape: Shape): string {
    switch (shape.kind) {
      case 'number':
      case 'boolean':
      case 'unknown':
        return shape.kind;
      case 'text':
        return 'string';
      case 'json':
        return 'Json';
      case 'void':
        return 'undefined';
      case 'record':
        return 'Record<string, unknown>';
      case 'cut':
        return 'unknown';
      case 'array': {
        const element = this.#type(shape.element);
        return /[^\w[\]"']/.test(element) ? `(${element})[]` : `${element}[]`;
      }
      case 'enum':
        return this.#isExposed(shape.type) ? at(shape.type, 'Enums') : union(shape.type.labels ?? []);
      case 'composite':
        return this.#isExposed(shape.type) ? at(shape.type, 'CompositeTypes') : this.#attributes(shape.attributes);
      case 'row': {
        const entity = this.#entities.find(
          ({ schema, name }) => schema === shape.type.schema && name === shape.type.name,
        );
        if (!entity || !this.#isExposed(shape.type)) return 'Record<string, unknown>';
        const row = `${at(shape.type, isTable(entity) ? 'Tables' : 'Views')}["Row"]`;
        const computed = this.#computed(entity);
        return computed.length === 0 ? row : `Omit<${row}, ${union(computed.map(({ name }) => name))}>`;
      }
    }
  }

  #attributes(attributes: readonly { name: string; shape: Shape }[]): string {
    return this.#record(attributes.map((one) => member(one.name, `${this.#type(one.shape)} | null`)));
  }

  /** Returns a composite type. Types of exposed schemas within it appear by name, and other types in full. */
  #composite({ attributes }: NamedTypeFact): string {
    return this.#attributes((attributes ?? []).map(({ name, type }) => ({ name, shape: this.#named.shapeOf(type) })));
  }

  #isExposed({ schema }: NamedTypeFact): boolean {
    return this.#types.facts.exposedSchemas.includes(schema);
  }

  #relationships(entity: Entity): string {
    const known = this.#types.catalog.relationships.get(nameKey(entity)) ?? [];
    const keys = known
      .filter(
        (one): one is KeyRelationship => one.kind === 'many-to-one' || (one.kind === 'one-to-one' && !one.isParent),
      )
      .filter((one) => one.foreignTable.schema === entity.schema)
      .sort((a, b) => compareText(a.constraint, b.constraint) || compareText(a.foreignTable.name, b.foreignTable.name));
    if (keys.length === 0) return '[]';
    const written = keys.map((key) =>
      object([
        member('foreignKeyName', text(key.constraint)),
        member('columns', tuple(key.columns.map(([here]) => here))),
        member('isOneToOne', String(key.kind === 'one-to-one')),
        member('referencedRelation', text(key.foreignTable.name)),
        member('referencedColumns', tuple(key.columns.map(([, there]) => there))),
      ]),
    );
    return `[\n${written.map(indent).join(',\n')},\n]`;
  }

  #functions(schema: string): string[] {
    // Contains the functions of /rest/v1/rpc, and functions that are computed relationships, because supabase-js looks
    // up embedded rows here. Omits functions that are only computed fields.
    const routines = executedRoutines(this.#look)
      .filter(({ isCallable, computed }) => isCallable || computed.some(({ as }) => as === 'relationship'))
      .map(({ routine }) => routine)
      .filter((routine) => routine.schema === schema);
    return [...groupBy(routines, ({ name }) => name)].map(([name, overloads]) =>
      member(name, overloads.map((routine) => this.#function(routine)).join(' | ')),
    );
  }

  #function(routine: RoutineFact): string {
    const args = routine.inputs.map((input) => {
      const type = this.#type(this.#named.shapeOf(input.type));
      return member(input.name, type, input.has_default || input.mode === 'v');
    });
    const output = this.#outputs.get(routine.oid);
    const returns = this.#returns(output);
    const row = output?.columns.length ? null : this.#named.get(output?.type ?? '');
    const isOfRows = row && row.relation_kind !== null && this.#isExposed(row);
    // For a relationship that embeds one row, supabase-js turns the type into an array itself if the function is called
    // by its name.
    const isOne = isOfRows && routine.one_row;
    const isMany = routine.returns_set && !isOne;
    const parts = [
      member('Args', args.length === 0 ? 'Record<PropertyKey, never>' : object(args)),
      member('Returns', isMany ? `${/[^\w[\]"']/.test(returns) ? `(${returns})` : returns}[]` : returns),
    ];
    if (isOfRows) {
      const [from] = routine.inputs.length === 1 ? [this.#named.get(routine.inputs[0]?.type ?? '')] : [];
      parts.push(
        member(
          'SetofOptions',
          object([
            member('from', text(from && from.relation_kind !== null ? from.name : '*')),
            member('to', text(row.name)),
            member('isOneToOne', String(!isMany)),
            member('isSetofReturn', String(routine.returns_set)),
          ]),
        ),
      );
    }
    return object(parts);
  }

  #returns(output: OutputFact | undefined): string {
    const columns = output ? this.#named.columnsOf(output) : [];
    if (columns.length > 0) {
      return object(columns.map(({ name, type }) => member(name, this.#type(this.#named.shapeOf(type)))));
    }
    return this.#type(this.#named.shapeOf(output?.type ?? 'unknown'));
  }
}

const standsAlone = (fact: NamedTypeFact): boolean => fact.kind === 'c' && fact.relation_kind === null;

const isTable = ({ kind }: Entity): boolean =>
  kind === 'table' || kind === 'partitioned table' || kind === 'foreign table';

/** Returns true for a field that an INSERT must set. */
export const mustBeGiven = (field: Field): boolean =>
  !field.nullable && field.default === null && field.identity === null && field.generated === null;

const at = ({ schema, name }: NamedTypeFact, part: string): string =>
  `Database[${text(schema)}][${text(part)}][${text(name)}]`;

const text = (value: string): string => JSON.stringify(value);
const union = (values: readonly string[]): string => (values.length === 0 ? 'never' : values.map(text).join(' | '));
const tuple = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`;
const indent = (value: string): string => value.replace(/^/gm, '  ');

/** Returns a member of an object type. A name that is no identifier is quoted. */
const member = (name: string, type: string, optional = false): string =>
  `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)}${optional ? '?' : ''}: ${type}`;

const object = (members: readonly string[]): string => `{\n${members.map(indent).join('\n')}\n}`;
