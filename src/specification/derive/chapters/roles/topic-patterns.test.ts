import { expect, it } from 'vitest';
import { anyone, FALSE, outcomes, TRUE } from '../../../../access/outcomes.ts';
import { readCondition } from '../../../../sql-reader/condition.ts';
import { onTopics, otherTopics, topicPatterns } from './topic-patterns.ts';

const read = (sql: string) => readCondition(sql);
const patterns = (...sql: string[]) => topicPatterns(sql.map(read)).map(({ text }) => text);

/** Returns what is known about a condition for the topics of each pattern of `sql`, and for all other topics. */
function known(condition: string, sql: string): Record<string, boolean | null> {
  const topics = [...topicPatterns([read(sql)]), otherTopics];
  return Object.fromEntries(
    topics.map((one) => {
      const result = outcomes(onTopics(read(condition), one), anyone);
      return [one.text, result === TRUE ? true : result === FALSE ? false : null];
    }),
  );
}

it('finds the topics and patterns that conditions compare with realtime.topic()', () => {
  expect(
    patterns("(realtime.topic() ~~ 'room:%'::text)", "(( SELECT realtime.topic() AS topic) = 'lobby'::text)"),
  ).toEqual(['lobby', 'room:%']);
  expect(patterns("(topic = ('user:'::text || (auth.uid())::text))")).toEqual(['user:%']);
  expect(patterns("(realtime.topic() = ANY (ARRAY['a'::text, 'b'::text]))")).toEqual(['a', 'b']);
  expect(patterns("(split_part(realtime.topic(), ':'::text, 1) = 'room'::text)")).toEqual(['room', 'room:%']);
  expect(patterns("starts_with(realtime.topic(), '50%:'::text)")).toEqual(['50\\%:%']);
  expect(
    patterns(
      "(realtime.topic() IN ( SELECT ('team:'::text || (m.team)::text) FROM public.members m WHERE (m.who = auth.uid())))",
    ),
  ).toEqual(['team:%']);
  expect(patterns("(realtime.topic() ~ '^room'::text)", "(extension = 'broadcast'::text)")).toEqual([]);
});

it('settles a comparison only for topics on which it cannot depend', () => {
  const all =
    "((realtime.topic() ~~ 'room:%'::text) OR (realtime.topic() = 'room:lobby'::text) OR (realtime.topic() ~~ 'room:%:chat'::text) OR (realtime.topic() = 'x'::text))";
  expect(known("(realtime.topic() ~~ 'room:%'::text)", all)).toEqual({
    ...{ 'room:%': true, 'room:lobby': true, 'room:%:chat': true, x: false, '*': false },
  });
  expect(known("(realtime.topic() = 'room:lobby'::text)", all)).toEqual({
    ...{ 'room:%': null, 'room:lobby': true, 'room:%:chat': null, x: false, '*': false },
  });
  expect(known("(realtime.topic() ~~ 'room:%:chat'::text)", all)).toEqual({
    ...{ 'room:%': null, 'room:lobby': false, 'room:%:chat': true, x: false, '*': false },
  });
  expect(known("(realtime.topic() = ('room:'::text || (auth.uid())::text))", all)).toMatchObject({
    'room:%': null,
    x: false,
  });
});
