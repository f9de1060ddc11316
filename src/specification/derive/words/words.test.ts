import { describe, expect, it } from 'vitest';
import { processorTimeOf } from '../../../../test/support/timing.ts';
import { ANY, anyone, type Caller, FALSE, NULL, outcomes, TRUE } from '../../../access/outcomes.ts';
import { readCondition, relationsRead } from '../../../sql-reader/condition.ts';
import { fieldTypesOf, withTypes } from '../../../sql-reader/field-types.ts';
import { asPolicy } from '../chapters/roles/condition-words.ts';
import { phrase } from './phrase.ts';
import { domainRuleWords, ruleWords } from './rule.ts';

const anon: Caller = { role: 'anon', user: 'none', memberRole: null, sees: () => true };
const member: Caller = { role: 'authenticated', user: 'member', memberRole: null, sees: () => true };
const blind: Caller = { ...member, sees: () => false };

// The first value of each case is exactly what pg_get_expr returns for a policy.
describe('phrase', () => {
  it.each([
    ['(( SELECT auth.uid() AS uid) = user_id)', 'own row (by user_id)'],
    ['(auth.uid() = user_id)', 'own row (by user_id)'],
    ['((user_id)::text = (auth.uid())::text)', 'own row (by user_id)'],
    ["(((auth.jwt() ->> 'sub'::text))::uuid = user_id)", 'own row (by user_id)'],
    ["((( SELECT auth.jwt() AS jwt) ->> 'sub'::text) = (user_id)::text)", 'own row (by user_id)'],
    ['((auth.uid() = sender) OR (auth.uid() = receiver))', 'own row (by sender or receiver)'],
    ["((auth.uid() = owner) AND (status <> 'closed'::text))", "own row (by owner) and status is not 'closed'"],
    [
      '((assignee IS NULL) OR ((owner = auth.uid()) AND (amount <= 100)))',
      'assignee is empty or (own row (by owner) and amount is at most 100)',
    ],
    [
      '(is_public AND ((owner = auth.uid()) OR (assignee IS NOT NULL)))',
      'is_public and (own row (by owner) or assignee is not empty)',
    ],
    ['is_public', 'is_public'],
    ['(is_public = true)', 'is_public'],
    ["(name = 'true'::text)", "name is 'true'"],
    ['(NOT is_public)', 'not is_public'],
    ["((name)::text ~~ 'a%'::text)", "name starts with 'a'"],
    ["('abc'::text ~ name)", "'abc' matches name"],
    ["(NOT (status = 'open'::public.status))", "status is not 'open'"],
    ["(title <> ''::text)", 'title is not an empty text'],
    ['(org_id IN ( SELECT private.my_orgs() AS my_orgs))', 'org_id is one of the results of private.my_orgs()'],
    ['(NOT (auth.uid() IN ( SELECT public.banned(id) AS banned)))', 'the member is none of the results of banned(id)'],
    ["(day > '2024-01-31'::date)", "day is after '2024-01-31'"],
    [
      "('2024-01-31 00:00:00+00'::timestamp with time zone >= starts_at)",
      "starts_at is not after '2024-01-31 00:00:00+00'",
    ],
    ["(jsonb_typeof(tags) = 'array'::text)", 'tags is a JSON array'],
    ["(json_typeof(meta) <> 'object'::text)", 'meta is not a JSON object'],
    ['(title = lower(title))', 'title is in lower case'],
    ['(title = lower(name))', 'title is lower(name)'],
    ["(status <> ALL (ARRAY['open'::text, 'new'::text]))", "status is none of 'open', 'new'"],
    ["('new'::text = ANY (tags))", "tags contains 'new'"],
    ["(tags @> ARRAY['x'::text, 'y'::text])", "tags contains each of 'x', 'y'"],
    ["(tags <@ ARRAY['x'::text])", "each element of tags is one of 'x'"],
    ['(during @> now())', 'during contains now'],
    ["(tags && ARRAY['x'::text, 'y'::text])", "tags contains at least one of 'x', 'y'"],
    [
      "(ARRAY[(auth.jwt() ->> 'aal'::text)] <@ ARRAY['aal1'::text, 'aal2'::text])",
      "aal of the member’s token is one of 'aal1', 'aal2'",
    ],
    ["((meta -> 'size'::text) IS NOT NULL)", "(meta -> 'size') IS NOT NULL"],
    ["((meta ->> 'size'::text) IS NOT NULL)", 'size of meta is not empty'],
    ["((meta -> 'open'::text) = 'true'::jsonb)", 'open of meta is true in JSON'],
    ["(nick OPERATOR(extensions.<>) ''::extensions.citext)", 'nick is not an empty text'],
    ['(array_position(tags, NULL::text) IS NULL)', 'each element of tags has a value'],
    ['(abs((a - b)) <= 5)', '(a - b) without its sign is at most 5'],
    ['("left"(name, 1) = code)', 'code is the first character of name'],
    ['(array_length(tags, 1) IS NULL)', 'tags has no element'],
    ['(array_length(tags, 1) IS NOT NULL)', 'tags has a value and at least 1 element'],
    ['(num_nonnulls(a, b) <> 1)', 'not exactly 1 of a, b has a value'],
    ['(NOT (a IS NOT DISTINCT FROM b))', 'a is other than b'],
    ['(NOT (NOT (a IS DISTINCT FROM b)))', 'a is other than b'],
    ['(a IS DISTINCT FROM b)', 'a is other than b'],
    ['(NOT (a IS DISTINCT FROM b))', 'a is the same as b'],
    ["((data -> 'x'::text) ? 'y'::text)", "x of data has the key or element 'y'"],
    ["((meta ->> 'size'::text) = 'L'::text)", "size of meta is 'L'"],
    [
      "(((auth.jwt() -> 'app_metadata'::text) ->> 'role'::text) = 'admin'::text)",
      "app_metadata.role of the member’s token is 'admin'",
    ],
    [
      "(( SELECT ((auth.jwt() -> 'user_metadata'::text) ->> 'team'::text)) = (team)::text)",
      'team is user_metadata.team of the member’s token',
    ],
    ["((auth.jwt() ->> 'team_id'::text))::integer = team", 'team is team_id of the member’s token'],
    ["(((auth.jwt() ->> 'is_anonymous'::text))::boolean IS FALSE)", 'the member is not anonymous'],
    ["((( SELECT auth.jwt() AS jwt) ->> 'is_anonymous'::text))::boolean", 'the member is anonymous'],
    [
      "(((current_setting('request.jwt.claims'::text, true))::json ->> 'sub'::text) = (owner)::text)",
      'own row (by owner)',
    ],
    ['(done IS NOT TRUE)', '(not done or that is unknown)'],
    ['(done IS TRUE)', 'done'],
    ["(created_at > (now() - '30 days'::interval))", 'created_at is later than 30 days ago'],
    ["(starts_at <= (now() + '1 mon'::interval))", 'starts_at is at the latest 1 month from now'],
    ["(starts_at <= (now() + '-01:00:00'::interval))", "starts_at <= (now() + '-01:00:00')"],
    ['(id IN ( SELECT m.id\n   FROM public.m))', 'id is the id of a row in m'],
    [
      '(team IN ( SELECT m.team\n   FROM public.members m\n  WHERE (m.user_id = ( SELECT auth.uid() AS uid))))',
      'team is the team of a row in members whose user_id is the member',
    ],
    ['(NOT (auth.uid() IN ( SELECT b.id\n   FROM public.blocked b)))', 'the member is the id of no row in blocked'],
    ['(id IN ( SELECT max(m.id) AS max\n   FROM public.m))', 'id IN ( SELECT max(m.id) AS max FROM m)'],
    ['(id IN ( SELECT m.id\n   FROM public.m\n LIMIT 3))', 'id IN ( SELECT m.id FROM m LIMIT 3)'],
    ['(5 < amount)', 'amount is more than 5'],
    ["(nick OPERATOR(extensions.~) '^a.*b$'::extensions.citext)", "nick matches, in upper or lower case, '^a.*b$'"],
    ["(nick OPERATOR(extensions.<>) 'admin'::extensions.citext)", "nick is not 'admin', in upper or lower case"],
    ["(attrs OPERATOR(extensions.?) 'color'::text)", "attrs has the key or element 'color'"],
    ["(path OPERATOR(extensions.<@) 'top.a'::extensions.ltree)", "path lies within 'top.a'"],
    ["((data ?| ARRAY['a'::text, 'b'::text]))", "data has at least one of the keys or elements 'a', 'b'"],
    ["((address).country = 'DE'::text)", "country of address is 'DE'"],
    ['(NOT isempty(during))', 'during is not an empty range'],
    ["((upper(during) - lower(during)) <= '08:00:00'::interval)", 'the length of during is at most 8 hours'],
    ['((a IS NULL) <> (b IS NULL))', 'exactly 1 of a, b has a value'],
    ['((a IS NULL) <> (b IS NOT NULL))', 'either each of a, b has a value or none has'],
    ["((kind = 'x'::text) = (b IS NOT NULL))", "kind is 'x' exactly where b is not empty"],
    ['((((a IS NOT NULL))::integer + ((b IS NOT NULL))::integer) = 1)', 'exactly 1 of a, b has a value'],
    ['(num_nulls(a, b, c) < 2)', 'at least 2 of a, b, c have a value'],
    ['(COALESCE(a, b) IS NOT NULL)', 'at least 1 of a, b has a value'],
    ["(COALESCE(name, ''::text) <> ''::text)", 'name is neither empty nor an empty text'],
    ['(COALESCE(share, (0)::numeric) >= (0)::numeric)', 'share (0 where it is empty) is at least 0'],
    ["(name ~ '^[a-z]+$'::text)", 'name is made of the characters a-z alone'],
    ["(code ~ '^\\d{5}$'::text)", 'code is 5 digits'],
    ["(name ~ '^[a-z]*$'::text)", "name matches '^[a-z]*$'"],
    ["starts_with(url, 'https://'::text)", "url starts with 'https://'"],
    ["(POSITION(('@'::text) IN (email)) > 0)", "email contains '@'"],
    ["(SUBSTRING(iban FROM 1 FOR 2) = 'DE'::text)", "iban starts with 'DE'"],
    ["(SUBSTRING(iban FROM 1 FOR 3) = 'DE'::text)", "SUBSTRING(iban FROM 1 FOR 3) is 'DE'"],
    ["(date_trunc('hour'::text, starts) = starts)", 'starts is the start of an hour'],
    ["(created_at > (now() - '01:30:00'::interval))", 'created_at is later than 1 hour 30 minutes ago'],
    ["(born <= (CURRENT_DATE - '18 years'::interval))", 'born is at the latest 18 years before today'],
    ['((net + tax) = gross)', 'gross is net + tax'],
    ['((quantity % 5) = 0)', 'quantity is a multiple of 5'],
    ['((a - (b - c)) > 0)', 'a - (b - c) is more than 0'],
    ["('sad'::text <> ALL (moods))", "moods does not contain 'sad'"],
    ['(0 < ALL (counts))', 'each element of counts is more than 0'],
    ["(jsonb_typeof((data -> 'items'::text)) = 'array'::text)", 'items of data is a JSON array'],
    ['(data IS JSON OBJECT)', 'data is a JSON object'],
    ["(CASE WHEN (kind = 'a'::text) THEN b ELSE c END)", "(where kind is 'a': b; else: c)"],
    ["(status = ANY (ARRAY['open'::text, 'new'::text]))", "status is one of 'open', 'new'"],
    ["(name = 'O''Neill or 1=1'::text)", "name is 'O''Neill or 1=1'"],
    ["(name = E'a\\\\b'::text)", "name is 'a\\b'"],
    ['("select" = auth.uid())', 'own row (by select)'],
    ['(auth.uid() IS NOT NULL)', 'signed in'],
    ["(auth.role() = 'authenticated'::text)", "the caller’s role is 'authenticated'"],
    ['((auth.email())::text = (email)::text)', 'email is the member’s e-mail address'],
    ['(created_at > now())', 'created_at is later than now'],
    ["ninefold.has_role('agent'::text)", 'the member has role agent'],
    [
      '(EXISTS ( SELECT 1\n   FROM public.members m\n  WHERE ((m.team = docs.team) AND (m.user_id = auth.uid()))))',
      'team is the team of a row in members whose user_id is the member',
    ],
    [
      '((EXISTS ( SELECT 1\n   FROM public.members m\n  WHERE (m.team = docs.team))) AND (gone_at IS NULL))',
      'team is the team of a row in members and gone_at is empty',
    ],
    [
      '((open AND (NOT (EXISTS ( SELECT 1\n   FROM public.blocked b\n  WHERE (b.id = docs.id))))) OR is_public)',
      '(open and id is the id of no row in blocked) or is_public',
    ],
    [
      '((team IN ( SELECT m.team\n   FROM public.members m\n  WHERE (m.user_id = auth.uid()))) AND open)',
      '(team is the team of a row in members whose user_id is the member) and open',
    ],
    [
      '(NOT (EXISTS ( SELECT 1\n   FROM public.blocked b\n  WHERE (b.id = docs.id))))',
      'id is the id of no row in blocked',
    ],
  ])('describes the condition %s', (sql, words) => {
    expect(phrase(readCondition(sql), anyone)).toBe(words);
  });

  it.each([
    '((CASE WHEN a THEN (1 # 2) ELSE 2 END) = 1)',
    '((a # b) = 3)',
    '(a OPERATOR(other.~) b)',
    '(nick OPERATOR(extensions.~) other)',
    'private.check_it((id # 1), name)',
    '(a = ALL (ARRAY[1, 2]))',
    'unbalanced (',
    "'no end",
  ])('returns a condition that it cannot phrase as SQL: %s', (sql) => {
    const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/^\((.*)\)$/, '$1');
    expect(plain(phrase(readCondition(sql), anyone))).toBe(plain(sql));
  });

  it('does not repeat equal parts of a condition', () => {
    expect(phrase(readCondition('((a = 1) AND (a = 1) AND ((a = 1) OR (b = 2)))'), anyone)).toBe('a is 1');
    expect(phrase(readCondition('((a = 1) OR ((a = 1) AND (b = 2)))'), anyone)).toBe('a is 1');
  });

  it('omits parts that are false for the caller', () => {
    const sql = "((auth.role() = 'anon'::text) OR is_public OR (auth.uid() = owner))";
    expect(phrase(readCondition(sql), member)).toBe('is_public or own row (by owner)');
  });
});

