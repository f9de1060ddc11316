import type { Page } from 'playwright-core';

/** Gives the chosen state of the drawn machine its name. */
export async function nameState(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the state').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: `State ${name}` }).waitFor();
}

/** Adds a state to the machine. */
export async function addState(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'State', exact: true }).click();
  await nameState(page, name);
}

/** Draws a transition and types its name. */
export async function drawTransition(page: Page, from: string, to: string, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${from}\\b`) }).click();
  await page
    .getByRole('region', { name: `State ${from}` })
    .getByLabel('Draw a transition to')
    .selectOption(to);
  await page.getByLabel('Name of the transition').last().waitFor();
  await page.keyboard.type(name);
}
