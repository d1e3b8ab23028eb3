-- The rights of the shop's user, before `signet store setup` makes the tables. Run it as the user who then runs `setup`.
create schema if not exists signet;
grant usage on schema signet to app;
alter default privileges in schema signet grant select, insert, update, delete on tables to app;
