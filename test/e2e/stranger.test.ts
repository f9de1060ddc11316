import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin } from '../support/apps.ts';
import { uniqueRef } from '../support/unique.ts';
import { type Console, openConsole } from './console.ts';
import { addState, drawTransition, nameState } from './machine-steps.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

/** Time in ms for all that the person does. */
const TIMEOUT = 300_000;

/** Title of the text on the first page. */
const welcome = 'A rowing club for everybody';

/** Applies the migration of an editor after the server has tried it. */
async function apply(page: Page): Promise<void> {
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(/Tried in a transaction/).waitFor({ state: 'detached' });
}

/** Adds a field to the table in the form. */
async function addField(page: Page, name: string, type: string, isRequired = true): Promise<void> {
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.keyboard.type(name);
  await page.getByLabel(`Type of ${name}`).selectOption(type);
  if (isRequired) await page.getByLabel(`${name} is required`).check();
}

/** Opens a page of the app by the side bar, as a person does. */
const open = (page: Page, name: string) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(`\\b${name}\\b`) })
    .first()
    .click();

/** Courses with places, which visitors read and trainers change. */
async function makeCourses(page: Page): Promise<void> {
  await open(page, 'Data');
  await page
    .getByRole('link', { name: /New table|Create a table/ })
    .first()
    .click();
  await page.getByLabel('Name', { exact: true }).fill('courses');
  await addField(page, 'title', 'text');
  await addField(page, 'starts_at', 'date and time');
  await addField(page, 'ends_at', 'date and time');
  await addField(page, 'places', 'whole number');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('From', { exact: true }).fill('1');
  await page.getByLabel('To', { exact: true }).fill('30');
  await page.getByLabel('Message when violated').fill('A course has 1 to 30 places.');
  await page.getByRole('button', { name: 'Everyone reads' }).click();
  await page.getByRole('button', { name: 'trainer: everything' }).click();
  await apply(page);
  await page.getByRole('heading', { name: 'courses', level: 1 }).waitFor();
  for (const title of ['Rowing for beginners', 'Rowing in eights']) {
    await page
      .getByRole('button', { name: /^Insert (a )?row$/ })
      .first()
      .click();
    const panel = page.getByRole('complementary', { name: 'Insert a row into courses' });
    await panel.getByLabel('title', { exact: true }).fill(title);
    await panel.getByLabel('starts_at', { exact: true }).fill('tomorrow 10:00');
    await panel.getByLabel('ends_at', { exact: true }).fill('tomorrow 11:30');
    await panel.getByLabel('places', { exact: true }).fill('8');
    await panel.getByRole('button', { name: 'Insert', exact: true }).click();
    await page.getByRole('gridcell', { name: title }).waitFor();
  }
}

