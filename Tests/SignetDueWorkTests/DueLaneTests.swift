// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// One lane of due work: state x event.
struct DueLaneTests {
    private static let limits = DueLane.Limits(inFlight: 2, perSecond: 4)
    private static let down = SignetError(.notConnected, "down")

    private func lane(_ numbers: [UInt32] = []) -> DueLane {
        var lane = DueLane(Self.limits, now: .zero)
        lane.found(numbers, now: .zero)
        return lane
    }

    /// A lane in a state: the visit of 1 has failed, and its pause is over, and so on.
    private enum Start: CaseIterable {
        case open, paused, probing, stopped

        var lane: DueLane {
            var lane = DueLane(DueLaneTests.limits, now: .zero)
            lane.found([1, 2, 3], now: .zero)
            _ = lane.next(now: .zero)
            switch self {
            case .open: break
            case .paused, .probing:
                lane.finished(1, .unwell(DueLaneTests.down, pause: nil), now: .zero, jitter: 0)
                if self == .probing { _ = lane.next(now: .seconds(5)) }
            case .stopped: _ = lane.stop()
            }
            return lane
        }
    }

    private enum Event: CaseIterable {
        case next, done, nothing, unwell, asked, refused, awaitsApp, appSucceeded, appFailed, stop

        func apply(to lane: inout DueLane, now: Duration) {
            switch self {
            case .next: _ = lane.next(now: now)
            case .done: lane.finished(1, .done, now: now, jitter: 0)
            case .nothing: lane.finished(1, .nothing, now: now, jitter: 0)
            case .unwell: lane.finished(1, .unwell(DueLaneTests.down, pause: nil), now: now, jitter: 0)
            case .asked: lane.finished(1, .unwell(DueLaneTests.down, pause: .seconds(900)), now: now, jitter: 0)
            case .refused: lane.finished(1, .refused(DueLaneTests.down), now: now, jitter: 0)
            case .awaitsApp: lane.finished(1, .awaitsApp, now: now, jitter: 0)
            case .appSucceeded: lane.answered(nil, now: now, jitter: 0)
            case .appFailed: lane.answered((DueLaneTests.down, nil), now: now, jitter: 0)
            case .stop: _ = lane.stop()
            }
        }
    }

    /// At 6 s; a visit of 1 is under way in `open`, `probing` and `stopped`.
    private static let table: [Start: [Event: DueLane.State]] = [
        .open: [
            .next: .open(rate: 4), .done: .open(rate: 4), .nothing: .open(rate: 4),
            .unwell: .paused(until: .seconds(11), failures: 1), .asked: .paused(until: .seconds(906), failures: 1),
            .refused: .open(rate: 4), .awaitsApp: .open(rate: 4), .appSucceeded: .open(rate: 4),
            .appFailed: .paused(until: .seconds(11), failures: 1), .stop: .stopped,
        ],
        .paused: [
            .next: .probing(failures: 1), .done: .paused(until: .seconds(5), failures: 1),
            .nothing: .paused(until: .seconds(5), failures: 1), .unwell: .paused(until: .seconds(5), failures: 1),
            .asked: .paused(until: .seconds(5), failures: 1), .refused: .paused(until: .seconds(5), failures: 1),
            .awaitsApp: .paused(until: .seconds(5), failures: 1), .appSucceeded: .open(rate: 1),
            .appFailed: .paused(until: .seconds(5), failures: 1), .stop: .stopped,
        ],
        .probing: [
            .next: .probing(failures: 1), .done: .open(rate: 1), .nothing: .paused(until: .seconds(6), failures: 1),
            .unwell: .paused(until: .seconds(21), failures: 2), .asked: .paused(until: .seconds(906), failures: 2),
            .refused: .open(rate: 1), .awaitsApp: .paused(until: .seconds(6), failures: 1),
            .appSucceeded: .open(rate: 1), .appFailed: .paused(until: .seconds(21), failures: 2), .stop: .stopped,
        ],
        .stopped: [
            .next: .stopped, .done: .stopped, .nothing: .stopped, .unwell: .stopped, .asked: .stopped,
            .refused: .stopped, .awaitsApp: .stopped, .appSucceeded: .stopped, .appFailed: .stopped, .stop: .stopped,
        ],
    ]

