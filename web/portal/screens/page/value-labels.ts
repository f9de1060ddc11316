import { useQuery } from '@tanstack/react-query';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { textOf } from '../../../fields/format.ts';
import { t } from '../../../language/messages.ts';
import { isPersonField, rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { namedRows } from '../../queries/figures.ts';
import { useMemberNames } from '../../queries/member-names.ts';
import { entityIn, fieldIn, labelOf, useScreens } from '../../queries/screens.ts';
import { useCaller } from '../shell/gate.tsx';

/**
 * Returns a function that names the values of a field: by the label of a value or a state, the name of a member, or the
 * label of the referenced row. The name is empty while a referenced row is being read.
 */
export function useValueLabels(
  entity: PortalEntity,
  name: string | null,
  values: readonly unknown[],
): (value: unknown) => string {
  const portal = usePortal();
  const all = useScreens();
  const callerId = useCaller()?.user.id;
  const field = name === null ? undefined : fieldIn(entity, name);
  const reference = field?.reference ?? null;
  const target = reference === null ? undefined : entityIn(all, reference.entity);
  const known = values.filter((value) => value !== null);
  const { data, isPending } = useQuery({
    ...namedRows(portal, all, target ?? entity, reference?.field ?? '', known),
    enabled: target !== undefined && known.length > 0,
  });
  const members = useMemberNames(field?.editor === 'member' ? known.map(String) : []);
  return (value) => {
    if (!field) return '';
    if (value === null) return isPersonField(field) ? t('nobody') : t('empty');
    if (field.editor === 'member') return memberLabel(String(value), members, callerId);
    if (!target) return textLabel(entity, field, value);
    const row = data?.rows.find((one) => String(one[reference?.field ?? '']) === String(value));
    if (!row) return isPending ? '' : value === callerId ? t('you') : t('notVisible');
    return value === callerId && labelOf(all, target, row) === null ? t('you') : rowName(all, target, row);
  };
}

function memberLabel(id: string, names: Readonly<Record<string, string>>, callerId: string | undefined): string {
  return id === callerId ? t('you') : (names[id] ?? t('anotherMember'));
}

function textLabel({ machine }: PortalEntity, field: PortalField, value: unknown): string {
  const state = machine?.field === field.name && machine.states.find((one) => one.value === value);
  return state ? state.label : textOf(field, value);
}
