import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('the console runs only scripts that are files of the node, and sends no request to another host', async () => {
  const { page, problems } = await site.visit('/');
  await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
  expect(problems).toEqual([]);

  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "taken over"';
    document.body.append(script);
  });
  await expect.poll(() => problems).toContainEqual(expect.stringMatching(/^uncaught: CSP script-src/));
  expect(await page.title()).not.toBe('taken over');

  const outside = await page.evaluate(() =>
    fetch('https://elsewhere.example/').then(
      () => 'answered',
      () => 'refused',
    ),
  );
  expect(outside).toBe('refused');
  await expect.poll(() => problems).toContainEqual(expect.stringMatching(/^uncaught: CSP connect-src/));
});
