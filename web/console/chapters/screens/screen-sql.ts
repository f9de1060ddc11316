import type { Screen } from '../../../../contract/description.ts';
import { arrayLiteral, callSql, literal } from '../../queries/sql.ts';

/** Returns the SQL that defines a screen unchanged, as a start for editing. Pure. */
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
  group_by,
  related,
  actions,
  home,
  place,
}: Screen): string =>
  callSql('ninefold.define_screen', {
    route: literal(route),
    title: literal(title),
    kind: literal(kind),
    entity: literal(entity),
    columns: columns.length > 0 ? arrayLiteral(columns) : null,
    filter: filter === null ? null : literal(filter),
    order_by: order_by === null ? null : literal(order_by),
    // Every caller who may read the entity sees a derived screen. A list of roles would exclude callers with roles that
    // are created later, so the SQL contains none.
    roles: origin === 'derived' || roles.length === 0 ? null : arrayLiteral(roles),
    group_by: group_by === undefined ? null : literal(group_by),
    related: related === undefined ? null : arrayLiteral(related),
    actions: actions === undefined ? null : arrayLiteral(actions),
    home: home === undefined ? null : 'true',
    place: place === undefined ? null : String(place),
  });

/** Returns the SQL that deletes a defined screen; null for a derived screen. Pure. */
export const dropScreenSql = ({ route, origin }: Screen): string | null =>
  origin === 'derived' ? null : `select ninefold.drop_screen(${literal(route)});`;
