// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTrace
import Testing

@testable import quickstart

/// The bundled day with unknown user activation, against numbers that an independent program computed from the trace.
///
/// A visitor who is nobody's user and wishes becomes an unknown user, a login merges or replays, a logout forgets. A
/// modify that brings another e-mail address makes the customer another user of Iterable, which knows its users by it:
/// 13 more that way.
@Suite struct ActivationDayTests {
    private static func replay() async throws -> ReplayOutcome {
        let trace = try TraceReader.read(Trace.bundledDay())
        return try await withTemporaryFolder { try await Replay(trace, project: .wishes).run(in: $0) }
    }

    /// Six seconds in a debug build; `ShopDayTests` has the same day without activation.
    @Test(.enabled(if: TestScale.current == .full))
    func theDayEndsAsAnIndependentProgramSays() async throws {
        let outcome = try await Self.replay()
        let report = try #require(outcome.activation)
        #expect(outcome.visitors.installations.count == 300)
        #expect(report.activations == 125)
        #expect(report.merges == 32)
        #expect(report.unknownUsers == 93)
        #expect(report.knownUsers == 97)
        #expect(report.unknownEvents == 316)
        #expect(report.knownEvents == 520)
        #expect(report.refused == 0)
        // Whatever is said of somebody; the rest asks for criteria and says who is there.
        #expect(report.vouched > 0)
        #expect(report.isAsPromised)
        // What the day is without visitors does not change.
        #expect(outcome.lost == 0)
        #expect(outcome.platform.users.count == 345)
        let text = "\(Summary(outcome))"
        #expect(text.contains(/Unknown user activation\n  visitors +300\n/), "\(text)")
        let json = String(decoding: JSONReport(outcome).bytes, as: UTF8.self)
        let figures = """
            "visitors":{"visitors":300,"activations":125,"merges":32,"unknownUsers":93,"knownUsers":97,\
            "unknownEvents":316,"knownEvents":520,"requestsWithToken":\(report.vouched),"requestsRefused":0}}
            """
        #expect(json.hasSuffix(figures + "\n"), "\(json.suffix(300))")
    }
}