describe('phrase of policies', () => {
  it.each([
    ['public.is_manager((auth.uid())::text)', 'is_manager(the member)'],
    [
      "( SELECT public.can_read_branch(bills.branch_id, ARRAY['manager'::text, 'reception'::text]) AS can_read_branch)",
      "can_read_branch(branch_id, ['manager', 'reception'])",
    ],
    ['public.has_edit_access(( SELECT auth.uid() AS uid), trip_id)', 'has_edit_access(the member, trip_id)'],
    [
      'public.is_conversation_member(( SELECT m.conversation_id\n   FROM public.messages m\n  WHERE (m.id = poll_votes.message_id)))',
      'is_conversation_member(the conversation_id of the row in messages whose id is this row’s message_id)',
    ],
    [
      "(( SELECT users.role\n   FROM public.users\n  WHERE (users.id = auth.uid())) = 'admin'::text)",
      "the role of the member’s row in users (by id) is 'admin'",
    ],
    [
      '(organization_id = ( SELECT users_1.organization_id\n   FROM public.users users_1\n  WHERE (users_1.id = auth.uid())))',
      'organization_id is the organization_id of the member’s row in users (by id)',
    ],
    [
      '(EXISTS ( SELECT 1\n   FROM (public.projects p\n     JOIN public.workspaces w ON ((p.workspace_id = w.id)))\n  WHERE ((p.id = prompts.project_id) AND (w.owner_id = auth.uid()))))',
      'project_id is the id of a row in projects whose workspace_id is the id of a row in workspaces whose owner_id is the member',
    ],
    [
      '(EXISTS ( SELECT 1\n   FROM ((public.features f\n     JOIN public.projects p ON ((f.project_id = p.id)))\n     JOIN public.workspaces w ON ((p.workspace_id = w.id)))\n  WHERE ((f.id = tasks.feature_id) AND (w.owner_id = auth.uid()))))',
      'feature_id is the id of a row in features whose project_id is the id of a row in projects whose workspace_id is the id of a row in workspaces whose owner_id is the member',
    ],
    [
      '(menu_id IN ( SELECT m.id\n   FROM (public.menus m\n     JOIN public.chefs c ON ((c.id = m.chef_id)))\n  WHERE (c.profile_id = auth.uid())))',
      'menu_id is the id of a row in menus whose chef_id is the id of a row in chefs whose profile_id is the member',
    ],
    [
      "(id IN ( SELECT accessible_ids.id\n   FROM public.accessible_ids(auth.uid(), 'assignments'::text, 15) accessible_ids(id)))",
      "id is one of the results of accessible_ids(the member, 'assignments', 15)",
    ],
    [
      "(lower(email) = lower(COALESCE((auth.jwt() ->> 'email'::text), ''::text)))",
      'email is the member’s e-mail address (an empty text where it is empty), in upper or lower case',
    ],
    [
      "(EXISTS ( SELECT 1\n   FROM public.invited ip\n  WHERE ((ip.project_id = projects.id) AND (lower(ip.email) = lower(COALESCE((auth.jwt() ->> 'email'::text), ''::text))))))",
      'id is the project_id of a row in invited whose email is the member’s e-mail address (an empty text where it is empty), in upper or lower case',
    ],
    [
      '(trip_id IN ( SELECT trips.id\n   FROM public.trips\n  WHERE (trips.user_id = auth.uid())\nUNION\n SELECT trip_collaborators.trip_id\n   FROM public.trip_collaborators\n  WHERE (trip_collaborators.user_id = auth.uid())))',
      '(trip_id is the id of a row in trips whose user_id is the member) or trip_id is the trip_id of a row in trip_collaborators whose user_id is the member',
    ],
    ["(split_part(file_path, '/'::text, 1) = (auth.uid())::text)", "file_path up to the first '/' is the member"],
    ['((storage.foldername(name))[1] = (auth.uid())::text)', 'the first folder of name is the member’s id'],
    [
      "((storage.extension(name) = ANY (ARRAY['jpg'::text, 'png'::text])) AND (storage.filename(name) <> 'index.html'::text) AND ((storage.foldername(name))[2] = 'public'::text))",
      "the extension of name is one of 'jpg', 'png' and the file name of name is not 'index.html' and the second folder of name is 'public'",
    ],
    [
      "(storage.allow_any_operation(ARRAY['object.list'::text, 'object.get_authenticated'::text]) AND (storage.operation() <> 'storage.object.copy'::text))",
      "the call is one of 'object.list', 'object.get_authenticated' and the call is not 'storage.object.copy'",
    ],
    [
      "(claim_hash = NULLIF(current_setting('app.claim_hash'::text, true), ''::text))",
      'claim_hash is the setting app.claim_hash (no value where it is an empty text)',
    ],
    [
      "((bucket_id = 'avatars'::text) AND ((( SELECT auth.uid() AS uid))::text = (storage.foldername(name))[1]))",
      "bucket_id is 'avatars' and the first folder of name is the member’s id",
    ],
    [
      "(EXISTS ( SELECT 1\n   FROM public.profiles\n  WHERE ((profiles.id = auth.uid()) AND (profiles.role = ANY (ARRAY['admin'::text, 'owner'::text])))))",
      "there is a row in profiles whose id is the member and role is one of 'admin', 'owner'",
    ],
    [
      '(EXISTS ( SELECT 1\n   FROM public.a\n  WHERE ((a.id = t.a_id) AND (EXISTS ( SELECT 1\n           FROM public.b\n          WHERE ((b.a_id = a.id) AND (b.kind = a.kind) AND (b.user_id = auth.uid())))))))',
      'a_id is the id of a row in a whose id is the a_id of a row in b whose kind is that row’s kind and user_id is the member',
    ],
  ])('describes the policy %s without SQL', (sql, words) => {
    expect(phrase(readCondition(sql), anyone)).toBe(words);
  });

  it('keeps the aliases of a query if a condition compares two of its relations', () => {
    const sql =
      '(EXISTS ( SELECT 1\n   FROM public.a x,\n    public.b y\n  WHERE ((x.n < y.n) AND (x.id = docs.a_id))))';
    expect(phrase(readCondition(sql), anyone)).toBe(
      'there is a row in a x, b y where x.n is less than y.n and x.id is docs.a_id',
    );
  });
});

