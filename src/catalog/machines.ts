import type { CatalogQueries } from './read-catalog.ts';

/** State machines of an app: their definitions, and which of their triggers are in force. */
export interface MachineFacts {
  machines: MachineFact[];
}

/** One state machine. */
export interface MachineFact {
  /** Object identifier of the table. The table may no longer exist. */
  relation: number;
  field: string;
  initial: string;
  /** The transitions in the order of their definition. */
  transitions: TransitionFact[];
  /** The triggers that the machine needs, each with its actual state. */
  triggers: MachineTriggerFact[];
  /** Triggers of the app that run after the machine's `set_fields` and may change fields. */
  later_triggers: string[];
  /**
   * Child tables of the machine's table. A statement on the parent can change rows of its child tables, and the
   * machine's triggers do not run for these rows.
   */
  heirs: string[];
  has_key: boolean;
  /** Values of the field's enum type; null for other types. */
  values: string[] | null;
  /** True if the service role may read the field, so that rows can be counted by state. */
  countable: boolean;
}

/** A transition of a state machine. */
export interface TransitionFact {
  name: string;
  /** States in which the transition can start; null if it can start in any state. */
  from: string[] | null;
  to: string;
  /** Roles that may use the transition; null if every role that may change the row may use it. */
  roles: string[] | null;
  guard: MachineFunctionFact | null;
  requires: string[];
  sets: string[];
  setter: MachineFunctionFact | null;
}

/** A function that was compiled from an expression. `body` is null if the function no longer exists. */
export interface MachineFunctionFact {
  name: string;
  /** Name of the parameter for the row. */
  row: string | null;
  /** Body as PostgreSQL prints it. */
  body: string | null;
}

/** A trigger that a state machine needs. */
export interface MachineTriggerFact {
  does: 'fill_state' | 'set_fields' | 'check_start' | 'check_state_change' | 'record_state_change';
  timing: string;
  /** `other`: a trigger with this function exists, but with other conditions. */
  state: 'on' | 'not in replicas' | 'off' | 'other' | 'missing';
}

/** SQL with the bits of pg_trigger.tgtype for a row trigger with the timing `e.timing`. */
const timingBits = `case e.timing when 'before insert' then 7 when 'before update' then 19 when 'after insert' then 5
  when 'after update' then 17 when 'after insert or delete' then 13 end`;

const compiled = (name: string): string => `case when ${name} is not null then json_build_object('name', ${name},
  'row', (select p.proargnames[1] from pg_catalog.pg_proc p where p.pronamespace = ns.oid and p.proname = ${name}),
  'body', (select coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) from pg_catalog.pg_proc p
    where p.pronamespace = ns.oid and p.proname = ${name})) end`;

/**
 * Returns SQL with a condition without its outer brackets, because PostgreSQL adds brackets when it prints a condition.
 */
const bare = (condition: string): string => `regexp_replace(${condition}, '[()]', '', 'g')`;

/** Query of MachineFacts. */
export const machineQueries: CatalogQueries<MachineFacts> = {
  machines: `
    select coalesce(json_agg(row_to_json(t) order by t.relation, t.field), '[]') from (
      select m.entity::oid::int8 as relation, m.field, m.initial,
        (select coalesce(json_agg(json_build_object('name', x.name, 'from', x.from_states, 'to', x.to_state, 'roles', x.roles,
            'guard', ${compiled('x.guard')}, 'requires', x.requires, 'sets', x.sets, 'setter', ${compiled('x.setter')})
            order by x.position), '[]')
          from ninefold.transitions x left join pg_catalog.pg_namespace ns on ns.nspname = 'ninefold_states'
          where x.entity = m.entity and x.field = m.field) as transitions,
        (select json_agg(json_build_object('does', replace(e.function::text, 'ninefold.', ''), 'timing', e.timing, 'state',
            case when g.found is null then 'missing' else g.found end))
          from ninefold.machine_triggers(m.entity, m.field) e
          left join lateral (
            select case
                when ${bare(`coalesce(substring(pg_get_triggerdef(g.oid) from ' WHEN (.*) EXECUTE FUNCTION '), '')`)}
                  is distinct from ${bare(`coalesce('(' || e.condition || ')', '')`)} then 'other'
                when g.tgenabled = 'A' then 'on'
                when g.tgenabled = 'O' then 'not in replicas'
                else 'off' end as found
            from pg_catalog.pg_trigger g
            where g.tgrelid = m.entity and g.tgfoid = e.function and g.tgtype = ${timingBits} and not g.tgisinternal
              and g.tgattr::text = ''
              and g.tgargs = ninefold.trigger_arguments(e.arguments)
            order by g.tgenabled = 'A' desc, g.tgenabled = 'O' desc limit 1
          ) g on true) as triggers,
        (select coalesce(json_agg(g.tgname order by g.tgname), '[]') from pg_catalog.pg_trigger g
          join pg_catalog.pg_proc p on p.oid = g.tgfoid
          where g.tgrelid = m.entity and not g.tgisinternal and g.tgtype & 19 = 19 and g.tgenabled <> 'D'
            and p.pronamespace <> 'ninefold'::regnamespace
            and exists (select from pg_catalog.pg_trigger o where o.tgrelid = m.entity and o.tgname < g.tgname
              and o.tgfoid = 'ninefold.set_fields'::regproc)) as later_triggers,
        (select coalesce(json_agg(i.inhrelid::regclass::text order by i.inhrelid::regclass::text), '[]')
          from pg_catalog.pg_inherits i where i.inhparent = m.entity) as heirs,
        exists (select from pg_catalog.pg_index i where i.indrelid = m.entity and i.indisprimary) as has_key,
        (select json_agg(l.enumlabel order by l.enumsortorder) from pg_catalog.pg_enum l
          join pg_catalog.pg_attribute a on a.atttypid = l.enumtypid
          where a.attrelid = m.entity and a.attname = m.field) as values,
        coalesce((select has_schema_privilege('service_role', c.relnamespace, 'usage')
            and has_column_privilege('service_role', c.oid, a.attnum, 'select')
          from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = m.field
            and not a.attisdropped
          where c.oid = m.entity), false) as countable
      from ninefold.machines m
    ) t`,
};
