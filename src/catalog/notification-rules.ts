import type { NotificationKind } from '../../contract/notifications.ts';
import type { CatalogQueries } from './read-catalog.ts';

/** Rules of the notifications of members. */
export interface NotificationRuleFacts {
  notification_rules: NotificationRuleFact[];
}

/** A rule of notifications. */
export interface NotificationRuleFact {
  /** Object identifier of the table. */
  relation: number;
  kind: NotificationKind;
  /** The field that decides: the beginning of the appointment, the text, the member, the reference or the state. */
  field: string;
  /** Fields with the ids of the members who get the notification. For a reference, they are fields of the referenced table. */
  tell: string[];
  /** The reference to the row that a mention is about; null for the row itself. */
  about: string | null;
  /** Names of the transitions; null for every change of the state. */
  transitions: string[] | null;
  /** Of an appointment: the field with the end, the field with the state, and the states in which it does not take place. */
  ends: string | null;
  state: string | null;
  cancelled: string[] | null;
  /** The table whose row the notification is about; null if the rule names no such table. */
  target: number | null;
  /** The reason why the rule cannot work; null if it can. */
  problem: string | null;
  /** True if the triggers that follow the rule are enabled. */
  is_followed: boolean;
}

/** Query of NotificationRuleFacts. */
export const notificationRuleQueries: CatalogQueries<NotificationRuleFacts> = {
  notification_rules: `
    select coalesce(json_agg(row_to_json(t) order by t.relation, t.kind, t.field), '[]') from (
      select r.entity::oid::int8 as relation, r.kind, r.field, r.tell, r.about, r.transitions, r.ends, r.state, r.cancelled,
        case when coalesce(r.about, case r.kind when 'reference' then r.field end) is null then r.entity::oid::int8
          else (ninefold.referenced_by(r.entity, coalesce(r.about, r.field))).target::int8 end as target,
        ninefold.notification_problem(r) as problem,
        not exists (
          select from unnest(case r.kind when 'reference' then array['insert'] when 'transition' then array['update'] else array['insert', 'update'] end) e
          where not exists (
            select from pg_catalog.pg_trigger g where g.tgrelid = r.entity and g.tgname = 'zz_ninefold_tell_' || e
              and g.tgenabled in ('A', 'O') and g.tgfoid = 'ninefold.tell_members'::regproc)) as is_followed
      from ninefold.notification_rules r
    ) t`,
};
