import { Link } from '@tanstack/react-router';
import { listed } from '../../../format/format.ts';
import type { Definition } from './definitions.ts';
import styles from './editor.module.css';
import type { EditorContext } from './editor-context.ts';
import { Option, Row } from './option.tsx';
import { PlaceInput } from './rows-options.tsx';

/** Words for the roles of callers that are no roles of members. */
const roleWords: Readonly<Record<string, string>> = { anon: 'visitors', authenticated: 'members' };
export const roleName = (role: string): string => roleWords[role] ?? role;

/** Chooses the roles that may open a screen or a page. */
export function WhoOption({ editor, item }: { editor: EditorContext; item: Definition }) {
  const { roles } = item;
  const all = item.type === 'page' ? 'all members' : 'everyone who may use it completely';
  const offered = ['anon', 'authenticated', ...editor.roles];
  const listedRoles = [...offered, ...(roles ?? []).filter((role) => !offered.includes(role))];
  const set = (chosen: readonly string[] | null) => editor.state.set({ roles: chosen });
  return (
    <Option name="Who" value={roles ? listed(roles.map(roleName)) || 'nobody' : all} faults={editor.faultsOf('who')}>
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={roles === null}
          onChange={() => set(roles === null ? ['authenticated'] : null)}
        />
        {all}
      </label>
      {roles !== null &&
        listedRoles.map((role) => (
          <label key={role} className={styles.check}>
            <input
              type="checkbox"
              checked={roles.includes(role)}
              onChange={({ currentTarget: { checked } }) => {
                const chosen = checked ? [...roles, role] : roles.filter((one) => one !== role);
                set(chosen.length === 0 ? null : chosen);
              }}
            />
            {roleName(role)}
          </label>
        ))}
      <p className={styles.note}>
        This opens the screen. Chapter 6 decides which rows each of them sees on it, so it grants no right.
      </p>
    </Option>
  );
}

/** Where a screen or a page is in the menus, and whose first page it is. */
export function MenuOption({ editor, item }: { editor: EditorContext; item: Definition }) {
  const { menus } = editor.state.draft;
  const { set, setMenus } = editor.state;
  const of = menus.filter(({ groups }) => groups.some(({ routes }) => routes.includes(item.route)));
  const firstOf = menus.filter(({ home }) => home === item.route).map(({ role }) => roleName(role));
  const kinds = ['anon', 'authenticated', ...editor.roles];
  const homes = [...(item.home ? ['everyone'] : []), ...firstOf];
  const value = [
    item.place === null ? 'after the others' : `place ${item.place}`,
    ...(homes.length > 0 ? [`first page of ${listed(homes)}`] : []),
  ];
  return (
    <Option name="Menu" value={value.join(', ')} faults={[]}>
      <Row label="Place">
        <PlaceInput value={item.place} onChange={(place) => set({ place }, 'place')} />
      </Row>
      <label className={styles.check}>
        <input type="checkbox" checked={item.home} onChange={() => set({ home: !item.home })} />
        First page of everyone whose menu has none of its own
      </label>
      {menus.map((menu) => (
        <label key={menu.role} className={styles.check}>
          <input
            type="checkbox"
            checked={menu.home === item.route}
            onChange={({ currentTarget: { checked } }) =>
              setMenus(menus.map((one) => (one === menu ? { ...menu, home: checked ? item.route : null } : one)))
            }
          />
          First page of {roleName(menu.role)}
        </label>
      ))}
      <p className={styles.note}>
        {of.length > 0 && `In the menu of ${listed(of.map(({ role }) => roleName(role)))}. `}
        The place counts where a role has no menu of its own. Edit the menu of{' '}
        {kinds.map((role, index) => (
          <span key={role}>
            {index > 0 && ', '}
            <Link to="/app/$ref/screens" params={{ ref: editor.appRef }} search={{ menu: role }}>
              {roleName(role)}
            </Link>
          </span>
        ))}
        .
      </p>
    </Option>
  );
}
