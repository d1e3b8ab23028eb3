//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import Signet
import SignetEmulator
import SignetTesting
import SignetTransport

/// Drives the runtime through a trace, on a clock that stands still between two lines.
struct Replay {
    private let trace: Trace
    private let signet: EmulatedSignet

    /// Makes the runtime and its platform.
    init(_ trace: Trace, in folder: String) throws {
        self.trace = trace
        let header = trace.header
        self.signet = try EmulatedSignet(
            in: folder,
            emulator: EmulatorConfiguration(
                strategy: header.strategy,
                priority: header.priority,
                uniqueIdentities: header.unique,
                loginIdentities: header.login,
                mpids: .random(seed: 20_251_120)
            ),
            clock: ManualClock(startingAtMilliseconds: header.start)
        ) { configuration in
            configuration.environment = header.environment
            configuration.sessions.mode = .application
            configuration.sessions.timeout = header.sessionTimeout
        }
    }

    /// Replays every line, lets the clock run on past the session timeout, shuts down and collects.
    func run() async throws -> ReplayReport {
        let news = NewsCounter(self.signet.runtime)
        async let counting = news.count()
        var totals = ReplayReport.Totals()
        try await self.signet.run { _ in
            var apps = Apps(signet: self.signet)
            var progress = ProgressLine(total: self.trace.lines.count)
            for line in self.trace.lines {
                await self.advance(to: self.trace.header.start + line.at)
                try await self.perform(line, &apps, &totals)
                progress.advance(to: line.at)
            }
            progress.finish()
            let end = self.signet.clock.milliseconds + Int64(self.trace.header.sessionTimeout / .milliseconds(1)) + 1000
            await self.advance(to: end)
            await apps.waitForEnds()
        }
        let count = await counting
        guard count.dropped == 0 else { throw SignetReplayError.newsDropped(count.dropped) }
        totals.sessionsBegun = count.begun
        totals.sessionsEnded = count.lengths.count
        totals.sessionLengths = count.lengths
        totals.userChanges = count.userChanges
        totals.switches = count.switches
        totals.logged["session_start"] = count.begun
        totals.logged["session_end"] = count.lengths.count
        return PlatformReader(self.signet.emulator).report(totals)
    }

    /// Moves the clock from deadline to deadline, never while a request is under way: its time limit would pass with it.
    private func advance(to milliseconds: Int64) async {
        let clock = self.signet.clock
        while true {
            await self.settle()
            let remaining = Duration.milliseconds(milliseconds - clock.milliseconds)
            guard let next = clock.nextDeadline, clock.now.duration(to: next) < remaining else { break }
            clock.advance(to: next)
        }
        clock.advance(toMilliseconds: milliseconds)
        await self.settle()
    }

    /// Gives what the clock has woken the chance to send, and waits for the answers.
    private func settle() async {
        for _ in 0..<4 {
            await Task.yield()
            await self.signet.transport.idle()
        }
    }

    private func perform(
        _ line: TraceLine,
        _ apps: inout Apps,
        _ totals: inout ReplayReport.Totals
    ) async throws {
        do {
            switch line.action {
            case .launch:
                try await apps.launch(line.installation)
            case .log(let event):
                try apps.app(line.installation)?.log(event)
                totals.logged[Self.type(of: event), default: 0] += 1
            case .login(let request):
                totals.logins += 1
                _ = try await apps.app(line.installation)?.login(request)
            case .modify(let request):
                _ = try await apps.app(line.installation)?.modify(request)
            case .logout:
                _ = try await apps.app(line.installation)?.logout()
            case .attribute(let key, let value):
                try await apps.app(line.installation)?.setAttribute(value, for: key)
            case .background:
                try apps.app(line.installation)?.enterBackground()
            case .foreground:
                try apps.app(line.installation)?.enterForeground()
            case .kill:
                apps.kill(line.installation)
            case .quit:
                apps.quit(line.installation)
            }
        } catch let error as SignetError where error.httpStatus != nil {
            // The platform's own refusal, as its strategy demands: counted, and the day goes on.
            totals.failedCalls += 1
        } catch let error as SignetError where error.code == .invalidArgument {
            throw TraceError(file: self.trace.file, line: line.number, reason: error.message)
        }
    }

    private static func type(of event: Event) -> String {
        switch event.content {
        case .custom: "custom_event"
        case .screen: "screen_view"
        case .purchase: "commerce_event"
        }
    }
}
