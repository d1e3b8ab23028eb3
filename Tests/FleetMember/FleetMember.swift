// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Signet
import SignetLock
#endif

/// One replica of a fleet, for `SignetFleetTests`: a runtime that does what lines of JSON on its input say.
///
/// Commands run beside each other; the answer to each has its number. It ends with its input: no member outlives its tests.
@main
enum FleetMember {
    static func main() async throws {
        #if SIGNET_POSTGRES && SIGNET_URL_SESSION
        // The tests ignore it, and a process inherits that. A member ends when nobody reads.
        signal(SIGPIPE, SIG_DFL)
        let argument = Data(CommandLine.arguments.dropFirst().joined(separator: " ").utf8)
        let member = try Member(JSONDecoder().decode(MemberConfiguration.self, from: argument))
        let output = Output()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await member.runtime.run() }
            output.write(MemberAnswer(nil))
            for await line in Self.lines() {
                let request = try JSONDecoder().decode(MemberRequest.self, from: Data(line.utf8))
                group.addTask {
                    output.write(await member.answer(request))
                    // In order: what was under way has ended.
                    if case .shutdown = request.command { exit(0) }
                }
            }
            // The tests are gone. The directory is as after a kill.
            _exit(3)
        }
        #else
        FileHandle.standardError.write(Data("swift build --traits FleetTool\n".utf8))
        exit(2)
        #endif
    }

    #if SIGNET_POSTGRES && SIGNET_URL_SESSION
    private struct Output: Sendable {
        private let lock = Locked(())

        func write(_ answer: MemberAnswer) {
            self.lock.withLock { _ in
                do {
                    FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
                } catch {
                    _exit(4)
                }
            }
        }
    }

    private static func lines() -> AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }
    #endif
}
