-- The requests that took 100 milliseconds or more, so that a search for slow requests does not read every line of the log.

create index request_log_slow on ninefold.request_log (at, id) where milliseconds >= 100;
