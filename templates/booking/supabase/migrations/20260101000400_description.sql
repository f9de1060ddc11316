-- What the app is for, and the screens that its members work with.

select ninefold.describe_app(
  name => 'Booking',
  purpose => 'Members book rooms, people or things for a time; staff confirms. Nothing is booked twice, nor outside of its opening times.',
  audience => 'Visitors who look for a time, members who book it, and the staff that keeps the house.'
);

select ninefold.define_screen('/times', 'When it is free', 'calendar', 'public.times',
  columns => array['resource', 'starts_at', 'ends_at'], place => 1, actions => array['public.free_times']);
select ninefold.define_screen('/resources', 'What can be booked', 'list', 'public.resources',
  columns => array['name', 'description', 'capacity'], filter => 'active=is.true', order_by => 'name', place => 2);
select ninefold.define_screen('/bookings/new', 'Book', 'form', 'public.bookings',
  columns => array['resource', 'starts_at', 'ends_at', 'people', 'contact', 'note'], roles => array['authenticated']);
select ninefold.define_screen('/my-bookings', 'My bookings', 'list', 'public.bookings',
  columns => array['resource', 'starts_at', 'ends_at', 'people', 'status', 'reason', 'cancel_until'],
  filter => 'member=eq.auth.uid()', order_by => 'starts_at.desc', roles => array['authenticated']);
select ninefold.define_screen('/agenda', 'Agenda', 'list', 'public.agenda', roles => array['staff']);
select ninefold.define_screen('/requests', 'To be confirmed', 'list', 'public.bookings',
  columns => array['resource', 'starts_at', 'ends_at', 'people', 'contact', 'note'],
  filter => 'status=eq.requested', order_by => 'starts_at', roles => array['staff']);
select ninefold.define_screen('/bookings/board', 'Board', 'board', 'public.bookings',
  columns => array['resource', 'starts_at', 'contact'], order_by => 'starts_at', roles => array['staff']);
select ninefold.define_screen('/resources/new', 'A resource', 'form', 'public.resources',
  columns => array['name', 'description', 'capacity', 'time_zone', 'shortest', 'longest', 'notice', 'active'], roles => array['staff']);
select ninefold.define_screen('/slots/new', 'A slot', 'form', 'public.slots',
  columns => array['resource', 'starts_at', 'ends_at'], roles => array['staff']);
select ninefold.define_screen('/bookings/calendar', 'Calendar', 'calendar', 'public.bookings',
  columns => array['contact', 'resource', 'status'], roles => array['staff']);
select ninefold.define_screen('/opening-times', 'Opening times', 'list', 'public.slots',
  columns => array['resource', 'starts_at', 'ends_at'], order_by => 'starts_at', roles => array['staff'], group_by => 'resource',
  actions => array['public.open_days']);
