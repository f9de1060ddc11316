import {
  type ChangeCell,
  type TopicCell,
  type TopicOperation,
  topicOperations,
} from '../../../../../contract/specification-roles.ts';
import { Access } from '../../../../access/access.ts';
import type { ChapterRole } from '../../../../access/calling-roles.ts';
import { type Decision, denied, type PolicyConditions } from '../../../../access/decision.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { RowOperation } from '../../../../access/operations.ts';
import { INSUFFICIENT_PRIVILEGE } from '../../../../access/refusals.ts';
import type { PolicyFact } from '../../../../catalog/access.ts';
import type { RelationFact } from '../../../../catalog/entities.ts';
import { entityId } from '../../../../catalog/names.ts';
import type { PublishedFact } from '../../../../catalog/publications.ts';
import { messagesTable, type PublishedTable, publishedTables } from '../realtime.ts';
import { decisionWords } from './condition-words.ts';
import { canHold, type KnownRow, withKnownRow } from './in-bucket.ts';
import { onTopics, otherTopics, type TopicPattern, topicPatterns } from './topic-patterns.ts';

/** Decides who receives the changes of each published table. The policies for SELECT decide. */
export function changeCells(look: Lookup, published: readonly PublishedFact[]): ChangeCell[] {
  const access = new Access(look);
  return publishedTables(look, { published: [...published] }).flatMap((table) =>
    look.shared.roles.map((role) => changeCell(look, access, role, table)),
  );
}

function changeCell(look: Lookup, access: Access, role: ChapterRole, { table, fields }: PublishedTable): ChangeCell {
  const decision = role.barred === null ? access.decide(role.caller, table, 'select') : denied(role.barred);
  const published = (look.fields.get(table.oid) ?? [])
    .filter(({ number }) => fields?.includes(number) ?? true)
    .map(({ name }) => name);
  const columns =
    fields === null ? decision.columns : published.filter((one) => decision.columns?.includes(one) ?? true);
  return {
    ...{ role: role.name, entity: entityId(table.schema, table.name) },
    ...shown(decision),
    columns: decision.verdict === 'never' ? null : columns,
  };
}

/** The statement that decides about each operation, and the value of realtime.messages.extension. */
const operations: Readonly<Record<TopicOperation, { statement: RowOperation; extension: string }>> = {
  receive: { statement: 'select', extension: 'broadcast' },
  send: { statement: 'insert', extension: 'broadcast' },
  watch: { statement: 'select', extension: 'presence' },
  track: { statement: 'insert', extension: 'presence' },
};

/** Returns the statement on realtime.messages that decides about an operation. */
export const statementOf = (operation: TopicOperation): RowOperation => operations[operation].statement;

/** Returns the value of realtime.messages.extension for an operation. */
export const extensionOf = (operation: TopicOperation): string => operations[operation].extension;

/**
 * Decides what each role may do on the topics of private channels: the decisions about rows of realtime.messages whose
 * extension is known and whose topic matches a pattern of the policies. Returns no cells if the app has no such table.
 */
export function topicCells(look: Lookup): TopicCell[] {
  const messages = messagesTable(look);
  if (!messages) return [];
  const access = new Access(look);
  const policies = access.policies.of(messages.oid);
  const conditionsOf = (policy: PolicyFact) =>
    [policy.using, policy.check].flatMap((text) => (text === null ? [] : [access.policies.parsed(policy, text)]));
  const patterns = [...topicPatterns(policies.flatMap(conditionsOf)), otherTopics];
  const decided = topicOperations.flatMap((operation) =>
    look.shared.roles.map((role) => ({ operation, role, decision: ofTable(access, role, messages, operation) })),
  );
  return patterns.flatMap((topics) =>
    decided.map(({ operation, role, decision }): TopicCell => {
      const row: KnownRow = new Map([['extension', { is: 'known', text: operations[operation].extension }]]);
      const onThese = onPattern(decision, row, topics, operation);
      const [first] = decision.conditions.filter((one) => typeof one !== 'string');
      const canApply = (name: string) =>
        policies.some(
          (one) =>
            one.name === name &&
            (!first || conditionsOf(one).every((each) => canHold(onTopics(each, topics), first.caller, row))),
        );
      const applying = onThese.policies.filter(canApply);
      const reason = onThese.verdict === 'never' || applying.length === 0 ? onThese.reason : reasonOf(applying);
      return {
        ...{ role: role.name, topic: topics.text, operation },
        ...shown({ ...onThese, reason, policies: applying }),
      };
    }),
  );
}

const reasonOf = (names: readonly string[]): string =>
  `row-level security: ${names.length === 1 ? 'policy' : 'policies'} ${names.map((name) => `"${name}"`).join(', ')}`;

const ofTable = (access: Access, role: ChapterRole, messages: RelationFact, operation: TopicOperation): Decision =>
  role.barred === null ? access.decide(role.caller, messages, operations[operation].statement) : denied(role.barred);

/** Returns a decision for the topics of a pattern. */
function onPattern(decision: Decision, row: KnownRow, topics: TopicPattern, operation: TopicOperation): Decision {
  const conditions = decision.conditions.map((condition) =>
    typeof condition === 'string' ? condition : conditionsOn(condition, topics),
  );
  const code = operations[operation].statement === 'insert' ? INSUFFICIENT_PRIVILEGE : null;
  return withKnownRow({ ...decision, conditions }, row, code, 'no policy lets it through on these topics');
}

function conditionsOn({ using, check, seen, caller }: PolicyConditions, topics: TopicPattern): PolicyConditions {
  const on = (part: PolicyConditions['using']) => part && onTopics(part, topics);
  return { using: on(using), check: on(check), seen: on(seen), caller };
}

function shown(decision: Decision): Pick<TopicCell, 'verdict' | 'words' | 'reason' | 'policies'> {
  const verdict = decision.verdict === 'always' && decision.errors.length > 0 ? 'when' : decision.verdict;
  const words = verdict === 'when' ? decisionWords(decision) : '';
  return { verdict, words, reason: decision.reason, policies: decision.policies };
}
