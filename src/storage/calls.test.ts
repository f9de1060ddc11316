import { expect, it } from 'vitest';
import { factsOfCalls } from './calls.ts';

it('handleStorage handles exactly the calls that contract/generated/storage-calls.json lists', async () => {
  // One line for each member of a call, so that a difference shows the member.
  const texts = factsOfCalls.map((call) => {
    const members = Object.entries(call).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
    return `  {\n${members.join(',\n')}\n  }`;
  });
  await expect(`[\n${texts.join(',\n')}\n]\n`).toMatchFileSnapshot('../../contract/generated/storage-calls.json');
});

it('factsOfCalls has calls with ids of their own, whose examples have all fields that the call needs and no unknown field', () => {
  const ids = factsOfCalls.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, example, parameters } of factsOfCalls) {
    const fields = parameters.filter((parameter) => parameter.in === 'body');
    const needed = fields.filter(({ required }) => required).map(({ name }) => name);
    expect([id, Object.keys(example ?? {})]).toEqual([id, expect.arrayContaining(needed)]);
    expect([id, fields.map(({ name }) => name)]).toEqual([id, expect.arrayContaining(Object.keys(example ?? {}))]);
  }
});
