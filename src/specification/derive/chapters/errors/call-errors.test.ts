import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3Errors } from '../../../../../contract/errors/s3.ts';
import { defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import type { Chapters } from '../../../../../contract/specification.ts';
import type { CallsChapter } from '../../../../../contract/specification-calls.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { loadFacts } from '../../../../catalog/facts.ts';
import { callsMarkdown } from '../../../render/markdown/calls.ts';
import { openApiDocument } from '../../../render/openapi/document.ts';
import { loadTypeFacts, type TypeFacts } from '../../../render/types/facts.ts';
import { deriveSpecification } from '../../specification.ts';
import { ErrorsOfCalls } from './call-errors.ts';

let database: AppDatabase;
let chapters: Chapters;
let types: TypeFacts;

beforeAll(async () => {
  database = await startAppDatabase('call_errors');
  const owner = database.as('app_owner');
  await owner.script(`
    create table public.customers (id int primary key, name text not null);
    create table public.tickets (id int primary key, title text constraint title_length check (length(title) > 2),
      status text not null default 'open', customer int constraint ticket_customer references public.customers);
    create function public.refuse() returns trigger language plpgsql as $$ begin
      if new.id < 0 then raise exception 'no' using errcode = 'PT423'; end if; return new; end $$;
    create trigger t before update on public.tickets for each row execute function public.refuse();
    create function public.close(ticket int) returns void language plpgsql as $$ begin raise exception 'no' using errcode = 'PT410'; end $$;
    select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": ["open"], "to": "closed"}]');
    create view public.open_tickets as select id, title, (select count(*) from public.customers) as customers, status
      from public.tickets where status is distinct from 'closed';
    create view public."Two views" as select * from only public.open_tickets;
    create view public.guarded as select id, title from public.tickets;
    create trigger g instead of update on public.guarded for each row execute function public.refuse();
    create view public.ruled as select id, title from public.tickets;
    create rule elsewhere as on insert to public.ruled do instead
      insert into public.customers values (new.id, new.title) returning id, name;
    create function public.inner_fault() returns int language plpgsql as $$ begin raise exception 'deep' using errcode = 'PT451'; end $$;
    create function public.middle() returns int language sql as $$ select /* refuse() */ public . inner_fault() $$;
    create function public.outer_call() returns int language plpgsql stable as $$ begin perform 'close(1)', Middle(); return 1; end $$;
    create function public.careful() returns int language plpgsql as $$ begin
      begin return public.middle(); exception when sqlstate 'PT451' then return 0; end;
      raise 'caught' using errcode = 'PT452'; exception when others then return 0; end $$;
    create function public.by_trigger() returns trigger language plpgsql as $$ begin perform public.middle(); return new; end $$;
    create function public.moves(ticket int) returns void language plpgsql set search_path = public as $$ begin
      insert into customers select id, title from public.tickets; perform close(ticket); end $$;
    create table public.watched (id int primary key default public.middle());
    create function public.weight(public.watched) returns int language sql as $$ select public.middle() $$;
    create table public.guarded_rows (id int primary key); alter table public.guarded_rows enable row level security;
    create policy p on public.guarded_rows for delete to service_role using (public.middle() = 1);
    create trigger t before update on public.watched for each row execute function public.by_trigger();
    create view public.names as select 'x' is distinct from name as other, id from public.customers;
    grant usage on schema public to service_role; grant all on all tables in schema public to service_role;`);
  const facts = await loadFacts(owner, { exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  const app = {
    ref: 'helpdesk',
    name: 'Helpdesk',
    authSettings: {
      ...defaultAuthSettings,
      external_anonymous_users_enabled: true,
      oauth_server_enabled: true,
      oauth_server_allow_dynamic_registration: true,
    },
  };
  chapters = deriveSpecification(facts, app).chapters;
  types = await loadTypeFacts(owner, facts, { relationships: new Map() });
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const of = (id: string) => {
  const call = chapters.calls?.calls.find((one) => one.id === id);
  if (!call) throw new Error(`no call ${id}`);
  return new ErrorsOfCalls(chapters).of(call);
};
const own = (id: string) => of(id).own;
const lines = () => chapters.errors?.errors ?? [];
const commonCodes = (id: string) => {
  const { common } = of(id);
  return lines().flatMap((line) => (common.includes(line.id) ? [line.code] : []));
};

/** Errors that no call of the app returns: unknown paths and methods, the S3 protocol, other apps, the management API. */
const elsewhere = [
  ...[
    'PGRST117',
    'PGRST125',
    ...Object.keys(s3Errors),
    'not_found',
    'service_missing',
    'body_malformed',
    'media_type_unsupported',
    'validation_invalid',
    'notifications_unreadable',
  ],
  'app_unknown',
  'key_missing',
];

describe('possible errors of a call', () => {
  it('lists the rules of the entity that a call writes, its transitions, and the errors that its triggers raise', () => {
    expect(own('rest.public.tickets.update')).toEqual(
      expect.arrayContaining([
        'rule.public.tickets.title_length',
        'rule.public.tickets.ticket_customer',
        'transition.public.tickets.status.NF001',
        'function.public.refuse().PT423.no',
      ]),
    );
    expect(own('rest.public.tickets.insert')).not.toContain('function.public.refuse().PT423.no');
    expect(own('rest.public.tickets.select')).toEqual([]);
    expect(own('rpc.public.close(integer)')).toEqual(['function.public.close(integer).PT410.no']);
  });

  it('lists the references to a row among the errors of its deletion', () => {
    expect(own('rest.public.customers.delete')).toEqual(['rule.public.tickets.ticket_customer']);
    expect(own('rest.public.tickets.delete')).toEqual([]);
  });

  it('lists errors that a function raises through the functions that it names, at any depth, but not through names in comments and texts', () => {
    const deep = ['function.public.inner_fault().PT451.deep'];
    expect(own('rpc.public.outer_call()')).toEqual(deep);
    expect(own('rpc.public.middle()')).toEqual(deep);
    expect(own('rpc.public.careful()')).toEqual([]);
    expect(lines().filter(({ origin }) => origin === 'public.careful()')).toEqual([]);
    expect(own('rest.public.watched.update')).toEqual(expect.arrayContaining(deep));
    expect(own('rest.public.watched.insert')).toEqual(expect.arrayContaining(deep));
    expect(own('rest.public.watched.select')).toEqual(deep);
    expect(own('rest.public.guarded_rows.delete')).toEqual(deep);
    expect(own('rest.public.guarded_rows.select')).toEqual([]);
  });

  it('lists in chapter 7 what a function calls, reads, writes and raises, also through the functions that it names', () => {
    const codeOf = (id: string) => {
      const { reaches, writes, raises } = chapters.calls?.functions.find((one) => one.id === id) ?? {};
      return { reaches, writes, raises };
    };
    expect(codeOf('public.moves(integer)')).toEqual({
      reaches: ['public.close(integer)', 'public.tickets'],
      writes: ['public.customers'],
      raises: [{ sqlstate: 'PT410', message: 'no' }],
    });
    expect(codeOf('public.outer_call()')).toEqual({
      reaches: ['public.inner_fault()', 'public.middle()'],
      writes: [],
      raises: [{ sqlstate: 'PT451', message: 'deep' }],
    });
    const document = openApiDocument(
      { app: { ref: 'helpdesk', name: 'Helpdesk' }, hash: '', chapters },
      types,
      'http://helpdesk.localhost',
    );
    const { post } = (document.paths as Record<string, { post: object }>)['/rest/v1/rpc/moves'] ?? {};
    expect(post).toHaveProperty('x-writes', ['public.customers']);
    expect(callsMarkdown(chapters.calls as CallsChapter, chapters)).toContain('writes customers; raises “no” (PT410)');
  });

  it('lists the error of a write in read-only calls: GET, and functions declared STABLE or IMMUTABLE', () => {
    const isRefused = (id: string) => commonCodes(id).includes('25006');
    expect(
      ['rpc.public.outer_call()', 'rpc.public.middle().get', 'rest.public.tickets.select'].filter(isRefused),
    ).toHaveLength(3);
    expect(['rpc.public.middle()', 'rest.public.tickets.insert'].filter(isRefused)).toEqual([]);
  });

  it('lists for a write through a view the errors of the table that PostgreSQL writes, and of no other table', () => {
    const ofUpdate = own('rest.public.tickets.update');
    expect(own('rest.public.open_tickets.update')).toEqual(ofUpdate);
    expect(own('rest.public."Two views".update')).toEqual(ofUpdate);
    expect(own('rest.public.open_tickets.insert')).toEqual(own('rest.public.tickets.insert'));
    expect(own('rest.public.names.delete')).toEqual(['rule.public.tickets.ticket_customer']);
    expect(own('rest.public.open_tickets.select')).toEqual([]);
  });

  it('lists for a view with an INSTEAD OF trigger or a rule only the errors of the trigger', () => {
    expect(own('rest.public.guarded.update')).toEqual(['function.public.refuse().PT423.no']);
    expect(own('rest.public.guarded.insert')).toEqual(own('rest.public.tickets.insert'));
    expect(own('rest.public.ruled.insert')).toEqual([]);
  });

  it('lists the errors of the protocol that a call uses, and of no other protocol', () => {
    expect(commonCodes('rest.public.tickets.insert')).toEqual(
      expect.arrayContaining(['PGRST102', 'PGRST204', '42501', 'too_many_requests']),
    );
    expect(commonCodes('rest.public.tickets.select')).not.toContain('PGRST102');
    expect(commonCodes('auth.token.password')).toEqual(
      expect.arrayContaining(['invalid_credentials', 'too_many_requests']),
    );
    expect(commonCodes('auth.token.password')).not.toContain('PGRST116');
  });

  it('lists every code that a member can receive from some call of the app', () => {
    const ids = chapters.calls?.calls.map(({ id }) => id) ?? [];
    const met = new Set(ids.flatMap(commonCodes));
    const listed = lines().flatMap(({ origin, code }) => (origin === null && code !== null ? [code] : []));
    expect(listed.filter((code) => !met.has(code))).toEqual(elsewhere);
  });
});