describe('ruleWords of checks', () => {
  const held = fieldTypesOf([
    ['bps', 'integer'],
    ['collected', 'bigint'],
    ['declared', 'bigint'],
  ]);

  it.each([
    [
      "((cards - ARRAY['basic'::text, 'standard'::text, 'plus'::text]) = '{}'::jsonb)",
      "cards has no key but 'basic', 'standard', 'plus'",
    ],
    ["(job_key = ('track:ai:batch:'::text || batch))", "job_key is 'track:ai:batch:' followed by batch"],
    [
      "(key ~ (('^relationship-'::text || side) || ':[0-9a-f]{64}$'::text))",
      "key matches '^relationship-' followed by side followed by ':[0-9a-f]{64}$'",
    ],
    [
      "(progress <= CASE WHEN (status = 'completed'::text) THEN 10000 ELSE 9999 END)",
      "progress is at most (10000 where status is 'completed', else 9999)",
    ],
    [
      "(CASE required WHEN 'basic'::text THEN 1 WHEN 'standard'::text THEN 2 ELSE 3 END >= CASE capacity WHEN 'basic'::text THEN 1 WHEN 'standard'::text THEN 2 ELSE 3 END)",
      "(1 where required is 'basic', 2 where required is 'standard', else 3) is at least (1 where capacity is 'basic', 2 where capacity is 'standard', else 3)",
    ],
    ["(strong = (basis <> 'none'::text))", "strong exactly where basis is not 'none'"],
    ['(started = ((unknown * 10) > (screened * 3)))', 'started exactly where unknown × 10 is more than screened × 3'],
    [
      "(translate(bio, (chr(10) || chr(13)), ''::text) !~ '[[:cntrl:]]'::text)",
      'bio without the characters line feed, carriage return has no control characters',
    ],
    ['(bps = ((collected * 10000) / declared))', 'bps is the whole part of (collected × 10000) ÷ declared'],
    [
      '((name IS NULL) OR ((char_length(name) >= 1) AND (char_length(name) <= 200) AND (name = btrim(name))))',
      'name is empty or (name is 1 to 200 characters and name has no spaces around it)',
    ],
  ])('describes the check %s without SQL', (sql, words) => {
    expect(ruleWords(sql, held)).toBe(words);
  });
});

