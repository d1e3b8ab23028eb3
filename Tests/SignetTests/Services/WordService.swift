// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetTesting
import SignetTransport

import struct FoundationEssentials.UUID

@testable import Signet

/// The least machine that a service can have: words to send, one after the other.
struct WordMachine: LinkedMachine {
    enum Answer: Sendable {
        case done
        case failed(SignetError)
    }

    enum Action: Sendable, Equatable {
        case save
        case tell(String)
    }

    struct Sent: Sendable {
        let number: Int
        let word: String
    }

    private(set) var words: [String] = []
    private(set) var followed: UUID?
    private(set) var synced: SyncedUser?
    private(set) var pausedUntil: Duration?
    private(set) var obstacle: LinkedObstacle?
    private(set) var sent: Sent?
    private var lastNumber = 0

    mutating func add(_ word: String) -> [Action] {
        self.words.append(word)
        return [.save, .tell("kept \(word)")]
    }

    mutating func drop() -> [Action] {
        self.words = []
        self.sent = nil
        return [.save]
    }

    mutating func follow(_ entry: OutboxEntry) -> [Action] {
        self.followed = entry.id
        self.synced = SyncedUser(entry.mpid, names: entry.call.names)
        return self.add(entry.call == .leave ? "leave" : "enter")
    }

    func hasWork(now: Duration, milliseconds: Int64) -> Bool {
        self.sent != nil || !self.words.isEmpty
    }

    mutating func next(now: Duration, milliseconds: Int64) -> LinkedStep<String> {
        guard self.sent == nil else { return .busy }
        guard let word = self.words.first else { return .idle }
        if let pausedUntil, pausedUntil > now { return .wait(until: pausedUntil) }
        self.lastNumber += 1
        self.sent = Sent(number: self.lastNumber, word: word)
        return .perform(self.lastNumber, word)
    }

    mutating func finish(
        _ number: Int,
        _ answer: Answer,
        now: Duration,
        milliseconds: Int64,
        jitter: Double
    ) -> [Action] {
        guard let sent, sent.number == number else { return [] }
        self.sent = nil
        switch answer {
        case .done:
            self.words.removeFirst()
            self.obstacle = nil
            return [.save, .tell("sent \(sent.word)")]
        case .failed(let error):
            self.pausedUntil = now + .seconds(5)
            self.obstacle = .service(error)
            return []
        }
    }

    mutating func interrupt() {
        self.sent = nil
    }
}

/// A service of words: its disk, its answers and its subscribers are in memory.
final class WordAdapter: LinkedAdapter {
    typealias Machine = WordMachine
    typealias State = Void
    typealias Snapshot = [String]

    private struct Records {
        var disk: [String] = []
        var isBroken = false
        var told: [String] = []
        var events = Deque<(word: String, after: UUID?)>()
        var asked: [String] = []
        var reviewed: [Int] = []
        var endings = 0
        var deferred = 0
        var isHeld = false
        var followsLogin = true
    }

    static let service = IdentitySyncOutcome.Service.words

    let context: LinkedServiceContext
    private let records = Locked(Records())
    private let answers = Locked<[Promise<WordMachine.Answer>]>([])

    init(_ context: LinkedServiceContext) {
        self.context = context
    }

    var disk: [String] { self.records.withLock { $0.disk } }
    var told: [String] { self.records.withLock { $0.told } }
    var asked: [String] { self.records.withLock { $0.asked } }
    var endings: Int { self.records.withLock { $0.endings } }
    /// The numbers of entries that were open at each review.
    var reviewed: [Int] { self.records.withLock { $0.reviewed } }

    /// The number of times that effects in other actors were run.
    var deferred: Int { self.records.withLock { $0.deferred } }
    var followsLogin: Bool { self.records.withLock { $0.followsLogin } }

    /// Logins are forwarded, or no longer.
    func follow(logins: Bool) {
        self.records.withLock { $0.followsLogin = logins }
    }

    /// Nothing may be sent, or again everything.
    func hold(_ isHeld: Bool) {
        self.records.withLock { $0.isHeld = isHeld }
    }

    func disk(isBroken: Bool) {
        self.records.withLock { $0.isBroken = isBroken }
    }

    /// Logs an event after an entry of the outbox.
    func log(_ word: String, after entry: UUID?) {
        self.records.withLock { $0.events.append((word, entry)) }
    }

    /// Answers the request of this number, from 0.
    func answer(_ number: Int, _ answer: WordMachine.Answer = .done) {
        self.answers.withLock { $0[number] }.resolve(answer)
    }

    // MARK: - As the driver sees it

    static func snapshot(of machine: WordMachine) -> [String] { machine.words }

    func firstEvent() -> LinkedEventPlace? {
        self.records.withLock { $0.events.first }.map { LinkedEventPlace(after: $0.after) }
    }

    func takeFirstEvent(_ driver: isolated Driver) {
        guard let event = self.records.withLock({ $0.events.popFirst() }) else { return }
        driver.apply { $0.add(event.word) }
    }

    func follow(_ entry: OutboxEntry, in machine: inout WordMachine) -> [WordMachine.Action] {
        machine.follow(entry)
    }

    func review(_ open: [OutboxEntry], of home: any LinkedHome, _ driver: isolated Driver) {
        self.records.withLock { $0.reviewed.append(open.count) }
    }

    func persist(
        _ actions: [WordMachine.Action],
        of machine: WordMachine,
        _ driver: isolated Driver
    ) throws(SignetError) {
        guard actions.contains(.save) else { return }
        try self.records.withLock { records throws(SignetError) in
            if records.isBroken { throw SignetError(.diskFailed, "The disk of words is broken.") }
            records.disk = machine.words
        }
    }

    func perform(_ actions: [WordMachine.Action], _ driver: isolated Driver) {
        for case .tell(let news) in actions {
            let snapshot = driver.snapshot.joined(separator: " ")
            self.records.withLock { $0.told.append("\(news) | \(snapshot)") }
        }
    }

    func prepareToSend(_ driver: isolated Driver) -> Bool { !self.records.withLock { $0.isHeld } }

    func runDeferredEffects(_ driver: isolated Driver) async {
        self.records.withLock { $0.deferred += 1 }
    }

    func answer(to operation: String, _ driver: isolated Driver) async -> WordMachine.Answer {
        let promise = Promise<WordMachine.Answer>()
        self.answers.withLock { $0.append(promise) }
        self.records.withLock { $0.asked.append(operation) }
        return await promise.value() ?? .failed(.cancelled)
    }

    func end(_ driver: isolated Driver) {
        self.records.withLock { $0.endings += 1 }
    }

    func stop(_ driver: isolated Driver) async {}
}

extension IdentitySyncOutcome.Service {
    fileprivate static let words = IdentitySyncOutcome.Service(name: "words")
}

/// An installation that only has an outbox.
final class WordHome: LinkedHome {
    private let ledger = Locked(Outbox())

    var currentMPID: MPID? { nil }
    var isOptedOut: Bool { false }

    /// A login or a logout.
    func change(_ call: OutboxEntry.Call) -> UUID {
        let entry = OutboxEntry(id: .random(), mpid: nil, call: call, services: [.words])
        self.ledger.withLock { _ = $0.add(entry) }
        return entry.id
    }

    func outbox() throws(SignetError) -> Outbox { self.ledger.withLock { $0 } }

    func endOutboxEntry(
        _ record: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ kind: IdentitySyncOutcome.Kind
    ) {
        self.ledger.withLock { _ = $0.end(record.id, for: service) }
    }
}

/// A service of words sends nothing.
struct NoTransport: Transport {
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        throw TransportError(.notConnected, "")
    }
}
