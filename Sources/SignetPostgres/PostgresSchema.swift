// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
/// The tables.
///
/// Moments are milliseconds since 1970, because the seam counts in them; a `timestamptz` would be rounded twice.
enum PostgresSchema {
    /// Makes what is missing, in one transaction; of two that run at once, one waits.
    ///
    /// An implicit transaction, so that PgBouncer keeps its connection and a failure leaves nothing open.
    ///
    /// A new database has the newest format; one that is there keeps its own until the upgrade is finished.
    ///
    /// `installation` is cold, `live` hot: nothing that an activity changes is indexed, so that its updates stay in their page.
    static let setup = """
        select pg_advisory_xact_lock(\(Self.lock));
        do $$ begin
            if to_regnamespace('signet') is null then create schema signet; end if;
            if current_setting('server_encoding') <> 'UTF8' then raise exception 'the database must have the encoding UTF8'; end if;
        end $$;
        create table if not exists signet.meta (
            one boolean primary key default true check (one), format integer not null, key_hash bytea);
        create table if not exists signet.installation (
            k uuid primary key, name text not null, state bytea not null, seen date not null);
        create index if not exists installation_seen on signet.installation (seen);
        create table if not exists signet.live (
            k uuid primary key, tag uuid not null, tags uuid[] not null, session uuid, started bigint, last bigint, events bigint,
            look bigint, slot uuid, slot_owner uuid, slot_until bigint, outbox bytea not null
        ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
        create index if not exists live_look on signet.live (look) where look is not null;
        create table if not exists signet.mention (mpid bigint, k uuid, primary key (mpid, k));
        create index if not exists mention_k on signet.mention (k);
        create table if not exists signet.replica (
            id uuid primary key, beat bigint, seen bigint not null, flush uuid, joined uuid, known boolean not null default false);
        create table if not exists signet.skipped (replica uuid primary key, flush uuid not null, keys uuid[] not null);
        create table if not exists signet.erasure (
            id uuid primary key, hash bytea not null, at bigint not null, replica uuid not null, rows_done boolean not null default false);
        create index if not exists erasure_hash on signet.erasure (hash);
        create table if not exists signet.erased (erasure uuid, replica uuid, primary key (erasure, replica));
        insert into signet.meta (format) values (\(PostgresStore.newestFormat)) on conflict do nothing
        """

    /// A number for `pg_advisory_xact_lock`: "signet".
    private static let lock = 0x73_69_67_6e_65_74

    static let tables = ["meta", "installation", "live", "mention", "replica", "skipped", "erasure", "erased"]
    /// The rights on each table that a runtime needs.
    static let rights = ["select", "insert", "update", "delete"]
}
#endif
