import { TextInput } from '@mantine/core';
import { IconEye, IconEyeOff, IconHome, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { PortalScreens } from '../../../../../contract/portal.ts';
import { Button } from '../../../../ui/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import editorStyles from '../editor/editor.module.css';
import { type OrderedItem, OrderedList } from '../editor/ordered-list.tsx';
import { withText } from '../editor/parts-option.tsx';
import { ByLanguage } from '../editor/text-options.tsx';
import { screenIcon } from '../screen-icons.ts';
import styles from './menu.module.css';
import { type MenuDesign, type MenuLine, movedLine, newGroup, toggledEntry } from './menu-design.ts';

interface LinesProps {
  design: MenuDesign;
  screens: PortalScreens;
  languages: readonly string[];
  addLanguage: (tag: string) => void;
  onChange: (design: MenuDesign, typed?: string) => void;
}

type GroupLine = Extract<MenuLine, { kind: 'group' }>;

/** The groups and entries of a menu, and the screens that are not in it. */
export function MenuLines(props: LinesProps) {
  const { design, screens, onChange } = props;
  const { lines } = design;
  const [open, setOpen] = useState<string | null>(null);
  const set = (next: readonly MenuLine[], typed?: string) => onChange({ ...design, lines: next }, typed);
  const itemOf = (line: MenuLine, index: number): OrderedItem => {
    if (line.kind === 'group') {
      return groupItem(line, open === line.key, () => setOpen(open === line.key ? null : line.key), {
        ...props,
        onGroup: (part, typed) =>
          set(
            lines.map((one, at) => (at === index ? { ...line, ...part } : one)),
            `${line.key} ${typed}`,
          ),
      });
    }
    if (line.kind === 'entry') {
      return entryItem(line.route, props, () => set(toggledEntry(lines, index)));
    }
    const name = 'Not in the menu';
    return { id: 'rest', name, isFixed: true, look: 'heading', content: <span>{name}</span> };
  };
  return (
    <>
      <p className={styles.verdict}>
        This menu has its entries in this order. On a phone, the entries that do not fit are below “More”.
      </p>
      <OrderedList label="Menu" items={lines.map(itemOf)} onMove={(from, to) => set(movedLine(lines, from, to))} />
      <div className={styles.foot}>
        <Button small icon={IconPlus} onClick={() => set([newGroup('New group'), ...lines])}>
          Add group
        </Button>
      </div>
      {screens.screens.length === 0 && <p className={editorStyles.note}>This kind of member has no screen yet.</p>}
      <p className={editorStyles.note}>
        Drag a line, or press Space and the arrows. A screen that is not in the menu stays open by links. Without a
        first page, members see what needs them.
      </p>
    </>
  );
}

/** The heading of a group, with its titles below if it is open. */
function groupItem(
  line: GroupLine,
  isOpen: boolean,
  toggle: () => void,
  details: Omit<Parameters<typeof GroupDetails>[0], 'line'>,
): OrderedItem {
  return {
    ...{ id: line.key, name: line.title ? `the group ${line.title}` : 'the group without a title', look: 'heading' },
    content: (
      <button type="button" className={editorStyles.fieldName} aria-expanded={isOpen} onClick={toggle}>
        {line.title || 'No title'}
      </button>
    ),
    details: isOpen && <GroupDetails {...details} line={line} />,
  };
}

/** An entry with the buttons that make it the first page and leave it out. */
function entryItem(route: string, { design, screens, onChange }: LinesProps, toggle: () => void): OrderedItem {
  const { lines, home } = design;
  const screen = [...screens.pages, ...screens.screens].find((one) => one.route === route);
  const name = screen?.title ?? route;
  const isIn =
    lines.findIndex((one) => one.kind === 'entry' && one.route === route) <
    lines.findIndex(({ kind }) => kind === 'rest');
  const isHome = home === route;
  return {
    ...{ id: route, name, look: isIn ? undefined : 'off' },
    content: (
      <>
        <span className={styles.entry}>
          <Icon of={screenIcon(screen)} />
          <span className="cut">{name}</span>
        </span>
        <span className={styles.entryTools}>
          {isIn && (
            <Button
              small
              square
              kind="quiet"
              icon={IconHome}
              label={isHome ? `${name} is the first page` : `Make ${name} the first page`}
              aria-pressed={isHome}
              className={isHome ? styles.home : undefined}
              onClick={() => onChange({ ...design, home: isHome ? null : route })}
            />
          )}
          <Button
            small
            square
            kind="quiet"
            icon={isIn ? IconEyeOff : IconEye}
            label={isIn ? `Leave ${name} out` : `Put ${name} in the menu`}
            onClick={toggle}
          />
        </span>
      </>
    ),
  };
}

/** The title of a group in each language. */
function GroupDetails({
  line,
  languages,
  addLanguage,
  onGroup,
}: Pick<LinesProps, 'languages' | 'addLanguage'> & {
  line: GroupLine;
  onGroup: (part: Partial<Pick<GroupLine, 'title' | 'titles'>>, typed: string) => void;
}) {
  return (
    <div className={editorStyles.details}>
      <TextInput
        aria-label="Title of the group"
        value={line.title}
        placeholder="no title"
        onChange={({ currentTarget }) => onGroup({ title: currentTarget.value }, 'title')}
      />
      <ByLanguage
        editor={{ languages, addLanguage }}
        what="Title"
        textOf={(tag) => line.titles[tag] ?? ''}
        onText={(tag, text) => onGroup({ titles: withText(line.titles, tag, text) }, tag)}
      />
    </div>
  );
}
