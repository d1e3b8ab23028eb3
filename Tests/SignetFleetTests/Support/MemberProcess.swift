// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Foundation
import SignetLock
import SignetTestSupport
import Testing
import signet_fleet_member

/// A process of the fleet.
///
/// A stopped one is continued and hung up by the kernel when the tests end without it, as its process group is orphaned.
final class MemberProcess: Sendable {
    struct Ended: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var next = 0
        var answers: [Int: MemberAnswer] = [:]
        var isReady = false
        var hasEnded = false
        var waiting: [Int: CheckedContinuation<MemberAnswer?, Never>] = [:]
    }

    private static let program =
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet-fleet-member"

    /// A member may have ended.
    private static let ignoresPipes: Void = { _ = Foundation.signal(SIGPIPE, SIG_IGN) }()

    let configuration: MemberConfiguration
    private let process = Process()
    private let input: Pipe
    private let state = Locked(State())

    init(_ configuration: MemberConfiguration) throws {
        self.configuration = configuration
        self.process.executableURL = URL(filePath: Self.program)
        self.process.arguments = [String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self)]
        let output: Pipe
        (self.input, output) = try start(self.process) { [process] in
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardOutput) = (input, output)
            return (input, output)
        }
        let state = self.state
        let reading = output.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let bytes = reading.availableData
                guard !bytes.isEmpty else { break }
                rest += bytes
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    Self.take(rest[rest.startIndex..<end], state)
                    rest = rest[rest.index(after: end)...]
                }
            }
            let waiting = state.withLock { state in
                state.hasEnded = true
                defer { state.waiting = [:] }
                return state.waiting.values
            }
            for continuation in waiting { continuation.resume(returning: nil) }
        }
    }

    deinit {
        if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
    }

    private static func take(_ line: Data, _ state: Locked<State>) {
        guard let answer = try? JSONDecoder().decode(MemberAnswer.self, from: line) else { return }
        let waiting = state.withLock { state in
            guard let number = answer.number else {
                state.isReady = true
                return CheckedContinuation<MemberAnswer?, Never>?.none
            }
            if let waiting = state.waiting.removeValue(forKey: number) { return waiting }
            state.answers[number] = answer
            return nil
        }
        waiting?.resume(returning: answer)
    }

    /// Waits until its runtime runs.
    func ready() async throws {
        await until("a member runs") { self.state.withLock { $0.isReady || $0.hasEnded } }
        guard self.state.withLock({ $0.isReady }) else { throw Ended(description: "a member has ended at its start") }
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    func call(_ command: MemberCommand) async throws -> MemberAnswer {
        let number = self.state.withLock { state in
            state.next += 1
            return state.next
        }
        let line = [UInt8](try JSONEncoder().encode(MemberRequest(number, command)) + Data("\n".utf8))
        _ = Self.ignoresPipes
        let written = write(self.input.fileHandleForWriting.fileDescriptor, line, line.count)
        guard written == line.count else { throw Ended(description: "a member has ended before \(command)") }
        let answer = await withCheckedContinuation { continuation in
            let (answer, isOver) = self.state.withLock { state -> (MemberAnswer?, Bool) in
                if let answer = state.answers.removeValue(forKey: number) { return (answer, true) }
                if !state.hasEnded { state.waiting[number] = continuation }
                return (nil, state.hasEnded)
            }
            if isOver { continuation.resume(returning: answer) }
        }
        guard let answer else { throw Ended(description: "a member has ended during \(command)") }
        return answer
    }

    /// The errors after which nothing was changed and a caller tries again.
    private static let retriable: Set<String?> = ["storeUnreachable", "storeBusy"]

    /// Calls ``call(_:)``; an error of the runtime is thrown.
    ///
    /// A store that answers after more than a second is refused by the runtime, and on a busy machine a well one does: it is called
    /// again, as an app would.
    @discardableResult
    func expect(_ command: MemberCommand) async throws -> MemberAnswer {
        var answer = try await self.call(command)
        if Self.retriable.contains(answer.error) {
            try await until("the store answers in time") {
                answer = try await self.call(command)
                return !Self.retriable.contains(answer.error)
            }
        }
        if let error = answer.error {
            throw Ended(description: "\(command): \(error): \(answer.message ?? "")")
        }
        return answer
    }

    func signal(_ number: Int32) {
        kill(self.process.processIdentifier, number)
    }

    /// Waits until the process stands still after `SIGSTOP`.
    func stopped() async {
        await until("a member stands still") {
            let stat = try? String(contentsOfFile: "/proc/\(self.process.processIdentifier)/stat", encoding: .utf8)
            return stat?.split(separator: ")").last?.hasPrefix(" T") == true
        }
    }

    /// Kills it and waits for its end; its directory is free then.
    func killed() async {
        self.signal(SIGKILL)
        await self.ended()
    }

    /// Waits for its end.
    func ended() async {
        await until("a member has ended") { !self.process.isRunning && self.state.withLock { $0.hasEnded } }
    }

    /// The exit code; nil while it runs.
    var exitCode: Int32? {
        self.process.isRunning ? nil : self.process.terminationStatus
    }
}
#endif
