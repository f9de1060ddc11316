import {
  IconCalendar,
  IconChartBar,
  IconFileText,
  IconLayoutDashboard,
  IconLayoutKanban,
  IconListDetails,
  IconPencil,
  IconPhoto,
  type Icon as TablerIcon,
} from '@tabler/icons-react';
import type { ScreenKind } from '../../../../contract/description.ts';
import type { Shown } from './screen-groups.ts';

const icons: Readonly<Record<ScreenKind, TablerIcon>> = {
  list: IconListDetails,
  detail: IconFileText,
  board: IconLayoutKanban,
  form: IconPencil,
  calendar: IconCalendar,
  gallery: IconPhoto,
  figures: IconChartBar,
};

/** Returns the icon of a screen or page in a menu. `undefined` means that the route has no screen. */
export const screenIcon = (screen: Shown | undefined): TablerIcon =>
  screen === undefined ? IconFileText : 'kind' in screen ? icons[screen.kind] : IconLayoutDashboard;
