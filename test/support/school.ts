/** SQL of a school with 11 tables, member roles, policies, functions, state machines and few comments. */
export const school = `
  select ninefold.describe_app('School', 'Run the school: who teaches what, who attends, and which marks are given.', 'Teachers, pupils and their parents', 'The head of the school');
  select ninefold.define_role('head', 'Leads the school.');
  select ninefold.define_role('teacher', 'Teaches courses and marks work.');
  select ninefold.define_role('office', 'Enrols pupils and sends invoices.');

  create type public.enrolment_state as enum ('applied', 'enrolled', 'left', 'rejected');
  create type public.invoice_state as enum ('draft', 'sent', 'paid', 'cancelled');

  create table public.people (
    id uuid primary key references auth.users (id) on delete cascade,
    full_name text not null constraint people_name_length check (length(full_name) between 1 and 120),
    email text,
    born date,
    created_at timestamptz not null default now()
  );
  comment on table public.people is 'Everybody with an account.';

  create table public.guardians (
    guardian uuid not null references public.people (id) on delete cascade,
    pupil uuid not null references public.people (id) on delete cascade,
    relation text not null check (relation in ('mother', 'father', 'other')),
    primary key (guardian, pupil),
    check (guardian <> pupil)
  );

  create table public.terms (
    id bigint generated always as identity primary key,
    name text not null unique,
    starts_on date not null,
    ends_on date not null,
    check (starts_on < ends_on)
  );

  create table public.courses (
    id uuid primary key default gen_random_uuid(),
    term_id bigint not null references public.terms (id),
    teacher_id uuid not null references public.people (id),
    title text not null check (length(title) between 3 and 120),
    description text,
    seats int not null default 30 check (seats between 1 and 200),
    is_open boolean not null default false,
    created_at timestamptz not null default now()
  );

  create table public.lessons (
    id uuid primary key default gen_random_uuid(),
    course_id uuid not null references public.courses (id) on delete cascade,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    room text,
    topic text,
    check (ends_at > starts_at)
  );

  create table public.enrolments (
    id uuid primary key default gen_random_uuid(),
    course_id uuid not null references public.courses (id) on delete cascade,
    pupil_id uuid not null default auth.uid() references public.people (id) on delete cascade,
    state public.enrolment_state not null default 'applied',
    decided_at timestamptz,
    reason text,
    unique (course_id, pupil_id)
  );

  create table public.attendance (
    lesson_id uuid not null references public.lessons (id) on delete cascade,
    pupil_id uuid not null references public.people (id) on delete cascade,
    status text not null default 'present' check (status in ('present', 'late', 'absent', 'excused')),
    minutes_late int check (minutes_late between 1 and 120),
    note text,
    primary key (lesson_id, pupil_id),
    check (status = 'late' or minutes_late is null)
  );

  create table public.assignments (
    id uuid primary key default gen_random_uuid(),
    course_id uuid not null references public.courses (id) on delete cascade,
    title text not null check (length(title) between 3 and 200),
    instructions text,
    due_at timestamptz not null,
    max_points int not null default 100 check (max_points > 0),
    published boolean not null default false
  );

  create table public.submissions (
    id uuid primary key default gen_random_uuid(),
    assignment_id uuid not null references public.assignments (id) on delete cascade,
    pupil_id uuid not null default auth.uid() references public.people (id) on delete cascade,
    body text not null check (length(body) between 1 and 20000),
    points numeric(5,1) check (points >= 0),
    feedback text,
    submitted_at timestamptz not null default now(),
    unique (assignment_id, pupil_id)
  );

  create table public.invoices (
    id bigint generated always as identity primary key,
    number text not null unique check (number ~ '^R-[0-9]{6}$'),
    payer uuid not null references public.people (id),
    term_id bigint not null references public.terms (id),
    net numeric(10,2) not null check (net > 0),
    vat_rate numeric(4,2) not null default 0.19 check (vat_rate between 0 and 0.5),
    gross numeric(12,2) generated always as (net * (1 + vat_rate)) stored,
    state public.invoice_state not null default 'draft',
    due_on date,
    paid_at timestamptz
  );

  create table public.notices (
    id uuid primary key default gen_random_uuid(),
    author_id uuid default auth.uid() references public.people (id) on delete set null,
    course_id uuid references public.courses (id) on delete cascade,
    title text not null check (length(title) between 3 and 120),
    body text not null,
    pinned boolean not null default false,
    published_at timestamptz not null default now()
  );
  create index notices_course on public.notices (course_id);

  create function public.is_staff() returns boolean language sql stable security definer set search_path = ''
    as $$ select ninefold.has_role('head') or ninefold.has_role('teacher') or ninefold.has_role('office') $$;
  comment on function public.is_staff() is 'The member works at the school.';
  create function public.teaches(course uuid) returns boolean language sql stable security definer set search_path = ''
    as $$ select exists (select 1 from public.courses c where c.id = course and c.teacher_id = auth.uid()) $$;
  comment on function public.teaches(uuid) is 'The member teaches the course.';
  create function public.attends(course uuid) returns boolean language sql stable security definer set search_path = ''
    as $$ select exists (select 1 from public.enrolments e where e.course_id = course and e.pupil_id = auth.uid() and e.state = 'enrolled') $$;
  create function public.course_of_lesson(lesson uuid) returns uuid language sql stable security definer set search_path = ''
    as $$ select course_id from public.lessons where id = lesson $$;
  create function public.guards(pupil uuid) returns boolean language sql stable security definer set search_path = ''
    as $$ select exists (select 1 from public.guardians g where g.pupil = guards.pupil and g.guardian = auth.uid()) $$;

  create function public.mark_submission(submission uuid, given numeric, words text default null) returns public.submissions
    language plpgsql security definer set search_path = '' as $$
  declare result public.submissions; task public.assignments;
  begin
    select a.* into task from public.assignments a join public.submissions s on s.assignment_id = a.id where s.id = submission;
    if task.id is null then raise exception 'No such submission.' using errcode = 'P0002'; end if;
    if not public.teaches(task.course_id) then raise exception 'Only the teacher of the course marks its work.' using errcode = '42501'; end if;
    if given > task.max_points then
      raise exception 'At most % points.', task.max_points using errcode = 'SC001', hint = 'Give fewer points.';
    end if;
    update public.submissions set points = given, feedback = words where id = submission returning * into result;
    return result;
  end $$;
  create function public.course_average(course uuid) returns numeric language sql stable
    as $$ select avg(s.points) from public.submissions s join public.assignments a on a.id = s.assignment_id where a.course_id = course $$;
  create function public.refuse_full_course() returns trigger language plpgsql security definer set search_path = '' as $$
  begin
    if new.state = 'enrolled' and (select count(*) from public.enrolments e where e.course_id = new.course_id and e.state = 'enrolled')
        >= (select c.seats from public.courses c where c.id = new.course_id) then
      raise exception 'The course is full.' using errcode = 'SC002';
    end if;
    return new;
  end $$;
  create trigger refuse_full_course before insert or update of state on public.enrolments for each row execute function public.refuse_full_course();
  create function public.keep_person() returns trigger language plpgsql security definer set search_path = '' as $$
  begin
    insert into public.people (id, full_name, email) values (new.id, coalesce(new.raw_user_meta_data ->> 'name', 'New member'), new.email);
    return null;
  end $$;
  create trigger keep_person after insert on auth.users for each row execute function public.keep_person();
  revoke execute on function public.refuse_full_course(), public.keep_person() from public, anon, authenticated, service_role;

  create view public.timetable with (security_invoker) as
    select l.id, c.title as course, l.starts_at, l.ends_at, l.room from public.lessons l join public.courses c on c.id = l.course_id;
  create view public.open_courses with (security_invoker) as
    select c.id, c.title, c.description, t.name as term, p.full_name as teacher
    from public.courses c join public.terms t on t.id = c.term_id join public.people p on p.id = c.teacher_id where c.is_open;

  ${[
    'people',
    'guardians',
    'terms',
    'courses',
    'lessons',
    'enrolments',
    'attendance',
    'assignments',
    'submissions',
    'invoices',
    'notices',
  ]
    .map((table) => `alter table public.${table} enable row level security;`)
    .join(' ')}
  revoke all on all tables in schema public from anon, authenticated;
  grant select on all tables in schema public to authenticated;
  grant select on public.terms, public.courses, public.open_courses to anon;
  grant update (full_name, born) on public.people to authenticated;
  grant insert, delete on public.guardians to authenticated;
  grant insert, update, delete on public.terms, public.courses, public.lessons, public.assignments, public.attendance, public.notices to authenticated;
  grant insert (course_id, pupil_id), update (state, reason), delete on public.enrolments to authenticated;
  grant insert (assignment_id, pupil_id, body), update (body, points, feedback), delete on public.submissions to authenticated;
  grant insert (number, payer, term_id, net, vat_rate, due_on), update (state, due_on), delete on public.invoices to authenticated;

  create policy "Users can view own profile" on public.people for select to authenticated using (auth.uid() = id or public.is_staff() or public.guards(id));
  create policy "Users can update own profile" on public.people for update to authenticated using (auth.uid() = id) with check (auth.uid() = id);
  create policy "Guardians see their links" on public.guardians for select to authenticated
    using (guardian = (select auth.uid()) or pupil = (select auth.uid()) or public.is_staff());
  create policy "Office adds guardians" on public.guardians for insert to authenticated with check ((select ninefold.has_role('office')));
  create policy "Office removes guardians" on public.guardians for delete to authenticated using ((select ninefold.has_role('office')));
  create policy "Everybody reads terms" on public.terms for select to anon, authenticated using (true);
  create policy "Head manages terms" on public.terms for all to authenticated
    using ((select ninefold.has_role('head'))) with check ((select ninefold.has_role('head')));
  create policy "Everybody sees open courses" on public.courses for select to anon, authenticated using (is_open);
  create policy "Staff and pupils see their courses" on public.courses for select to authenticated
    using (teacher_id = (select auth.uid()) or public.attends(id) or (select ninefold.has_role('head')) or (select ninefold.has_role('office')));
  comment on policy "Everybody sees open courses" on public.courses is 'open courses are public';
  create policy "Head adds courses" on public.courses for insert to authenticated with check ((select ninefold.has_role('head')));
  create policy "Head and teacher change courses" on public.courses for update to authenticated
    using (teacher_id = (select auth.uid()) or (select ninefold.has_role('head')));
  create policy "Head removes courses" on public.courses for delete to authenticated using ((select ninefold.has_role('head')));
  create policy "Members of a course see its lessons" on public.lessons for select to authenticated
    using (public.teaches(course_id) or public.attends(course_id) or (select ninefold.has_role('head')));
  create policy "Teachers plan lessons" on public.lessons for all to authenticated
    using (public.teaches(course_id)) with check (public.teaches(course_id));
  create policy "See own enrolments" on public.enrolments for select to authenticated
    using (pupil_id = (select auth.uid()) or public.guards(pupil_id) or public.is_staff());
  create policy "Apply for open courses" on public.enrolments for insert to authenticated
    with check (pupil_id = (select auth.uid()) and course_id in (select c.id from public.courses c where c.is_open));
  create policy "Office decides" on public.enrolments for update to authenticated
    using (pupil_id = (select auth.uid()) or (select ninefold.has_role('office')));
  create policy "Office deletes" on public.enrolments for delete to authenticated using ((select ninefold.has_role('office')));
  create policy "Teachers keep attendance" on public.attendance for all to authenticated
    using (public.teaches(public.course_of_lesson(lesson_id))) with check (public.teaches(public.course_of_lesson(lesson_id)));
  create policy "Pupils see their attendance" on public.attendance for select to authenticated
    using (pupil_id = (select auth.uid()) or public.guards(pupil_id));
  create policy "Assignments of own courses" on public.assignments for select to authenticated
    using (public.teaches(course_id) or (published and public.attends(course_id)));
  create policy "Teachers set assignments" on public.assignments for all to authenticated
    using (public.teaches(course_id)) with check (public.teaches(course_id));
  create policy "Own submissions" on public.submissions for select to authenticated
    using (pupil_id = (select auth.uid()) or public.guards(pupil_id)
      or exists (select 1 from public.assignments a where a.id = assignment_id and public.teaches(a.course_id)));
  create policy "Hand in in time" on public.submissions for insert to authenticated
    with check (pupil_id = (select auth.uid())
      and exists (select 1 from public.assignments a where a.id = assignment_id and a.published and a.due_at > now()));
  create policy "Change own submission until marked" on public.submissions for update to authenticated
    using ((pupil_id = (select auth.uid()) and points is null)
      or exists (select 1 from public.assignments a where a.id = assignment_id and public.teaches(a.course_id)));
  create policy "Withdraw until marked" on public.submissions for delete to authenticated
    using (pupil_id = (select auth.uid()) and points is null);
  create policy "Payers see invoices" on public.invoices for select to authenticated
    using (payer = (select auth.uid()) and state <> 'draft' or (select ninefold.has_role('office')) or (select ninefold.has_role('head')));
  create policy "Office writes invoices" on public.invoices for all to authenticated
    using ((select ninefold.has_role('office'))) with check ((select ninefold.has_role('office')));
  create policy "Read notices" on public.notices for select to authenticated
    using (course_id is null or public.attends(course_id) or author_id = (select auth.uid()));
  create policy "Staff write notices" on public.notices for insert to authenticated
    with check (author_id = (select auth.uid()) and (public.is_staff()));
  create policy "Authors change notices" on public.notices for update to authenticated using (author_id = (select auth.uid()));
  create policy "Authors or head delete notices" on public.notices for delete to authenticated
    using (author_id = (select auth.uid()) or (select ninefold.has_role('head')));

  select ninefold.define_machine('public.enrolments', 'state', 'applied', $$[
    {"name": "accept", "from": "applied", "to": "enrolled", "roles": ["office"], "sets": {"decided_at": "now()"}},
    {"name": "reject", "from": "applied", "to": "rejected", "roles": ["office"], "requires": ["reason"], "sets": {"decided_at": "now()"}},
    {"name": "leave", "from": "enrolled", "to": "left", "when": "pupil_id = auth.uid()"}]$$);
  select ninefold.define_machine('public.invoices', 'state', 'draft', $$[
    {"name": "send", "from": "draft", "to": "sent", "roles": ["office"], "requires": ["due_on"]},
    {"name": "settle", "from": "sent", "to": "paid", "roles": ["office"], "sets": {"paid_at": "now()"}},
    {"name": "cancel", "from": ["draft", "sent"], "to": "cancelled", "roles": ["office", "head"]}]$$);
`;
