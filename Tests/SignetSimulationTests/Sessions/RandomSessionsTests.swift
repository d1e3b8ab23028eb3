// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Random ways of an app, each on an installation of its own: whatever happens, in whatever order, sessions stay whole.
///
/// The first seed is printed and comes back with `SIGNET_SEED`.
@Suite struct RandomSessionsTests {
    enum Step: CaseIterable {
        case open, foreground, background, event, screen, login, logout, shortWait, timeout, kill, jump, close, end,
            begin
    }

    /// What was logged, and in which session.
    private struct Logged {
        var sessions: [String: String?] = [:]
        var steps: [Step: Int] = [:]
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test(arguments: [SignetConfiguration.Sessions.Mode.server, .application], [true, false])
    func sessionsStayWhole(mode: SignetConfiguration.Sessions.Mode, isAutomatic: Bool) async throws {
        let first = Self.number("SIGNET_SEED") ?? UInt64.random(in: 0..<1 << 32)
        let count = UInt64(TestScale.count(quick: 15, full: 2500))
        print("sessionsStayWhole(\(mode), \(isAutomatic)): SIGNET_SEED=\(first) and the \(count - 1) after it")
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { configuration in
            configuration.useApplicationDefaults()
            configuration.sessions.mode = mode
            configuration.sessions.tracking = isAutomatic ? .automatic : .manual
        } _: { signet in
            let updates = signet.runtime.sessionChanges()
            var changes = updates.makeAsyncIterator()
            var logged = Logged()
            var ended: [String: Session.Summary] = [:]
            for seed in first..<first + count {
                try await Self.walk(seed, signet, &logged, &changes, &ended)
            }
            try await Self.deliver(signet)
            Self.check(signet.emulator, logged, ended)
            #expect(updates.droppedCount == 0)
            #expect(Set(logged.steps.keys) == Set(Step.allCases))
        }
    }

    /// A clock that is moved while a request is on its way lets it time out, and uploads pause.
    private static func deliver(_ signet: EmulatedSignet) async throws {
        while true {
            do throws(SignetError) {
                _ = try await signet.runtime.upload(within: .seconds(1_000_000))
                return
            } catch {
                guard error.code == .uploadPaused else { throw error }
                signet.clock.advance(by: error.retryAfter ?? .seconds(5))
            }
        }
    }

    private static func walk(
        _ seed: UInt64,
        _ signet: EmulatedSignet,
        _ logged: inout Logged,
        _ changes: inout Updates<SessionChange>.AsyncIterator,
        _ ended: inout [String: Session.Summary]
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        let id = InstallationID("v-\(seed)")
        func open() async throws -> Installation {
            let app = try await signet.runtime.open(id, identify: .ifUnknown)
            _ = try await app.initialIdentifyResult()
            return app
        }
        var app = try await open()
        for number in 0..<Int.random(in: 5...25, using: &generator) {
            let step = Step.allCases.randomElement(using: &generator) ?? .event
            logged.steps[step, default: 0] += 1
            switch step {
            case .open: app = try await open()
            case .foreground: try app.enterForeground()
            case .background: try app.enterBackground()
            case .event, .screen:
                let name = "e-\(seed)-\(number)"
                try app.log(step == .event ? .custom(name) : .screen(name))
                logged.sessions[name] = app.currentSession?.uuid.uuidString
            case .login: _ = try await app.login([.customerID: "c-\(seed)-\(Int.random(in: 0...1, using: &generator))"])
            case .logout: _ = try await app.logout()
            case .shortWait: signet.clock.advance(by: .seconds(Int.random(in: 1...30, using: &generator)))
            case .timeout: signet.clock.advance(by: .seconds(Int.random(in: 60...200, using: &generator)))
            case .kill:
                signet.runtime.evict(id)
                app = try await open()
            case .jump: signet.clock.shiftWallClock(by: .seconds(Int.random(in: -7200...7200, using: &generator)))
            case .close:
                app.endLaunch()
                app = try await open()
            case .end: try await app.endSession()
            case .begin: try await app.beginSession()
            }
        }
        // Another session for sure, and its end: then all there is to tell has been told.
        try await app.endSession()
        try await app.beginSession()
        let last = try #require(app.currentSession)
        try await app.endSession()
        try await Self.read(&changes, until: last, seed, &ended)
    }

    /// Begins and ends of one installation come in turn, each end once and of the session that had begun.
    private static func read(
        _ changes: inout Updates<SessionChange>.AsyncIterator,
        until last: Session,
        _ seed: UInt64,
        _ ended: inout [String: Session.Summary]
    ) async throws {
        var open: Session?
        while let change = await changes.next(isolation: nil) {
            switch change.kind {
            case .began:
                #expect(open == nil, "seed \(seed)")
                open = change.session
            case .ended(let summary):
                #expect(open == change.session, "seed \(seed)")
                open = nil
                #expect(summary.length >= .zero && summary.foregroundLength >= .zero, "seed \(seed)")
                #expect(summary.foregroundLength <= summary.length, "seed \(seed)")
                #expect(ended.updateValue(summary, forKey: change.session.uuid.uuidString) == nil, "seed \(seed)")
                if change.session == last { return }
            case .willEnd: break
            }
        }
    }

    /// What arrived agrees with what was logged and told.
    private static func check(_ platform: Emulator, _ logged: Logged, _ ended: [String: Session.Summary]) {
        var counts: [String: Int] = [:]
        var starts: [String: Int] = [:]
        var ends: [String: Int] = [:]
        var arrived = 0
        for event in platform.users().flatMap({ platform.events(of: $0.mpid) }) {
            let session = event.sessionUUID
            if let name = event.name, let expected = logged.sessions[name] {
                arrived += 1
                #expect(session == expected, "\(name)")
            }
            guard let session else { continue }
            switch event.type {
            case "session_start": starts[session, default: 0] += 1
            case "session_end":
                ends[session, default: 0] += 1
                let count = event.data["custom_attributes"]?["$EventCount"]?.string
                #expect(count == ended[session].map { "\($0.eventCount)" })
            default: counts[session, default: 0] += 1
            }
        }
        #expect(arrived == logged.sessions.count)
        for (session, summary) in ended {
            #expect(counts[session, default: 0] == summary.eventCount)
            #expect(starts[session] == 1)
            #expect(ends[session] == 1)
        }
        #expect(Set(counts.keys).union(starts.keys).isSubset(of: ended.keys))
    }
}
