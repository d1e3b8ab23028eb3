// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
// Ways to the server: through a pooler, and encrypted.
extension PostgresServer {
    /// Starts a PgBouncer in transaction mode before this server.
    ///
    /// - Parameter database: The database; by default all of them, but then ``leadBouncer(to:)`` does not reach those in use.
    /// - Returns: Its port.
    /// - Throws: ``NotThere``.
    package func startBouncer(for database: String = "*") async throws -> Int {
        let port = try LoopbackSocket.freePort()
        try await self.run(
            """
            printf '%s\\n' '[databases]' "\(database) = host=127.0.0.1 port=$port user=postgres" '[pgbouncer]' 'pool_mode = transaction' \
                'listen_addr = 127.0.0.1' 'listen_port = \(port)' 'auth_type = any' 'unix_socket_dir =' 'max_client_conn = 500' \
                'default_pool_size = 4' 'server_login_retry = 1' 'admin_users = postgres' "logfile = $folder/bouncer.log" "pidfile = $folder/bouncer.pid" \
                | as tee $folder/bouncer.ini >/dev/null
            detached as pgbouncer -d $folder/bouncer.ini
            # It returns before it listens.
            for try in {1..5000}; do if (: </dev/tcp/127.0.0.1/\(port)) 2>/dev/null; then exit 0; fi; done
            exit 1
            """
        )
        return port
    }

    /// Lets the PgBouncer lead to another server of this machine from the next transaction on; its clients stay.
    package func leadBouncer(to port: Int) async throws {
        try await self.run(
            """
            as sed -i 's/host=127.0.0.1 port=[0-9]*/host=127.0.0.1 port=\(port)/' $folder/bouncer.ini
            # Not by a signal: whom a thread of Swift starts has them blocked.
            as psql -qX -h 127.0.0.1 -p "$(sed -n 's/^listen_port = //p' $folder/bouncer.ini)" -U postgres -d pgbouncer -c reload
            """
        )
    }

    /// Restarts the server with a certificate for `localhost`, from an authority made for it.
    ///
    /// - Returns: The file of the authority, and the file of another one.
    package func startTLS() async throws -> (root: String, stranger: String) {
        try await self.run(
            """
            as mkdir -m 700 $folder/tls
            curve='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
            for name in root stranger; do
                as openssl req -x509 $curve -days 2 -subj "/CN=$name" -keyout $folder/tls/$name.key -out $folder/tls/$name.crt 2>/dev/null
            done
            as openssl req $curve -subj /CN=localhost -keyout $folder/tls/server.key -out $folder/tls/server.csr 2>/dev/null
            echo 'subjectAltName = DNS:localhost' | as tee $folder/tls/server.ext >/dev/null
            as openssl x509 -req -in $folder/tls/server.csr -CA $folder/tls/root.crt -CAkey $folder/tls/root.key -CAcreateserial \
                -days 2 -extfile $folder/tls/server.ext -out $folder/tls/server.crt 2>/dev/null
            printf '%s\\n' 'ssl = on' "ssl_cert_file = '$folder/tls/server.crt'" "ssl_key_file = '$folder/tls/server.key'" \
                | as tee -a $folder/data/postgresql.conf >/dev/null
            """
        )
        try await self.restart()
        return (self.folder + "/tls/root.crt", self.folder + "/tls/stranger.crt")
    }
}
#endif