    @Test func eachEventInEachState() {
        #expect(Self.table.values.reduce(0) { $0 + $1.count } == Start.allCases.count * Event.allCases.count)
        for start in Start.allCases {
            for event in Event.allCases {
                var lane = start.lane
                event.apply(to: &lane, now: .seconds(6))
                #expect(lane.state == Self.table[start]?[event], "\(start) \(event)")
            }
        }
    }

    @Test func anInstallationWaitsOnce() {
        var lane = self.lane([7, 7])
        lane.found([7], now: .zero)
        #expect(lane.count == 1)
        #expect(lane.next(now: .zero) == .visit(7))
        #expect(lane.next(now: .zero) == .wait(until: nil))
    }

    @Test func whatIsFoundDuringItsVisitIsVisitedAgain() {
        var lane = self.lane([7])
        _ = lane.next(now: .zero)
        lane.found([7], now: .zero)
        lane.finished(7, .done, now: .zero, jitter: 0)
        #expect(lane.next(now: .zero) == .visit(7))
    }

    @Test func visitsKeepToTheirLimits() {
        var lane = self.lane(Array(1...10))
        #expect(lane.next(now: .zero) == .visit(1))
        #expect(lane.next(now: .zero) == .visit(2))
        // Two at once.
        #expect(lane.next(now: .zero) == .wait(until: nil))
        for number in 1...2 as ClosedRange<UInt32> { lane.finished(number, .done, now: .zero, jitter: 0) }
        #expect(lane.next(now: .zero) == .visit(3))
        #expect(lane.next(now: .zero) == .visit(4))
        for number in 3...4 as ClosedRange<UInt32> { lane.finished(number, .done, now: .zero, jitter: 0) }
        // Four a second.
        #expect(lane.next(now: .zero) == .wait(until: .milliseconds(250)))
        #expect(lane.next(now: .milliseconds(250)) == .visit(5))
    }

    @Test func afterAnOutageTheRateDoublesEachSecond() {
        var lane = DueLane(DueLane.Limits(inFlight: 100, perSecond: 50), now: .zero)
        lane.found(1...200, now: .zero)
        _ = lane.next(now: .zero)
        lane.finished(1, .unwell(Self.down, pause: nil), now: .zero, jitter: 0)
        var counts: [Int] = []
        for second in 5..<12 {
            var count = 0
            for step in 0..<10 {
                let now = Duration.milliseconds(second * 1000 + step * 100)
                while case .visit(let number) = lane.next(now: now) {
                    count += 1
                    lane.finished(number, .done, now: now, jitter: 0)
                }
            }
            counts.append(count)
        }
        #expect(counts.first.map { $0 <= 3 } == true)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(counts.last.map { (45...55).contains($0) } == true)
    }

    @Test func anInstallationThatIsRefusedWaitsAlone() {
        var lane = self.lane([1, 2])
        _ = lane.next(now: .zero)
        lane.finished(1, .refused(Self.down), now: .zero, jitter: 0)
        #expect(lane.next(now: .zero) == .visit(2))
        lane.finished(2, .done, now: .zero, jitter: 0)
        var now = Duration.zero
        for pause in DueLane.refusals + [.seconds(86_400)] {
            #expect(lane.next(now: now) == .wait(until: now + pause))
            now += pause
            #expect(lane.next(now: now) == .visit(1))
            lane.finished(1, .refused(Self.down), now: now, jitter: 0)
        }
    }

    /// A page of a proxy says nothing good of the platform.
    @Test(arguments: [400, 404, 409, 422]) func onlyThePlatformItselfRefusesAnInstallation(_ status: Int) {
        let page = SignetError(.rejected, "", httpStatus: status)
        if case .unwell = DueLane.Outcome(failure: page) {} else { Issue.record("a page of \(status)") }
        let said = SignetError(.rejected, "", httpStatus: 400, errors: [PlatformError(code: "LOOKUP", message: "")])
        if case .refused = DueLane.Outcome(failure: said) {} else { Issue.record("a refusal") }
    }

    /// The answer to a visit comes as evidence first, and then as its end.
    @Test func aVisitorWhoAlwaysFailsHoldsUpNobody() {
        var lane = self.lane(Array(1...10))
        var (now, visited) = (Duration.zero, [] as [UInt32])
        for _ in 0..<40 {
            switch lane.next(now: now) {
            case .visit(let number):
                visited.append(number)
                let failure = number == 1 ? (error: Self.down, pause: nil as Duration?) : nil
                lane.heard(of: number, failure, now: now, jitter: 0)
                lane.finished(number, number == 1 ? .unwell(Self.down, pause: nil) : .done, now: now, jitter: 0)
            case .wait(let until): now = until ?? now + .seconds(1)
            }
        }
        #expect(Set(visited) == Set(1...10))
        #expect(visited.prefix(5).count { $0 == 1 } <= 2)
    }

