// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
extension PostgresServer {
    /// Kills the server and each of its processes, as a crash does.
    ///
    /// What was not flushed is gone; ``start()`` recovers the rest.
    package func crash() async throws {
        try await self.run(
            """
            main=$(head -n 1 $folder/data/postmaster.pid); all="$main $(pgrep -P $main)"
            kill -KILL $all
            # A zombie has let go of everything but its number, by which the next server would take it for alive.
            for one in $all; do while grep -q '^State:[^Z]*$' /proc/$one/status 2>/dev/null; do :; done; done
            rm -f $folder/data/postmaster.pid $folder/.s.PGSQL.$port.lock
            """
        )
    }

    /// Stops the server in order and starts it again.
    package func restart() async throws {
        try await self.stop()
        try await self.start()
    }

    /// Starts a standby that copies this server as it is now and then follows it.
    ///
    /// - Parameter primary: The port at which the standby reaches this server, as one of a ``TCPProxy``; what that holds is not
    ///   copied, and a promotion loses it.
    /// - Returns: Its port.
    /// - Throws: ``NotThere``.
    package func startStandby(primary: Int) async throws -> Int {
        let port = try LoopbackSocket.freePort()
        try await self.run(
            """
            as pg_basebackup -D $folder/standby -h $folder -p $port -U postgres -X stream -c fast --no-sync
            printf '%s\\n' 'port = \(port)' "primary_conninfo = 'host=127.0.0.1 port=\(primary) user=postgres'" \
                | as tee -a $folder/standby/postgresql.auto.conf >/dev/null
            as touch $folder/standby/standby.signal
            detached as pg_ctl -D $folder/standby -w -l $folder/standby.log start
            """
        )
        return port
    }

    /// Makes the standby a primary with what it has.
    package func promoteStandby(at port: Int) async throws {
        try await self.run(
            "as psql -qX -v ON_ERROR_STOP=1 -h $folder -p \(port) -U postgres -c 'select pg_promote(true, 60)'"
        )
    }
}
#endif