/** Enrolments: a member asks, a trainer accepts or puts on the waiting list. */
async function makeEnrolments(page: Page): Promise<void> {
  await open(page, 'Data');
  await page.getByRole('link', { name: 'New table' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('enrolments');
  await addField(page, 'course', 'reference to courses');
  await addField(page, 'member', 'reference to members');
  await page.getByLabel('Default of member').selectOption('the caller');
  await addField(page, 'state', 'text');
  await page.getByLabel('Default of state').selectOption('value');
  await page.getByLabel('Default value of state').fill('asked');
  await page.getByRole('button', { name: 'The owner writes' }).click();
  await page.getByRole('button', { name: 'trainer: everything' }).click();
  await apply(page);
  await page.getByRole('heading', { name: 'enrolments', level: 1 }).waitFor();

  await open(page, 'States');
  await page.getByRole('link', { name: 'Draw a machine' }).first().click();
  await page.getByLabel('Table', { exact: true }).selectOption('enrolments');
  await page.getByLabel('Field with the state').selectOption('state');
  await nameState(page, 'asked');
  for (const name of ['waiting', 'enrolled']) await addState(page, name);
  for (const [from, to, name] of [
    ['asked', 'enrolled', 'accept'],
    ['asked', 'waiting', 'put on the waiting list'],
    ['waiting', 'enrolled', 'move up'],
  ] as const) {
    await drawTransition(page, from, to, name);
    const transition = page.getByRole('group', { name: `Transition ${name}` });
    await transition.getByLabel('everyone who may change the row').uncheck();
    await transition.getByLabel('trainer').check();
  }
  await apply(page);
  await page.getByRole('link', { name: 'Edit machine' }).waitFor();
}

/** A timetable and a first page for visitors, and a dashboard for trainers. */
async function makeScreens(page: Page): Promise<void> {
  const newScreen = async (kind: RegExp, of: string) => {
    await open(page, 'Screens');
    await page.getByRole('link', { name: 'New screen' }).first().click();
    await page.getByRole('combobox', { name: 'Rows of' }).click();
    await page.getByRole('option', { name: of }).click();
    await page.getByRole('link', { name: kind }).click();
  };
  const option = async (name: string) => {
    const head = page.getByRole('button', { name: new RegExp(`^${name}\\b`) }).first();
    if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
  };
  await newScreen(/^Calendar/, 'courses');
  await option('Title');
  await page.getByRole('region', { name: 'Title', exact: true }).getByRole('textbox').first().fill('Timetable');
  await page.getByLabel('Route').fill('/timetable');
  await apply(page);

  await newScreen(/^Dashboard/, 'enrolments');
  await page.getByRole('button', { name: /^Enrolments by / }).click();
  await page.getByLabel('A bar for each').selectOption('state');
  await page.getByText('Counts enrolments for each state, the largest first.').waitFor();
  await option('Title');
  await page
    .getByRole('region', { name: 'Title', exact: true })
    .getByRole('textbox')
    .first()
    .fill('How is the club doing?');
  await page.getByLabel('Route').fill('/club');
  await option('Who');
  await page.getByLabel('all members').uncheck();
  await page.getByRole('checkbox', { name: 'trainer' }).check();
  await page.getByRole('checkbox', { name: 'members', exact: true }).uncheck();
  await apply(page);

  await newScreen(/^Public page/, 'courses');
  await page.getByRole('button', { name: /^Welcome/ }).click();
  await page.getByLabel('Text in Markdown').fill(`## ${welcome}\n\nLook at the timetable.`);
  await page.getByRole('button', { name: 'Buttons', exact: true }).click();
  await page.getByLabel('Add button').selectOption('/timetable');
  await option('Menu');
  await page.getByLabel('First page of everyone').check();
  await apply(page);
}

it(
  'a person without SQL builds a club in the console alone: courses, a waiting list, trainers, a timetable, a dashboard',
  async () => {
    const { page, context, problems } = await site.visit('/');
    const ref = uniqueRef('club');
    await page.getByRole('button', { name: 'Create app' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Rowing club');
    await page.getByLabel('Ref', { exact: true }).fill(ref);
    await page.getByRole('dialog').getByRole('button', { name: 'Create app' }).click();
    await page.waitForURL(new RegExp(`/app/${ref}`));
    await open(page, 'Roles');
    await page.getByRole('button', { name: 'New role' }).click();
    const role = page.getByRole('dialog', { name: 'New role' });
    await role.getByLabel('Name', { exact: true }).fill('trainer');
    await role.getByLabel('What its members do').fill('Gives courses and accepts members.');
    await role.getByText(/Tried in a transaction: no error/).waitFor();
    await role.getByRole('button', { name: 'Define role' }).click();
    await page.getByRole('complementary', { name: 'Role trainer' }).waitFor();
    await makeCourses(page);
    await makeEnrolments(page);
    await makeScreens(page);

    const app = await admin<AppConnection>(site.node, 'GET', `/apps/${ref}/connection`);
    const visitor = await site.visit(`${app.origin}/`, { signedIn: false });
    await visitor.page.getByRole('heading', { name: welcome }).waitFor();
    await inBoth(visitor.page);
    await visitor.page.getByRole('link', { name: 'Timetable' }).first().click();
    await visitor.page.getByText('Rowing in eights').first().waitFor();
    expect(await visitor.page.getByText('Enrolments').count()).toBe(0);

    const ada = await signUpOnPages(site, app, 'Ada Bloom', 'phone', welcome);
    await ada.page.goto(`${app.origin}/enrolments/new`);
    await ada.page.getByLabel('Course').selectOption({ label: 'Rowing in eights' });
    await ada.page.getByRole('button', { name: 'Save' }).click();
    await ada.page.getByText('Asked').first().waitFor();
    await ada.page.goto(`${app.origin}/club`);
    await ada.page.getByText('How is the club doing?').waitFor({ state: 'detached' });

    const tom = await signUpOnPages(site, app, 'Tom Rey', 'wide', welcome);
    await open(page, 'Roles');
    await page.getByRole('button', { name: 'trainer', exact: true }).first().click();
    const panel = page.getByRole('complementary', { name: 'Role trainer' });
    await panel.getByLabel('Search members').fill(tom.email);
    await panel.getByRole('button', { name: `Grant to ${tom.email}` }).click();
    await panel.getByRole('button', { name: /^Revoke from/ }).waitFor();
    await tom.page.goto(`${app.origin}/club`);
    await tom.page.getByRole('heading', { name: 'How is the club doing?' }).waitFor();
    await inBoth(tom.page);
    await tom.page.goto(`${app.origin}/enrolments`);
    await tom.page.getByRole('row').nth(1).getByRole('link').first().click();
    await tom.page.getByRole('button', { name: 'Put on the waiting list' }).click();
    await tom.page.getByText('Waiting').first().waitFor();
    await tom.page.getByRole('button', { name: 'Move up' }).click();
    await tom.page.getByText('Enrolled').first().waitFor();
    expect(problems.filter((problem) => !problem.includes('postMessage'))).toEqual([]);
    await Promise.all([context, visitor.context, ada.context, tom.context].map((one) => one.close()));
  },
  TIMEOUT,
);
