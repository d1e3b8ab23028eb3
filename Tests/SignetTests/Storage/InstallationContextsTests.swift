// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel
import SignetTestSupport
import Testing

@testable import Signet

@Suite struct InstallationContextsTests {
    private let folder: TemporaryFolder
    private let store: StateStore

    init() throws {
        self.folder = try TemporaryFolder()
        self.store = StateStore(try StateLog(directory: self.folder.path))
    }

    private func context(_ number: Int) -> InstallationContext {
        InstallationContext(ip: IPAddress("192.0.2.\(number)"), userAgent: "UA")
    }

    private var records: Int {
        get throws { try self.store.keys(withPrefix: StateKey.ownContexts).count }
    }

    @Test func equalContextsAreOneRecordInEachProcess() throws {
        let first = InstallationContexts(store: self.store)
        let number = try first.pin(self.context(1))
        #expect(try first.pin(self.context(1)) == number)
        #expect(try first.pin(self.context(2)) != number)
        #expect(try InstallationContexts(store: self.store).pin(self.context(1)) == number)
        #expect(try self.records == 2)
        #expect(try first.context(number) == BatchContext(self.context(1)))
        #expect(try first.pin(InstallationContext()) == 0)
    }

    /// Its number is taken, and so are the next: nobody gets the context of somebody else.
    @Test(arguments: [1, 3, 16, 20])
    func anotherOneInThePlaceIsNotTakenForIt(count: UInt32) throws {
        let contexts = InstallationContexts(store: self.store)
        let home = try contexts.pin(self.context(1))
        let other = BatchContext(self.context(9)).encoded()
        for offset in 0..<count { try self.store.put(other, for: StateKey.ownContext(home &+ offset)) }
        let number = try contexts.pin(self.context(1))
        #expect(!(0..<count).contains(number &- home))
        #expect(try contexts.context(number) == BatchContext(self.context(1)))
        #expect(try contexts.context(home) == BatchContext(self.context(9)))
        if count < 16 { #expect(try contexts.pin(self.context(1)) == number) }
    }

    @Test func whatSomebodyUsesStays() throws {
        let contexts = InstallationContexts(store: self.store)
        let numbers = try (1...4).map { try contexts.pin(self.context($0)) }
        try contexts.choose(numbers[0], for: "a")
        try contexts.choose(numbers[0], for: "b")
        try contexts.choose(numbers[1], for: "b")
        for number in numbers.dropLast() { contexts.unpin(number) }
        // The second is chosen, the third logged, the fourth asked for; the first is chosen by the other one.
        #expect(try contexts.sweep(now: .zero) { $0.insert(numbers[2]) } == 0)
        try contexts.choose(0, for: "a")
        #expect(try contexts.sweep(now: .zero) { $0.insert(numbers[2]) } == 1)
        #expect(try contexts.context(numbers[0]) == nil)
        #expect(try contexts.sweep(now: .zero) { _ in } == 1)
        contexts.unpin(numbers[3])
        #expect(try contexts.sweep(now: .zero) { _ in } == 1)
        #expect(try contexts.chosen("b") == numbers[1])
        #expect(try contexts.chosen("a") == 0)
        #expect(try self.records == 1)
    }

    /// It may be chosen when those that are have been looked at already.
    @Test func whatIsAskedForDuringASweepStays() throws {
        let contexts = InstallationContexts(store: self.store)
        let number = try contexts.pin(self.context(1))
        contexts.unpin(number)
        let removed = try contexts.sweep(now: .zero) { _ throws(SignetError) in
            contexts.unpin(try contexts.pin(self.context(1)))
        }
        #expect(removed == 0)
        #expect(try contexts.sweep(now: .zero) { _ in } == 1)
    }

    @Test func aSweepThatFailsKeepsAll() throws {
        let contexts = InstallationContexts(store: self.store)
        contexts.unpin(try contexts.pin(self.context(1)))
        #expect(throws: SignetError.self) {
            try contexts.sweep(now: .zero) { _ throws(SignetError) in throw SignetError(.diskFailed, "No.") }
        }
        #expect(try self.records == 1)
        #expect(try contexts.sweep(now: .zero) { _ in } == 1)
    }

    @Test func sweepsAreDueAtTheStartAndHourlyWhileThereIsSomethingNew() throws {
        let contexts = InstallationContexts(store: self.store)
        #expect(contexts.isSweepDue(now: .zero))
        _ = try contexts.sweep(now: .zero) { _ in }
        #expect(!contexts.isSweepDue(now: .seconds(10_000)))
        contexts.unpin(try contexts.pin(self.context(1)))
        #expect(!contexts.isSweepDue(now: .seconds(3599)))
        #expect(contexts.isSweepDue(now: .seconds(3600)))
    }

    @Test func whatIsLeftOfOneThatIsForgottenIsTheDevice() throws {
        let contexts = InstallationContexts(store: self.store)
        let number = try contexts.pin(self.context(1))
        try contexts.choose(number, for: "a")
        let rest = try #require(try contexts.forget(number, of: "a"))
        #expect(try contexts.chosen("a") == rest)
        #expect(try contexts.context(rest) == BatchContext(InstallationContext(userAgent: "UA")))
        #expect(try contexts.forget(rest, of: "a") == nil)
        let bare = try contexts.pin(InstallationContext(ip: IPAddress("192.0.2.1")))
        try contexts.choose(bare, for: "a")
        #expect(try contexts.forget(bare, of: "a") == 0)
        #expect(try contexts.chosen("a") == 0)
    }
}
