-- Two resources to begin with, open for the next twelve weeks; staff changes them.
insert into public.resources (name, description, capacity, shortest, longest, notice) values
  ('Meeting room', 'A table for eight, a screen and a whiteboard.', 8, '30 minutes', '4 hours', '24 hours'),
  ('Consultation', 'Half an hour with one of us.', 2, '30 minutes', '1 hour', '48 hours');
select public.open_days(id, current_date, current_date + 84, '08:00', '18:00') from public.resources;
