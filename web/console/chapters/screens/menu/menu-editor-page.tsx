import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { PortalScreens } from '../../../../../contract/portal.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { Page } from '../../../layout/page.tsx';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { type FormMigration, isPhone, useMigrationPage } from '../../../migrations/migration-page.tsx';
import { entityList } from '../../../queries/entities.ts';
import { type PreviewCaller, screensOfCaller } from '../../../queries/preview.ts';
import { specification } from '../../../queries/specification.ts';
import { roleName } from '../editor/audience-options.tsx';
import { readDefinitions } from '../editor/definitions.ts';
import { definitionsSql } from '../editor/definitions-sql.ts';
import editorStyles from '../editor/editor.module.css';
import { languagesOf } from '../editor/editor-context.ts';
import { EditorFrame } from '../editor/editor-frame.tsx';
import { type Device, PreviewPane, PreviewTools, screensAs } from '../editor/preview-pane.tsx';
import { crumbsOf } from '../editor/screen-editor-page.tsx';
import { useSteps } from '../editor/use-steps.ts';
import { type CallerChoice, useCallerChoice } from '../use-caller-choice.ts';
import styles from './menu.module.css';
import { type MenuDesign, menuOf, presentMenu, readMenu } from './menu-design.ts';
import { MenuLines } from './menu-lines.tsx';

/** Returns the caller whose menu is that of a role. */
const callerOf = (role: string): PreviewCaller =>
  role === 'anon' ? 'anon' : { role: role === 'authenticated' ? null : role };

/** Page that changes the menu of one kind of member, beside the pages with this menu. */
export function MenuEditorPage({ appRef, role, onDone }: { appRef: string; role: string; onDone: () => void }) {
  const { data } = useQuery(specification(appRef));
  const { data: entities } = useQuery(entityList(appRef));
  const screens = useQuery(screensOfCaller(appRef, callerOf(role)));
  const chapter = data?.chapters.screens;
  if (!data || !chapter || !entities || !screens.data) {
    return (
      <Page appRef={appRef} crumbs={crumbsOf(appRef, `Menu of ${roleName(role)}`)}>
        <QueryFailure query={screens} />
        <Skeleton width={240} />
      </Page>
    );
  }
  const roles = (data.chapters.roles?.roles ?? []).flatMap(({ member_role: name }) => name ?? []);
  return <Editor key={role} {...{ appRef, role, roles, entities, chapter, onDone }} screens={screens.data} />;
}

interface EditorProps {
  appRef: string;
  role: string;
  roles: readonly string[];
  entities: readonly Entity[];
  chapter: ScreensChapter;
  screens: PortalScreens;
  onDone: () => void;
}