// Tests that exactly the rows that satisfy the words are accepted by PostgreSQL.
describe('conditions whose meaning depends on the types of fields', () => {
  const held = fieldTypesOf([
    ['amount', 'integer'],
    ['price', 'numeric(10,2)'],
    ['during', 'tstzrange'],
    ['starts', 'timestamp with time zone'],
    ['ends', 'timestamp with time zone'],
    ['lasts', 'interval'],
    ['photo', 'bytea'],
    ['words', 'tsvector'],
    ['tags', 'text[]'],
  ]);

  it.each([
    ['((amount / 2) = 3)', 'the whole part of amount ÷ 2 is 3'],
    ['((price / (2)::numeric) = (3)::numeric)', 'price ÷ 2 is 3'],
    ['(EXTRACT(day FROM lasts) < (3)::numeric)', 'EXTRACT(day FROM lasts) is less than 3'],
    ['(EXTRACT(day FROM (ends - starts)) < (3)::numeric)', 'EXTRACT(day FROM (ends - starts)) is less than 3'],
    ['(EXTRACT(day FROM starts) = (1)::numeric)', 'the day of the month of starts is 1'],
    [
      '(EXTRACT(year FROM age(starts)) >= (18)::numeric)',
      'the full years from starts to the start of today is at least 18',
    ],
    [
      "(date_part('month'::text, age(ends, starts)) < (2)::double precision)",
      "date_part('month', age(ends, starts)) is less than 2",
    ],
    ['(length(photo) <= 1000)', 'photo is at most 1000 bytes'],
    ['(length(words) > 3)', 'the number of lexemes of words is more than 3'],
    ['(NOT upper_inf(during))', 'during is not unbounded at its end'],
    ['(NOT lower_inc(during))', 'during does not include its lower bound'],
    ['(price = round(price, 1))', 'price has at most 1 digit after the point'],
    ['(price = round(price, 0))', 'price is a whole number'],
    ["(price = round(price, '-2'::integer))", 'price is price rounded to -2 digits after the point'],
  ])('describes the condition of a check %s', (sql, words) => {
    expect(ruleWords(sql, held)).toBe(words);
  });

  it.each([
    ['(lower(during) > now())', 'the start of during is later than now'],
    ['(starts < ends)', 'starts is before ends'],
    ['(array_length(tags, 1) <= 5)', 'tags has 1 to 5 elements'],
    ['(array_length(tags, 1) < 2)', 'tags has exactly 1 element'],
    ['(array_length(tags, 1) <> 3)', 'tags has at least 1 element, and not exactly 3'],
    ['((array_length(tags, 1) >= 0) AND (amount > 1))', 'tags has at least 1 element and amount is more than 1'],
    ['(array_length(tags, 1) >= 2)', 'tags has at least 2 elements'],
  ])('describes the condition of a policy: %s', (sql, words) => {
    expect(phrase(asPolicy(withTypes(readCondition(sql), held)), anyone)).toBe(words);
  });
});

