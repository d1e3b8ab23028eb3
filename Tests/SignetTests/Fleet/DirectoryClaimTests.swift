// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// Two processes on copies of one directory, as each of them sees it.
@Suite struct DirectoryClaimTests {
    enum Step: Sendable {
        case own(DirectoryClaim.Action)
        case other(DirectoryClaim.Action)
        case joined
        case pass(Duration)
    }

    @Test(arguments: [
        [Step.own(.goOn), .own(.goOn)],
        // A failover has lost the joining.
        [.other(.joinAgain), .joined, .own(.goOn), .pass(.seconds(60)), .own(.goOn), .other(.joinAgain)],
        // The store went away before the second joining: nothing is known yet.
        [.other(.joinAgain), .other(.joinAgain), .joined, .own(.goOn)],
        // Another process joins as well.
        [
            .other(.joinAgain), .joined, .own(.goOn), .other(.stop), .own(.stop), .joined, .pass(.seconds(600)),
            .own(.stop),
        ],
        [.other(.joinAgain), .joined, .pass(.seconds(59)), .other(.stop)],
        // Two failovers.
        [.other(.joinAgain), .joined, .pass(.seconds(60)), .other(.joinAgain), .joined, .own(.goOn)],
    ])
    func eachAnswerOfAFlush(steps: [Step]) {
        var (claim, now) = (DirectoryClaim(), Duration.seconds(1_000))
        for (index, step) in steps.enumerated() {
            switch step {
            case .own(let action): #expect(claim.flushed(isOwn: true, at: now) == action, "step \(index)")
            case .other(let action): #expect(claim.flushed(isOwn: false, at: now) == action, "step \(index)")
            case .joined: claim.joinedAgain(at: now)
            case .pass(let time): now += time
            }
        }
        let stops = steps.contains { if case .other(.stop) = $0 { true } else { false } }
        #expect(claim.isLost == stops)
    }

    /// Both see each other's token, in any order of their flushes: one stops, the other one goes on.
    @Test(arguments: 0..<64)
    func oneOfTwoStops(order: Int) {
        var claims = [DirectoryClaim(), DirectoryClaim()]
        // The second one has joined last.
        var joined = 1
        for step in 0..<30 {
            let turn = step < 6 ? (order >> step) & 1 : step & 1
            switch claims[turn].flushed(isOwn: joined == turn, at: .seconds(step)) {
            case .goOn, .stop: break
            case .joinAgain:
                joined = turn
                claims[turn].joinedAgain(at: .seconds(step))
            }
        }
        #expect(claims.count(where: \.isLost) == 1)
    }
}
