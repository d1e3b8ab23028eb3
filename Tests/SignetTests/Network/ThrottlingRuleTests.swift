// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet

/// Whom an answer with `Retry-After` stops, cell by cell: who was asked for a pause, and who may go at 20 s.
///
/// Every pause ends at 60 s. A cell is how many seconds are left, or `go`.
@Suite struct ThrottlingRuleTests {
    enum Asked: String, CaseIterable, Sendable {
        case nobody, one, oneThrice, two, threeWithinTenSeconds, threeOverMore, threeOnSeveralEndpoints
        case threeOfAcceleration, oneOfNoInstallation, uploads, uploadsOfAcceleration

        var machine: DispatchStateMachine {
            var machine = DispatchStateMachine(limits: [.identity: 64, .events: 64])
            func ask(
                _ route: Route,
                _ installation: InstallationID?,
                at now: Duration,
                isAccelerating: Bool = false
            ) {
                let until = Duration.seconds(60)
                machine.throttled(route, of: installation, until: until, isAccelerating: isAccelerating, now: now)
            }
            switch self {
            case .nobody:
                break
            case .one:
                ask(.login, "a", at: .zero)
            case .oneThrice:
                for second in 0..<3 { ask(.login, "a", at: .seconds(second)) }
            case .two:
                ask(.login, "a", at: .zero)
                ask(.login, "b", at: .zero)
            case .threeWithinTenSeconds:
                ask(.login, "a", at: .zero)
                ask(.login, "b", at: .seconds(5))
                ask(.login, "c", at: .seconds(10))
            case .threeOverMore:
                ask(.login, "a", at: .zero)
                ask(.login, "b", at: .seconds(5))
                ask(.login, "c", at: .milliseconds(10_001))
            case .threeOnSeveralEndpoints:
                ask(.login, "a", at: .zero)
                ask(.logout, "b", at: .zero)
                ask(.search, "c", at: .zero)
            case .threeOfAcceleration:
                for id in ["a", "b", "c"] as [InstallationID] { ask(.login, id, at: .zero, isAccelerating: true) }
            case .oneOfNoInstallation:
                ask(.login, nil, at: .zero)
            case .uploads:
                ask(.events, nil, at: .zero)
            case .uploadsOfAcceleration:
                ask(.events, nil, at: .zero, isAccelerating: true)
            }
            return machine
        }
    }

    enum Request: String, CaseIterable, Sendable {
        case loginOfA, identifyOfA, loginOfD, identifyOfD, loginOfNoInstallation, upload

        func apply(to machine: inout DispatchStateMachine, at now: Duration) -> String {
            let admission =
                switch self {
                case .loginOfA: machine.admit(.login, of: "a", now: now)
                case .identifyOfA: machine.admit(.identify, of: "a", now: now)
                case .loginOfD: machine.admit(.login, of: "d", now: now)
                case .identifyOfD: machine.admit(.identify, of: "d", now: now)
                case .loginOfNoInstallation: machine.admit(.login, now: now)
                case .upload: machine.admit(.events, now: now)
                }
            switch admission {
            case .send: return "go"
            case .wait: return "wait"
            case .throttled(let remaining): return "\(remaining.components.seconds)"
            }
        }
    }

    static let table: [(asked: Asked, cells: [String])] = [
        (.nobody, ["go", "go", "go", "go", "go", "go"]),
        (.one, ["40", "go", "go", "go", "go", "go"]),
        (.oneThrice, ["40", "go", "go", "go", "go", "go"]),
        (.two, ["40", "go", "go", "go", "go", "go"]),
        (.threeWithinTenSeconds, ["40", "40", "40", "40", "40", "go"]),
        (.threeOverMore, ["40", "go", "go", "go", "go", "go"]),
        (.threeOnSeveralEndpoints, ["40", "40", "40", "40", "40", "go"]),
        (.threeOfAcceleration, ["go", "go", "go", "go", "go", "go"]),
        (.oneOfNoInstallation, ["40", "go", "40", "go", "40", "go"]),
        (.uploads, ["go", "go", "go", "go", "go", "40"]),
        // Uploads are a queue: what it is asked for, it does.
        (.uploadsOfAcceleration, ["go", "go", "go", "go", "go", "40"]),
    ]