describe('outcomes', () => {
  it.each([
    ['true', TRUE, TRUE],
    ['false', FALSE, FALSE],
    ['NULL::boolean', NULL, NULL],
    ['(auth.uid() = owner)', NULL, ANY],
    ['(NOT (auth.uid() = owner))', NULL, ANY],
    ['(auth.uid() IS NOT NULL)', FALSE, TRUE],
    ['(( SELECT auth.uid() AS uid) IS NULL)', TRUE, FALSE],
    ["(auth.role() = 'authenticated'::text)", FALSE, TRUE],
    ["(CURRENT_USER <> 'anon'::name)", FALSE, TRUE],
    ["(auth.role() = ANY (ARRAY['anon'::text, 'authenticated'::text]))", TRUE, TRUE],
    ['((auth.uid() = owner) OR true)', TRUE, TRUE],
    ['((auth.uid() = owner) AND false)', FALSE, FALSE],
    ['((auth.uid() = owner) AND is_public)', NULL | FALSE, ANY],
    ['((auth.uid() = owner) OR is_public)', TRUE | NULL, ANY],
    ['is_public', ANY, ANY],
    ['(is_public IS TRUE)', TRUE | FALSE, TRUE | FALSE],
    ['((auth.uid() = owner) IS NOT TRUE)', TRUE, TRUE | FALSE],
    ['((auth.uid() = owner) IS UNKNOWN)', TRUE, TRUE | FALSE],
    ['((auth.uid() IS NOT NULL) IS NOT FALSE)', FALSE, TRUE],
    ['(owner IS NULL)', TRUE | FALSE, TRUE | FALSE],
    ['(owner IS DISTINCT FROM auth.uid())', TRUE | FALSE, TRUE | FALSE],
    ['(auth.uid() IS DISTINCT FROM NULL)', FALSE, TRUE],
    ["(auth.role() IS DISTINCT FROM 'anon'::text)", FALSE, TRUE],
    ["(NOT (auth.role() IS NOT DISTINCT FROM 'anon'::text))", FALSE, TRUE],
    ['(email @> auth.email())', NULL, ANY],
    ["(((auth.jwt() ->> 'is_anonymous'::text))::boolean IS FALSE)", TRUE | FALSE, TRUE | FALSE],
    ['(EXISTS ( SELECT 1\n   FROM public.m\n  WHERE (m.user_id = auth.uid())))', FALSE, TRUE | FALSE],
    [
      '(EXISTS ( SELECT count(*) AS count\n   FROM public.m\n  WHERE (m.user_id = auth.uid())))',
      TRUE | FALSE,
      TRUE | FALSE,
    ],
    ['(id IN ( SELECT m.id\n   FROM public.m\n  WHERE (m.user_id = auth.uid())))', FALSE, ANY],
    ['(auth.uid() IN ( SELECT public.team() AS team))', NULL | FALSE, ANY],
    ['(NOT (id IN ( SELECT m.id\n   FROM public.m\n  WHERE (m.user_id = auth.uid()))))', TRUE, ANY],
    // Two equal numbers or dates may be written differently, so unequal literals decide a comparison only if they are
    // texts.
    ["('1'::numeric = '1.0'::numeric)", ANY, ANY],
    ["('a'::extensions.citext = 'A'::extensions.citext)", ANY, ANY],
    ["('a'::text = 'b'::text)", FALSE, FALSE],
  ])('finds the possible results of %s for an anonymous caller and a member', (sql, forAnon, forMember) => {
    expect(outcomes(readCondition(sql), anon)).toBe(forAnon);
    expect(outcomes(readCondition(sql), member)).toBe(forMember);
  });

  it('returns false for a subquery over a table without visible rows, unless an outer join adds one', () => {
    const inner = '(EXISTS ( SELECT 1\n   FROM (public.a\n     JOIN public.b ON ((a.id = b.id)))))';
    expect(outcomes(readCondition(inner), blind)).toBe(FALSE);
    expect(outcomes(readCondition(inner.replace('JOIN', 'LEFT JOIN')), blind)).toBe(TRUE | FALSE);
  });
});