function Editor(props: EditorProps) {
  const { appRef, role, entities, onDone } = props;
  const navigate = useNavigate();
  // The definitions at the beginning: a refresh of the specification must not change what the editor compares with.
  const [{ chapter, screens }] = useState(props);
  const before = useMemo(() => readDefinitions(chapter), [chapter]);
  const present = useMemo(() => presentMenu(chapter, role, screens), [chapter, role, screens]);
  const start = useMemo(() => readMenu(present.groups, present.home, routesOf(screens)), [present, screens]);
  const steps = useSteps<MenuDesign | 'derived'>(start);
  const design = steps.now === 'derived' ? null : steps.now;
  const [device, setDevice] = useState<Device>(isPhone ? 'phone' : 'desktop');
  const [language, setLanguage] = useState<string | null>(null);
  const [languages, setLanguages] = useState(() => languagesOf(chapter));
  const choice = choiceFor(useCallerChoice(appRef), role);
  const form = formMigration({ before, role, design, start, isOwn: present.isOwn, entities });
  const page = useMigrationPage(appRef, form, onDone, screensAs(choice.caller, language));
  const path = design?.home ?? design?.lines.flatMap((line) => (line.kind === 'entry' ? line.route : []))[0] ?? '/';
  return (
    <EditorFrame
      {...{ appRef, entities, page, steps }}
      crumbs={crumbsOf(appRef, `Menu of ${roleName(role)}`)}
      tab="Menu"
      title={<h1 className="cut">Menu of {roleName(role)}</h1>}
      tools={
        <PreviewTools {...{ choice, device, languages, language }} onDevice={setDevice} onLanguage={setLanguage} />
      }
      preview={
        <PreviewPane
          {...{ appRef, choice, device, language, path }}
          title={`the menu of ${roleName(role)}`}
          sql={page.sql}
          trial={page.trial}
        />
      }
      onDiscard={onDone}
    >
      <div className={styles.head}>
        <select
          className={editorStyles.select}
          aria-label="Menu of"
          value={role}
          onChange={({ currentTarget }) =>
            void navigate({ to: '/app/$ref/screens', params: { ref: appRef }, search: { menu: currentTarget.value } })
          }
        >
          {['anon', 'authenticated', ...props.roles].map((one) => (
            <option key={one} value={one}>
              {roleName(one)}
            </option>
          ))}
        </select>
        <Button
          small
          kind="quiet"
          offBecause={
            design === null || (!present.isOwn && steps.undo === null) ? 'It follows from the screens.' : null
          }
          onClick={() => steps.change(() => 'derived')}
        >
          Reset
        </Button>
      </div>
      {design === null ? (
        <p className={styles.verdict}>The menu of {roleName(role)} follows from the screens, as it did at first.</p>
      ) : (
        <MenuLines
          {...{ design, screens, languages }}
          addLanguage={(tag) => setLanguages([...new Set([...languages, tag])].sort())}
          onChange={(next, typed) => steps.change(() => next, typed)}
        />
      )}
    </EditorFrame>
  );
}

/** Returns the routes that a menu can have, in the order of chapter 2. Those with the key of a row are reached from rows. */
const routesOf = ({ screens, pages }: PortalScreens): string[] =>
  [...pages, ...screens].map(({ route }) => route).filter((route) => !route.includes('/:'));

/** Returns the choice with a caller who has the menu of the role: a member of it, or an account with this role alone. */
function choiceFor(choice: CallerChoice, role: string): CallerChoice {
  const id = role === 'anon' ? 'visitor' : role === 'authenticated' ? 'member' : `role:${role}`;
  const kind = choice.kinds.find((one) => one.id === id);
  // The menu is that of this kind of member, so no other kind is offered.
  return kind === undefined || kind === choice.kind
    ? { ...choice, kinds: kind ? [kind] : choice.kinds }
    : { ...choice, kinds: [kind], kind, member: null, members: undefined, caller: kind.caller };
}

function formMigration({
  before,
  role,
  design,
  start,
  isOwn,
  entities,
}: {
  before: ReturnType<typeof readDefinitions>;
  role: string;
  design: MenuDesign | null;
  start: MenuDesign;
  isOwn: boolean;
  entities: readonly Entity[];
}): FormMigration {
  const others = before.menus.filter((menu) => menu.role !== role);
  const isSame = design !== null && JSON.stringify(menuOf(role, design)) === JSON.stringify(menuOf(role, start));
  const menus = isSame ? before.menus : design === null ? others : [...others, menuOf(role, design)];
  const after = { ...before, menus };
  const sql = definitionsSql(before, after, entities);
  return {
    sql,
    name: fileName(`${design ? 'define' : 'drop'} menu of ${role}`, new Date()),
    undo: {
      sql: definitionsSql(after, before, entities),
      note: isOwn
        ? 'This migration restores the former menu.'
        : 'This migration lets the menu follow from the screens again.',
    },
    problems: [],
    isEarly: false,
    isChanged: sql !== '',
    summary: sql === '' ? 'No change' : design ? `Menu of ${roleName(role)}` : `Menu of ${roleName(role)} reset`,
  };
}