    /// Too many requests were in flight here: that is no failure of the service.
    @Test func whatCouldNotBeSentSlowsTheLaneAndPausesNobody() {
        let notSent = SignetError(.notSent, "no turn")
        guard case .crowded = DueLane.Outcome(failure: notSent) else {
            Issue.record("it counts as a failure of the service")
            return
        }
        var lane = self.lane([1, 2])
        _ = lane.next(now: .zero)
        lane.finished(1, .crowded(notSent), now: .zero, jitter: 0)
        #expect(lane.state == .open(rate: 2) && lane.pausedUntil == nil)
        #expect(lane.lastError?.code == .notSent)
        #expect(lane.next(now: .zero) == .visit(2))
        lane.finished(2, .done, now: .zero, jitter: 0)
        #expect(lane.lastError == nil)
        #expect(lane.next(now: .seconds(4)) == .wait(until: .seconds(5)))
        #expect(lane.next(now: .seconds(5)) == .visit(1))
        #expect(lane.state == .open(rate: 4))
        // The next one of a lane that was paused is the probe.
        var probing = Start.probing.lane
        probing.finished(1, .crowded(notSent), now: .seconds(6), jitter: 0)
        #expect(probing.state == .paused(until: .seconds(6), failures: 1))
    }

    @Test func theAppEndsPauses() {
        var lane = self.lane([1, 2])
        _ = lane.next(now: .zero)
        lane.finished(1, .refused(Self.down), now: .zero, jitter: 0)
        _ = lane.next(now: .zero)
        lane.finished(2, .unwell(Self.down, pause: .seconds(900)), now: .zero, jitter: 0)
        #expect(lane.next(now: .seconds(1)) == .wait(until: .seconds(900)))
        lane.retry(now: .seconds(1))
        // One of them is the probe.
        #expect(lane.next(now: .seconds(1)) == .visit(2))
        lane.finished(2, .done, now: .seconds(1), jitter: 0)
        #expect(lane.next(now: .seconds(1)) == .visit(1))
    }

    @Test func whatAwaitsTheAppIsNotFoundAgainUntilTheAppHasChangedSomething() {
        var lane = self.lane([1])
        _ = lane.next(now: .zero)
        lane.finished(1, .awaitsApp, now: .zero, jitter: 0)
        lane.found([1], now: .zero)
        #expect(lane.count == 0)
        lane.changed(1)
        lane.found([1], now: .zero)
        #expect(lane.count == 1)
    }
}

struct LeftSessionsStructureTests {
    @Test func installationsAreTakenInTheOrderOfTheirDeadlines() {
        var left = LeftSessions()
        left.insert(1, at: .milliseconds(2500))
        left.insert(2, at: .seconds(1))
        left.insert(3, at: .milliseconds(2900))
        #expect(left.first == .seconds(1))
        #expect(left.popDue(10, at: .milliseconds(999)).isEmpty)
        #expect(left.popDue(10, at: .seconds(1)) == [2])
        #expect(left.first == .seconds(3))
        #expect(left.popDue(1, at: .seconds(3)) == [1])
        #expect(left.popDue(1, at: .seconds(3)) == [3])
        #expect(left.count == 0)
        #expect(left.first == nil)
    }

    @Test func whatTheDiskRefusesIsOverdueThoughItIsTriedAgain() {
        var left = LeftSessions()
        left.insert(1, at: .seconds(1))
        left.insert(2, at: .seconds(900))
        #expect(left.overdue(at: .seconds(2)) == (1, .seconds(1)))
        for second in stride(from: 2 as Int64, to: 100, by: 5) {
            #expect(left.popDue(10, at: .seconds(second)) == [1])
            left.written(refused: [1], now: .seconds(second), pause: .seconds(5))
            #expect(left.overdue(at: .seconds(second)).since == .seconds(2))
        }
        _ = left.popDue(10, at: .seconds(200))
        left.written(refused: [], now: .seconds(200), pause: .seconds(5))
        #expect(left.overdue(at: .seconds(200)) == (0, nil))
    }
}