it('phrase leaves an expression as SQL if it would take long or recurse deeply', () => {
  const deep = `${'('.repeat(50_000)}true${')'.repeat(50_000)}`;
  expect(readCondition(deep).kind).toBe('opaque');
  const took = processorTimeOf(() => {
    readCondition(`E'${'\\\\a'.repeat(50_000)}`);
    readCondition(`(${Array.from({ length: 5000 }, (_, i) => `(a = ${i})`).join(' OR ')})`);
  });
  expect(took).toBeLessThan(2000);
});

describe('relations and queries', () => {
  it.each([
    [
      '(EXISTS ( SELECT 1\n   FROM public.a, other."b c" x\n  WHERE (a.id = x.id)))',
      [
        ['public', 'a'],
        ['other', 'b c'],
      ],
    ],
    [
      '(id IN ( SELECT a.id FROM (public.a JOIN ONLY public.b ON ((a.id = b.id)))))',
      [
        ['public', 'a'],
        ['public', 'b'],
      ],
    ],
    ['(( SELECT auth.uid() AS uid) = owner)', []],
    ["(EXISTS ( SELECT 1 FROM public.f(a.b) x WHERE (x.y = 'FROM public.z'::text)))", []],
    ['(EXISTS ( SELECT 1 FROM LATERAL ( SELECT c.id FROM public.c) d))', [['public', 'c']]],
  ])('finds the relations that %s reads', (sql, relations) => {
    expect(relationsRead(sql)).toEqual(relations);
  });

  it.each([
    [' SELECT id FROM public.a', true],
    [' SELECT a.id FROM public.a JOIN public.b USING (id)', true],
    [' SELECT status, count(*) AS count FROM public.a GROUP BY status', true],
    [' SELECT count(*) AS count FROM public.a', false],
    [' SELECT count(*) AS count FROM public.a GROUP BY ()', false],
    [' SELECT id FROM public.a LEFT JOIN public.b USING (id)', false],
    [' SELECT id FROM public.a UNION ALL SELECT id FROM public.b', false],
  ])('decides whether a query has no row if its table has none: %s', (sql, plain) => {
    const read = readCondition(`(EXISTS (${sql}))`);
    expect(read.kind === 'exists' && read.query.plain).toBe(plain);
  });
});

it.each([
  ['(length(TRIM(BOTH FROM title)) > 0)', 'title, without the spaces around it, is more than 0 characters'],
  ['(length(btrim(title)) >= 3)', 'title, without the spaces around it, is at least 3 characters'],
  ["(TRIM(BOTH FROM title) <> ''::text)", 'title, without the spaces around it, is not an empty text'],
  ["(btrim(title) <> ''::text)", 'title, without the spaces around it, is not an empty text'],
  ['(num_nulls(title, body) = 0)', 'each of title, body has a value'],
  ['false', 'no row is valid'],
])('ruleWords describes a check in words: %s', (sql, words) => {
  expect(ruleWords(sql)).toBe(words);
});

it('domainRuleWords names the field as SQL does, with quotes only where SQL needs them', () => {
  expect(domainRuleWords('(VALUE = initcap(VALUE))', 'code')).toBe('code is initcap(code)');
  expect(domainRuleWords('(VALUE = initcap(VALUE))', 'Code')).toBe('Code is initcap("Code")');
});