    @Test func theTableIsComplete() {
        #expect(Self.table.map(\.asked) == Asked.allCases)
        #expect(Self.table.allSatisfy { $0.cells.count == Request.allCases.count })
    }

    @Test(arguments: Asked.allCases) func eachCellIsAsWritten(asked: Asked) throws {
        let cells = try #require(Self.table.first { $0.asked == asked }).cells
        for (request, cell) in zip(Request.allCases, cells) {
            var machine = asked.machine
            #expect(request.apply(to: &machine, at: .seconds(20)) == cell, "\(request)")
            #expect(request.apply(to: &machine, at: .seconds(60)) == "go", "\(request)")
        }
    }

    @Test func theWorkspacePausesAsLongAsTheThirdIsAsked() {
        var machine = DispatchStateMachine(limits: [:])
        machine.throttled(.login, of: "a", until: .seconds(600), now: .zero)
        machine.throttled(.login, of: "b", until: .seconds(600), now: .zero)
        machine.throttled(.login, of: "c", until: .seconds(7), now: .zero)
        #expect(machine.pause(of: .login, for: "d", now: .zero) == .seconds(7))
        #expect(machine.pause(of: .login, for: "a", now: .seconds(7)) == .seconds(593))
    }

    /// A server with a hundred calls a second, of which one in twenty is refused, would stand still.
    @Test(arguments: [(11, true), (12, false), (100, false)])
    func fewOfManyCallsDoNotStopTheWorkspace(calls: Int, stops: Bool) {
        var machine = DispatchStateMachine(limits: [.identity: 4])
        machine.throttled(.login, of: "a", until: .seconds(600), now: .zero)
        for _ in 0..<calls { machine.answered(.login) }
        // Uploads are no calls.
        for _ in 0..<100 { machine.answered(.bulkEvents) }
        machine.throttled(.login, of: "b", until: .seconds(600), now: .seconds(1))
        machine.throttled(.login, of: "c", until: .seconds(600), now: .seconds(1))
        #expect((machine.pause(of: .login, for: "d", now: .seconds(1)) != nil) == stops)
        #expect(machine.pause(of: .login, for: "b", now: .seconds(1)) == .seconds(599))
    }

    /// In a pause the calls that wait for a place end without a request.
    @Test func callsThatSentNothingDoNotCount() {
        var machine = DispatchStateMachine(limits: [.identity: 4])
        machine.throttled(.login, of: "a", until: .seconds(1), now: .zero)
        for _ in 0..<500 {
            _ = machine.admit(.login, now: .zero)
            _ = machine.finished(.login)
        }
        machine.throttled(.login, of: "b", until: .seconds(600), now: .seconds(2))
        machine.throttled(.login, of: "c", until: .seconds(600), now: .seconds(2))
        #expect(machine.pause(of: .login, for: "d", now: .seconds(2)) == .seconds(598))
    }

    /// Those of long ago do not hide that the platform refuses all of now.
    @Test func callsOfBeforeDoNotCount() {
        var machine = DispatchStateMachine(limits: [.identity: 4])
        for _ in 0..<1000 { machine.answered(.login) }
        for id in ["a", "b", "c"] as [InstallationID] {
            machine.answered(.login)
            machine.throttled(.login, of: id, until: .seconds(600), now: .seconds(1))
        }
        #expect(machine.pause(of: .login, for: "d", now: .seconds(1)) == .seconds(599))
    }

    @Test func pausesOfVisitorsWhoNeverComeBackDoNotAddUp() {
        var machine = DispatchStateMachine(limits: [:])
        for number in 0..<10_000 {
            let now = Duration.seconds(20 * number)
            machine.throttled(.login, of: InstallationID("v\(number)"), until: now + .seconds(1), now: now)
        }
        #expect(machine.pausedUntil.count <= 65)
    }
}
