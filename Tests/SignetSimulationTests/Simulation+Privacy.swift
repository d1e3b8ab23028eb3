// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet

/// Who opts out, and who is erased.
extension Simulation {
    /// A user who was erased, as long as the platform has not named them again.
    struct Erased {
        let mpid: MPID
        /// What must not be in any file.
        let traces: [[UInt8]]
        /// How often the platform had named them before.
        let named: Int
    }

    /// Somebody opts out or in.
    ///
    /// What waited and was in no batch must not arrive after that.
    func optOut(on number: Int, _ generator: inout SeededGenerator) async {
        let isOptedOut = generator.chance(0.6)
        guard let life = self.life, let installation = await self.installation(number, &generator) else { return }
        let before = installation.isOptedOut
        let onTheWay = Locked<Set<Int>?>(nil)
        let runtime = life.runtime
        await self.finish("opt-out \(number) \(isOptedOut)") { () async throws(SignetError) in
            try await installation.setOptedOut(isOptedOut)
            // No other job runs between the return and this.
            let numbers = try Self.eventsInBatches(runtime)
            onTheWay.withLock { $0 = numbers }
        }
        guard isOptedOut, !before else { return }
        let batches = onTheWay.withLock { $0 }
        if batches != nil, life.disk.crash == nil { self.ledger.reach("opted out") }
        // Of one that a loss of power has made forgotten, older events have another name, and nobody knows of theirs.
        let isKnown = life.disk.crash == nil && self.stamps[number]?.count == 1
        self.giveUp(keeping: isKnown ? batches : nil) { $0.installation == number }
    }

    /// Somebody is erased: nothing of theirs arrives or is on disk after that.
    func forget(on number: Int, _ generator: inout SeededGenerator) async {
        guard let life = self.life, let installation = await self.installation(number, &generator) else { return }
        // Answers that are there are taken before.
        await self.executor.settled()
        let users = installation.allUsers
        guard life.disk.crash == nil, !users.isEmpty else { return }
        let user = users[Int.random(in: 0..<users.count, using: &generator)]
        // Who comes next may have the same e-mail address.
        let own = [user.identities[.customerID]?.value].compactMap { $0 }
        let limit: Duration = generator.pick(.zero, .seconds(10))
        let named = self.ledger.named(user.mpid)
        let runtime = life.runtime
        self.erasedOn.insert(number)
        self.ledger.mayAbandon()
        let isErased = await self.finish("forget \(user.mpid)") { () async throws(SignetError) in
            try await runtime.eraseUser(user.mpid, within: limit)
        }
        let isDone = isErased && life.disk.crash == nil
        // Whose the events of nobody were, the simulation does not know.
        self.giveUp(keeping: nil) { $0.installation == number && $0.mpid == nil }
        self.giveUp(keeping: isDone ? [] : nil) { $0.mpid == user.mpid }
        guard isDone else {
            // Whoever is being erased is forgotten again when they come back.
            self.unsure.insert(number)
            self.halfErased[number, default: []].insert(user.mpid)
            return
        }
        self.ledger.reach("erased")
        self.erased.append(
            Erased(mpid: user.mpid, traces: Self.traces(of: user.mpid) + own.map { Array($0.utf8) }, named: named)
        )
        self.lookForTraces()
    }

    /// No file has a byte of who was erased, unless the platform has named them again.
    func lookForTraces() {
        guard let life = self.life, life.disk.crash == nil, !self.erased.isEmpty else { return }
        self.erased.removeAll { self.ledger.named($0.mpid) > $0.named }
        for folder in life.disk.folder.tree {
            for name in folder.inodes.keys.sorted() {
                let bytes = folder.contents(of: name)
                for erased in self.erased {
                    for trace in erased.traces where Self.contains(bytes, trace) {
                        let place = "\(folder.path)/\(name)"
                        self.fail("\(erased.mpid) was erased; \(place) has \(trace.count) bytes of theirs")
                    }
                }
            }
        }
        self.ledger.reach("looked for traces")
    }

    /// Lets a call come to its end.
    ///
    /// - Returns: Whether it returned; false when it threw, or the process died.
    @discardableResult
    private func finish(
        _ name: String,
        _ body: @escaping @Sendable () async throws(SignetError) -> Void
    ) async -> Bool {
        guard let life = self.life else { return false }
        let result = Locked<Result<Void, SignetError>?>(nil)
        life.call(name) { () async throws(SignetError) in
            do throws(SignetError) {
                try await body()
                result.withLock { $0 = .success(()) }
            } catch {
                result.withLock { $0 = .failure(error) }
                throw error
            }
        }
        for _ in 0..<100 where result.withLock({ $0 }) == nil && life.disk.crash == nil {
            await self.executor.settled()
            if result.withLock({ $0 }) == nil { self.clock.advance(by: .milliseconds(500)) }
        }
        guard life.disk.crash == nil else { return false }
        switch result.withLock({ $0 }) {
        case .success: return true
        case .failure(let error):
            self.judge(error)
            return false
        case nil:
            self.fail("\(name) does not end")
            return false
        }
    }

    /// Events that need not arrive any more.
    ///
    /// - Parameters:
    ///   - batches: Those that may; all others must not. Nil when nobody knows.
    ///   - isMeant: Which.
    private func giveUp(keeping batches: Set<Int>?, _ isMeant: (LoggedEvent) -> Bool) {
        let sent = self.ledger.sent
        for number in self.events.indices where isMeant(self.events[number]) {
            let event = self.events[number]
            guard event.outcome == .accepted || event.outcome == .unknown else { continue }
            let mustNot = batches.map { !$0.contains(number) && !sent.contains(Int64(number)) } ?? false
            self.events[number].outcome = mustNot ? .dropped : .unknown
        }
    }

    /// The events that are in batches on their way.
    private static func eventsInBatches(_ runtime: SignetRuntime) throws(SignetError) -> Set<Int> {
        let store = runtime.context.store
        var numbers: Set<Int> = []
        for key in try store.keys(withPrefix: StateKey.batches) {
            guard let record = try store.value(for: key).flatMap({ BatchRecord($0) }) else { continue }
            do throws(StorageError) {
                let sequences = Array(record.sequences.prefix(record.sequences.count))
                try runtime.context.journal.read(sequences) { _, _, payload in
                    if let number = Exchange.number(inEvent: Array(payload)) { numbers.insert(Int(number)) }
                }
            } catch {
                throw SignetError(error)
            }
        }
        return numbers
    }

    private static func traces(of mpid: MPID) -> [[UInt8]] {
        [Array(mpid.description.utf8), withUnsafeBytes(of: mpid.rawValue.littleEndian) { Array($0) }]
    }

    private static func contains(_ bytes: [UInt8], _ trace: [UInt8]) -> Bool {
        guard let first = trace.first, bytes.count >= trace.count else { return false }
        var start = 0
        let end = bytes.count - trace.count
        while start <= end, let found = bytes[start...end].firstIndex(of: first) {
            if bytes[found..<found + trace.count].elementsEqual(trace) { return true }
            start = found + 1
        }
        return false
    }
}
