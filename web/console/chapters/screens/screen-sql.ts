import type { Screen } from '../../../../contract/description.ts';
import { arrayLiteral, callSql, literal } from '../../data/sql/literal.ts';

/** The SQL that defines a screen as it is: where one begins to change it. Pure. */
export const defineScreenSql = ({
  route,
  title,
  kind,
  entity,
  columns,
  filter,
  order_by,
  roles,
  origin,
}: Screen): string =>
  callSql('ninefold.define_screen', {
    route: literal(route),
    title: literal(title),
    kind: literal(kind),
    entity: literal(entity),
    columns: columns.length > 0 ? arrayLiteral(columns) : null,
    filter: filter === null ? null : literal(filter),
    order_by: order_by === null ? null : literal(order_by),
    // What follows from the entity is shown to whoever may read it; to say so would hold it fast.
    roles: origin === 'derived' || roles.length === 0 ? null : arrayLiteral(roles),
  });

/** The SQL that takes a defined screen away; null for one that follows from its entity. Pure. */
export const dropScreenSql = ({ route, origin }: Screen): string | null =>
  origin === 'derived' ? null : `select ninefold.drop_screen(${literal(route)});`;
