import { expect, it } from 'vitest';
import { callOfRequest } from './broadcast-calls.ts';
import { realtimeCallFacts } from './calls.ts';

const facts = Object.values(realtimeCallFacts);

it('contract/generated/realtime-calls.json lists the calls of /realtime/v1', async () => {
  // One line for each member of a call, so that a difference shows the member.
  const texts = facts.map((call) => {
    const members = Object.entries(call).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`);
    return `  {\n${members.join(',\n')}\n  }`;
  });
  await expect(`[\n${texts.join(',\n')}\n]\n`).toMatchFileSnapshot('../../../contract/generated/realtime-calls.json');
});

it('callOfRequest names the call of each path', () => {
  for (const { id, path } of facts) {
    const below = path.replace('/realtime/v1', '').replace(/\{\w+\}/g, 'a%20b');
    expect(callOfRequest({ path: below })).toBe(id);
  }
  expect(callOfRequest({ path: '/api/other' })).toBeNull();
});
