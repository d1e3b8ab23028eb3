// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SignetEmulator

struct FaultPlanTests {
    /// Statuses stand for faults here: they can be told apart.
    private static func status(_ fault: FaultInjector.Fault?) -> Int? {
        if case .status(let status, _) = fault { status } else { nil }
    }

    @Test func withoutAScriptThereIsNoFault() {
        var plan = FaultPlan()
        #expect(plan.take(for: .login) == nil)
        #expect(plan.remaining == 0)
    }

    @Test func theOldestFaultForTheRouteComesFirst() {
        var plan = FaultPlan()
        plan.inject(.status(1), on: .login, times: 1)
        plan.inject(.status(2), on: nil, times: 1)
        plan.inject(.status(3), on: .login, times: 1)
        #expect(plan.remaining == 3)
        #expect(Self.status(plan.take(for: .events)) == 2)
        #expect(Self.status(plan.take(for: .login)) == 1)
        #expect(Self.status(plan.take(for: .events)) == nil)
        #expect(Self.status(plan.take(for: .login)) == 3)
        #expect(plan.remaining == 0)
    }

    @Test func aFaultIsMetAsOftenAsItIsScripted() {
        var plan = FaultPlan()
        plan.inject(.status(1), on: nil, times: 2)
        plan.inject(.status(2), on: nil, times: 0)
        plan.inject(.status(3), on: nil, times: -1)
        #expect((1...3).map { _ in Self.status(plan.take(for: nil)) } == [1, 1, nil])
    }

    @Test func aStandingFaultWaitsForTheScriptToEndAndStays() {
        var plan = FaultPlan()
        plan.injectAlways(.status(1), on: nil)
        plan.injectAlways(.status(2), on: .login)
        plan.inject(.status(3), on: nil, times: 1)
        #expect(Self.status(plan.take(for: .login)) == 3)
        #expect((1...2).map { _ in Self.status(plan.take(for: .login)) } == [2, 2])
        #expect((1...2).map { _ in Self.status(plan.take(for: .events)) } == [1, 1])
        plan.injectAlways(.status(4), on: .login)
        #expect(Self.status(plan.take(for: .login)) == 4)
    }

    @Test func aShareOfTheRequestsMeetsItsFaultBeforeOneThatStands() {
        var plan = FaultPlan()
        plan.injectAlways(.status(1), on: nil)
        plan.injectAlways(.status(2), on: nil, share: 0.25)
        plan.injectAlways(.status(3), on: .login, share: 0.5)
        let points = [0, 0.2, 0.25, 0.7, 0.75, 0.99]
        let logins = points.map { point in Self.status(plan.take(for: .login) { point }) }
        #expect(logins == [2, 2, 3, 3, 1, 1])
        let uploads = points.map { point in Self.status(plan.take(for: .events) { point }) }
        #expect(uploads == [2, 2, 1, 1, 1, 1])
        plan.inject(.status(4), on: nil, times: 1)
        let scripted = Self.status(plan.take(for: .login) { 0 })
        #expect(scripted == 4)
    }

    @Test func aShareIsDrawnAtRandom() {
        let faults = FaultInjector()
        faults.injectAlways(.status(1), share: 0.5)
        #expect(!faults.isClear)
        // Of a thousand, fewer than 300 or more than 700 would be farther than twelve standard deviations away.
        let hits = (1...1000).count { _ in Self.status(faults.take(for: .login)) == 1 }
        #expect((300...700).contains(hits))
    }

    @Test func eachEntryIsRemovedAlone() {
        let faults = FaultInjector()
        faults.injectAlways(.status(1))
        faults.inject(.status(2), on: .login, times: 2)
        faults.injectAlways(.status(3), on: .login, share: 1)
        #expect(faults.entries.map(\.number) == [1, 2, 3])
        #expect(faults.entries.map(\.extent) == [.all, .next(2), .share(1)])
        #expect(Self.status(faults.take(for: .login)) == 2)
        #expect(faults.entries.map(\.extent) == [.all, .next(1), .share(1)])
        #expect(faults.remove(2))
        #expect(!faults.remove(2) && !faults.remove(9))
        #expect(Self.status(faults.take(for: .login)) == 3)
        #expect(faults.remove(3))
        #expect(Self.status(faults.take(for: .login)) == 1)
        // What replaces a fault is another one, and no number is used twice.
        faults.injectAlways(.status(4))
        #expect(faults.entries.map(\.number) == [4])
        faults.clear()
        faults.inject(.status(5))
        #expect(faults.entries.map(\.number) == [5])
    }

    @Test func clearingForgetsEverything() {
        let faults = FaultInjector()
        faults.injectAlways(.status(1))
        faults.inject(.status(2), times: 5)
        faults.injectAlways(.status(3), share: 1)
        #expect(faults.remaining == 5)
        faults.clear()
        #expect(faults.remaining == 0)
        #expect(faults.take(for: .login) == nil)
    }
}

extension FaultInjector.Fault? {
    fileprivate static func == (fault: FaultInjector.Fault?, nothing: _OptionalNilComparisonType) -> Bool {
        if case .none = fault { true } else { false }
    }
}
