// SPDX-License-Identifier: Apache-2.0

import Glibc

/// This program again, in another process, with other arguments.
///
/// It reads what the child prints; the child reads from a pipe that is closed when this process ends, however that happens.
final class ChildProcess: Sendable {
    let id: pid_t
    private let input: CInt
    private let output: CInt
    private let workspace: Workspace

    /// Starts a child.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - program: A program that is looked for along `PATH`; nil for this one.
    ///   - workspace: Ends it in the end.
    /// - Throws: ``LoadError`` if it cannot be started.
    init(_ arguments: [String], program: String? = nil, in workspace: Workspace) throws {
        let toChild = try Self.pipe()
        let fromChild = try Self.pipe()
        defer {
            close(toChild[0])
            close(fromChild[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)

        var words: [UnsafeMutablePointer<CChar>?] = ([program ?? "event-load"] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        // Threads of Swift have signals blocked that a program may need, such as pgbench its alarm.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let code =
            if let program {
                posix_spawnp(&id, program, &actions, &attributes, words, environ)
            } else {
                posix_spawn(&id, "/proc/self/exe", &actions, &attributes, words, environ)
            }
        guard code == 0 else { throw LoadError("\(program ?? "posix_spawn"): \(String(cString: strerror(code)))") }
        self.id = id
        self.input = toChild[1]
        self.output = fromChild[0]
        self.workspace = workspace
        workspace.adopt(id)
    }

    // No other child is started meanwhile that could inherit it.
    private static func pipe() throws -> [CInt] {
        var ends: [CInt] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw LoadError(system: "pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// The next line that it prints; nil at its end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(self.output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Whether it has ended by itself; if so, it is over as after `end`.
    func hasEnded() -> Bool {
        var status: CInt = 0
        guard waitpid(self.id, &status, WNOHANG) == self.id else { return false }
        self.tidy()
        return true
    }

    /// Kills it and waits until it is gone; once.
    func kill() {
        _ = Glibc.kill(self.id, SIGKILL)
        self.end()
    }

    /// Waits until it is gone; once.
    func end() {
        var status: CInt = 0
        while waitpid(self.id, &status, 0) == -1, errno == EINTR {}
        self.tidy()
    }

    private func tidy() {
        self.workspace.release(self.id)
        close(self.input)
        close(self.output)
    }
}
