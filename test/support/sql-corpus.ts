/** Generates random SQL in the forms that the SQL of apps has. The same seed always gives the same SQL. */

/** SQL that creates the tables and functions which the generated SQL uses. */
export const corpusSchema = `
  create schema auth;
  create schema private;
  create function auth.uid() returns uuid language sql stable as 'select null::uuid';
  create function auth.jwt() returns jsonb language sql stable as 'select null::jsonb';
  create function auth.email() returns text language sql stable as 'select null::text';
  create table public.teams (id int primary key, name text, owner uuid);
  create table public.members (team int, user_id uuid, role text, kind text);
  create table private."Audit log" (id int, team int, by_user uuid, what text);
  create table public.docs (id int, title text, note text, amount int, price numeric, tags text[], data jsonb, owner uuid,
    team int, open boolean, at timestamptz, ends timestamptz, during tstzrange);
  create sequence public.numbers;
  create function public.is_member(team int) returns boolean language sql stable as 'select true';
  create function private.can(action text, roles text[]) returns boolean language sql stable as 'select true';
  create function public."Ids of"(uuid) returns setof int language sql stable as 'select 1';
  create function public.a_function_whose_name_is_exactly_as_long_as_postgresql_allows_i() returns int language sql as 'select 1';
`;

export class Corpus {
  #state: number;
  #names = 0;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a condition on a row of public.docs. It is nested at most `levels` deep. */
  condition(levels: number, row = 'docs'): string {
    if (levels > 0 && this.#below(10) < 5) {
      const items = this.#some(2 + this.#below(3), () => this.condition(levels - 1, row));
      return this.#of(
        () => `(${items.join(' and ')})`,
        () => `(${items.join(' or ')})`,
        () => `(not ${items[0]})`,
      );
    }
    return this.#below(4) === 0 ? this.#onQuery(levels, row) : this.#plain(levels, row);
  }

  /** Returns a query in the form that the definition of a view has. */
  query(): string {
    const where = this.condition(2, 'd');
    return this.#of(
      () => `select d.id, ${this.condition(1, 'd')} as flag from public.docs d where ${where}`,
      () => `select d.id from public.docs d join public.members m on m.team = d.team where ${where}`,
      () => `select d.id, t.name from public.docs d left join public.teams t on t.id = d.team where ${where}`,
      () =>
        `with w as (select id, team from private."Audit log") select d.id from public.docs d, w where w.id = d.id and ${where}`,
      () => `select d.id from public.docs d where ${where} union select m.team from public.members m`,
      () => `select d.team, count(*) as docs from public.docs d where ${where} group by d.team having count(*) > 1`,
      () =>
        `select d.id from public.docs d, lateral (select t.id from public.teams t where t.id = d.team limit 1) x where ${where}`,
    );
  }

  /** Returns the body of a PL/pgSQL function. */
  body(): string {
    return `declare n int; m text; r record; begin\n${this.#statements(3)}\nreturn; end`;
  }

  #statements(levels: number): string {
    return this.#some(1 + this.#below(3), () => this.#statement(levels)).join('\n');
  }

  #statement(levels: number): string {
    const inner = () => this.#statements(levels - 1);
    if (levels > 0 && this.#below(3) === 0) {
      return this.#of(
        () => `if ${this.#flag()} then ${inner()}\nelse ${inner()}\nend if;`,
        () => `for r in select id from public.docs loop ${inner()}\nend loop;`,
        () => `begin ${inner()}\nexception when others then ${inner()}\nend;`,
        () => `while n < 3 loop ${inner()}\nn := n + 1; end loop;`,
        () => `case when ${this.#flag()} then ${inner()}\nelse ${inner()}\nend case;`,
      );
    }
    return this.#of(
      () => `insert into public.members (team, role) values (1, 'x;y') on conflict do nothing;`,
      () => `update public.docs set title = 'delete from teams' where id = n;`,
      () => 'delete from public.members using public.teams t where t.id = team;',
      () => `with w as (insert into private."Audit log" (id) values (1) returning id) select id into n from w;`,
      () => 'select count(*) into n from public.docs; -- insert into public.teams',
      () => 'perform public.is_member(n);',
      () => `perform private.can('read', array['a', 'b']);`,
      () => 'select d.id into n from public.docs d where d.id = 1 for update;',
      () => `n := nextval('public.numbers');`,
      () => `m := 'raise exception ''no'''; /* delete from public.docs; */`,
      () => `raise notice 'update public.docs';`,
      () => `raise exception 'no % here', m using errcode = 'P0002', hint = 'Ask.';`,
      () => `raise exception using message = 'taken', errcode = 'unique_violation';`,
      () => `raise 'plain';`,
      () => 'raise check_violation;',
      () => `assert n > 0, 'positive';`,
      () => `execute format('select %L', m);`,
      () => 'n := public.a_function_whose_name_is_exactly_as_long_as_postgresql_allows_i_and_more();',
      () => `select x into n from public."Ids of"(auth.uid()) x limit 1;`,
      () => 'refresh materialized view public.totals;',
      () => 'truncate public.members;',
      () => 'n := (select max(id) from public.docs where title = $q$ insert into public.docs $q$);',
    );
  }

  #flag(): string {
    return this.#of(
      () => 'n > 1',
      () => 'exists (select 1 from public.docs where id = n)',
      () => 'public.is_member(n)',
      () => 'm is null',
    );
  }

  #plain(levels: number, row: string): string {
    const [number, text, time] = [this.#number(levels, row), this.#text(levels, row), this.#time(row)];
    return this.#of(
      () => `${number} ${this.#sign()} ${this.#number(levels, row)}`,
      () => `${text} ${this.#sign()} ${this.#text(levels, row)}`,
      () => `${time} ${this.#sign()} ${this.#time(row)}`,
      () => `${number} between 1 and ${this.#below(50)}`,
      () => `${number} in (1, 2, ${this.#below(50)})`,
      () => `${text} not in ('a', 'it''s', E'b\\\\c')`,
      () => `${text} is${this.#not()} null`,
      () => `${text} is${this.#not()} distinct from ${this.#text(0, row)}`,
      () => `${text} ${this.#pick('like', 'not like', 'ilike', '~', '!~', '~*')} '^a.*(b|c)$'`,
      () => `${row}.owner = ${this.#pick('auth.uid()', '(select auth.uid())')}`,
      () => 'auth.uid() is not null',
      () => `${row}.open`,
      () => `${row}.open is${this.#not()} ${this.#pick('true', 'false', 'unknown')}`,
      () => `${row}.tags @> array['x', 'y']`,
      () => `'x' = ${this.#pick('any', 'all')} (${row}.tags)`,
      () => `${row}.data ${this.#pick("? 'k'", "@> '{}'", "?| array['a', 'b']")}`,
      () => `(${row}.data ->> 'kind') = ${text}`,
      () => `(auth.jwt() -> 'app_metadata' ->> 'team') = ${text}`,
      () => `${row}.during @> ${time}`,
      () => `(${text} is null) = (${number} is null)`,
      () => `${row}.open = (${number} > 3)`,
      () => `case when ${row}.open then ${this.#simple(row)} else ${this.#simple(row)} end`,
      () => `public.is_member(${number})`,
      () => `private.can(${text}, array['a', 'b'])`,
      () => `(${row}.data - 'k') = '{}'`,
      () => `${row}.data is json object`,
    );
  }

  #simple(row: string): string {
    return this.#pick(`${row}.open`, `${row}.amount > 1`, 'true', `${row}.title = 'x'`);
  }

  #onQuery(levels: number, row: string): string {
    const alias = `x${++this.#names}`;
    const more = levels > 0 && this.#below(3) === 0 ? ` and ${this.#nested(alias, row)}` : '';
    return this.#of(
      () =>
        `exists (select 1 from public.members ${alias} where ${alias}.team = ${row}.team and ${alias}.user_id = auth.uid()${more})`,
      () => `not exists (select from private."Audit log" ${alias} where ${alias}.id = ${row}.id${more})`,
      () =>
        `${row}.team in (select ${alias}.team from public.members ${alias} where ${alias}.role in ('a', 'b')${more})`,
      () => `${row}.team not in (select ${alias}.id from public.teams ${alias})`,
      () => `${row}.team in (select ${alias}.id from public.teams ${alias} union select y.team from public.members y)`,
      () =>
        `exists (select 1 from public.members ${alias} join public.teams t on t.id = ${alias}.team where ${alias}.team = ${row}.team and t.owner = auth.uid()${more})`,
      () => `(select ${alias}.role from public.members ${alias} where ${alias}.user_id = auth.uid()) = 'admin'`,
      () => `${row}.id in (select public."Ids of"(auth.uid()))`,
      () => `${row}.id in (select i from public."Ids of"(auth.uid()) i)`,
      () => `(select count(*) from public.members ${alias} where ${alias}.team = ${row}.team) < 5`,
    );
  }

  #nested(alias: string, row: string): string {
    return this.#of(
      () => `${alias}.team > 3`,
      () => `(${alias}.team = 1 or ${row}.open)`,
      () => `exists (select 1 from public.teams z where z.id = ${alias}.team and z.owner = ${row}.owner)`,
    );
  }

  #number(levels: number, row: string): string {
    return this.#of(
      () => `${row}.amount`,
      () => `${row}.id`,
      () => String(this.#below(100)),
      () => `-${this.#below(100)}`,
      () => `length(${row}.title)`,
      () => (levels > 0 ? `(${this.#number(levels - 1, row)} ${this.#pick('+', '-', '*', '%')} 2)` : `${row}.team`),
      () => `coalesce(${row}.amount, 0)`,
      () => `case ${row}.title when 'a' then 1 else 2 end`,
      () => `cardinality(${row}.tags)`,
      () => `extract(year from ${row}.at)::int`,
    );
  }

  #text(levels: number, row: string): string {
    return this.#of(
      () => `${row}.title`,
      () => `${row}.note`,
      () => `'it''s "quoted" or not'`,
      () => `lower(${row}.title)`,
      () => `btrim(${row}.note)`,
      () => (levels > 0 ? `(${this.#text(levels - 1, row)} || '-x')` : `'y'`),
      () => `coalesce(${row}.note, '')`,
      () => `split_part(${row}.title, '/', 1)`,
      () => `substring(${row}.title from 1 for 2)`,
      () => `trim(both from ${row}.note)`,
      () => `(${row}.tags)[1]`,
      () => `case when ${row}.open then 'a' else ${row}.note end`,
      () => 'auth.email()',
    );
  }

  #time(row: string): string {
    return this.#pick(`${row}.at`, `${row}.ends`, 'now()', `now() - interval '1 day'`, `lower(${row}.during)`);
  }

  #sign(): string {
    return this.#pick('=', '<>', '<', '>', '<=', '>=');
  }

  #not(): string {
    return this.#pick('', ' not');
  }

  #pick(...texts: string[]): string {
    return texts[this.#below(texts.length)] ?? '';
  }

  #of(...makers: (() => string)[]): string {
    return makers[this.#below(makers.length)]?.() ?? '';
  }

  #some(count: number, make: () => string): string[] {
    return Array.from({ length: count }, make);
  }

  /** Returns a pseudo-random whole number from 0 to `limit` - 1 (the generator of Park and Miller). */
  #below(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % limit;
  }
}
