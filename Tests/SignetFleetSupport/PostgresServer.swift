// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Foundation
package import SignetModel
import SignetPostgres
import SignetTestSupport

/// A private PostgreSQL in a temporary folder, on a Unix socket and a port of 127.0.0.1.
///
/// A shell has it: when this process ends, however it ends, the shell's input closes, and it stops the server and removes the folder.
package final class PostgresServer: Sendable {
    package struct NotThere: Error, CustomStringConvertible {
        package let description: String
    }

    /// The server that the tests share that do it no harm; none of them may be skipped without one.
    package static func shared() async throws -> PostgresServer {
        try await ownThread { try Self.first.get() }
    }

    private static let first = Result { try PostgresServer([]) }

    package let folder: String
    package let port: Int
    private let shell: Process
    private let input: Pipe

    /// Makes a cluster and starts it.
    package static func start(settings: [String] = []) async throws -> PostgresServer {
        try await ownThread { try PostgresServer(settings) }
    }

    private init(_ settings: [String]) throws {
        // A port may be taken before the server has it.
        let ports = try (0..<5).map { _ in String(try LoopbackSocket.freePort()) }
        self.shell = Process()
        self.shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        self.shell.arguments =
            ["-c", Self.script, "postgres-of-tests", ports.joined(separator: " ")] + settings.flatMap { ["-c", $0] }
        let output: Pipe
        (self.input, output) = try SignetTestSupport.start(self.shell) { [shell] in
            let (input, output) = (Pipe(), Pipe())
            (shell.standardInput, shell.standardOutput) = (input, output)
            return (input, output)
        }
        var said = ""
        while !said.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else {
                throw NotThere(description: "PostgreSQL did not start; if it is not there: apt-get install postgresql")
            }
            said += String(decoding: bytes, as: UTF8.self)
        }
        let words = said.dropLast().split(separator: " ", maxSplits: 1)
        guard words.count == 2, let port = Int(words[0]) else { throw NotThere(description: said) }
        (self.port, self.folder) = (port, String(words[1]))
    }

    deinit {
        self.input.fileHandleForWriting.closeFile()
        // The last to let go of it may be a task.
        let shell = self.shell
        Thread.detachNewThread { shell.waitUntilExit() }
    }

    /// The URL for a database of this server over the port.
    package func url(
        _ database: String = "postgres",
        user: String = "postgres",
        password: String? = nil,
        port: Int? = nil
    ) -> Secret {
        Secret("postgres://\(user)\(password.map { ":" + $0 } ?? "")@127.0.0.1:\(port ?? self.port)/\(database)")
    }

    /// Runs commands of the shell with `$folder`, `$port` and the programs of PostgreSQL, as the user who has the server.
    package func run(_ commands: String) async throws {
        try await ownThread { try self.carryOut(commands) }
    }

    private func carryOut(_ commands: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c", PostgresServer.programs + "folder=\(self.folder); port=\(self.port); set -e; " + commands,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try SignetTestSupport.start(process)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw NotThere(description: "exit code \(process.terminationStatus) of: \(commands)")
        }
    }

    /// Runs a script of SQL as the owner of everything.
    package func sql(_ text: String, in database: String = "postgres") async throws {
        try await self.run(
            "as psql -qX -v ON_ERROR_STOP=1 -h $folder -p $port -U postgres -d \(database) -c \"\(text)\""
        )
    }

    /// A database of its own, with the tables if wanted.
    package func makeDatabase(withTables: Bool = true) async throws -> String {
        let name = "signet_\(UInt32.random(in: 0..<UInt32.max))"
        try await self.sql("create database \(name)")
        guard withTables else { return name }
        let store = try PostgresStore(self.url(name), limit: .seconds(20))
        try await store.setup()
        await store.close()
        return name
    }

    package func start() async throws {
        try await self.run("detached as pg_ctl -D $folder/data -w -l $folder/log start")
    }

    package func stop() async throws {
        try await self.run("as pg_ctl -D $folder/data -w -m fast stop")
    }

    /// Sends a signal to the server and to each of its processes.
    package func signal(_ name: String) async throws {
        try await self.run("main=$(head -n 1 $folder/data/postmaster.pid); kill -\(name) $main $(pgrep -P $main)")
    }

    /// PostgreSQL refuses to run as root.
    private static let programs = """
        for bin in /usr/lib/postgresql/*/bin; do PATH="$bin:$PATH"; done
        as() { if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- env PATH="$PATH" "$@"); else "$@"; fi; }
        # Foundation waits until no process has what it gave the shell; a server must not keep it.
        detached() (
            for file in /proc/$BASHPID/fd/*; do number=${file##*/}; [ $number -le 2 ] || eval "exec $number>&-"; done
            "$@"
        )

        """

    private static let script =
        PostgresServer.programs + """
            command -v initdb >/dev/null || exit 1
            ports="$1"; shift
            parent=/dev/shm; [ -w "$parent" ] || parent=/tmp
            folder="$(as mktemp -d "$parent/signet-postgres-XXXXXX")" || exit 1
            as initdb -D "$folder/data" -U postgres -A trust -E UTF8 --no-locale --no-sync >/dev/null || exit 1
            printf '%s\\n' 'local all all trust' 'host all shop all scram-sha-256' 'host all all all trust' \
                'local replication all trust' 'host replication all all trust' \
                | as tee "$folder/data/pg_hba.conf" >/dev/null
            printf '%s\\n' "unix_socket_directories = '$folder'" "listen_addresses = '127.0.0.1'" 'fsync = off' \
                'max_connections = 300' 'dynamic_shared_memory_type = mmap' "include = 'port.conf'" \
                | as tee -a "$folder/data/postgresql.conf" >/dev/null
            for setting in "$@"; do
                [ "$setting" = -c ] || echo "$setting" | as tee -a "$folder/data/postgresql.conf" >/dev/null
            done
            for port in $ports none; do
                if [ "$port" = none ]; then cat "$folder/log" >&2; as rm -rf "$folder"; exit 1; fi
                echo "port = $port" | as tee "$folder/data/port.conf" >/dev/null
                if as pg_ctl -D "$folder/data" -w -l "$folder/log" start >/dev/null; then break; fi
            done
            echo "$port $folder"
            read -r _
            [ ! -f "$folder/bouncer.pid" ] || kill -KILL "$(cat "$folder/bouncer.pid")"
            for data in "$folder/data" "$folder/standby"; do
                main=$(head -n 1 "$data/postmaster.pid" 2>/dev/null)
                [ -z "$main" ] || kill -CONT $main $(pgrep -P "$main")
                [ -z "$main" ] || as pg_ctl -D "$data" -w -m immediate stop >/dev/null 2>&1
            done
            as rm -rf "$folder"
            """
}
#endif
