-- The shop's user. The password is for a look on one machine.
create role app login password 'app';
