// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
import SignetModel
import SignetTransport
import SignetWire

/// Loads, fetches and caches the criteria of the project. The last good ones come from disk or the service.
actor CriteriaCache {
    /// The time for which fetched criteria count as fresh.
    static let coolDown = Duration.seconds(120)
    /// The documented repetitions after a failure of the service.
    private static let pauses: [Duration] = [.zero, .zero, .seconds(2), .seconds(2), .seconds(2)]

    /// The request for the criteria.
    private enum Fetching {
        case idle
        case underWay
        /// It is under way, and the service has said since that it has other criteria.
        case wantedAgain
    }

    private enum Source {
        /// The stored criteria have not been read.
        case unread
        /// The stored or fetched criteria; nil if there are none.
        case read(Criteria?)
    }

    private let configuration: IterableConfiguration
    private let context: LinkedServiceContext
    private let sender: IterableSender
    private let managers: ManagerRegistry<IterableManager>
    private let key: [UInt8]
    private var source = Source.unread
    /// The faults already reported, so that those of one document are reported once.
    private var skipped: Set<CriteriaError> = []
    private var fetching = Fetching.idle
    private var waiting: [Promise<Void>] = []
    private(set) var pausedUntil: Duration?
    private var lastAttempt: Duration?
    private var lastSuccess: Duration?

    init(
        _ configuration: IterableConfiguration,
        _ context: LinkedServiceContext,
        sender: IterableSender,
        managers: ManagerRegistry<IterableManager>
    ) {
        self.configuration = configuration
        self.context = context
        self.sender = sender
        self.managers = managers
        let hash = configuration.apiKey.withExposed { SHA256.hash(Array("signet-project:\($0)".utf8)) }
        self.key = IterableService(configuration).definition.sharedKey(Array(hash.prefix(8)))
    }

    private var criteria: Criteria? {
        if case .read(let criteria) = self.source { criteria } else { nil }
    }

    /// The current criteria; nil before the first.
    func current() -> Criteria? {
        self.load()
        return self.criteria
    }

    private func load() {
        guard case .unread = self.source else { return }
        self.source = .read(nil)
        do throws(SignetError) {
            guard let document = try self.context.store.value(for: self.key) else { return }
            let criteria = try self.decode(document)
            self.source = .read(criteria)
            self.reportSkipped(of: criteria)
        } catch {
            // They are fetched again.
            self.context.reportDamage("The stored criteria cannot be read: \(error.message)")
        }
    }

    private func decode(_ document: [UInt8]) throws(SignetError) -> Criteria {
        do throws(CriteriaError) {
            return try Criteria(json: document, dialect: self.configuration.dialect)
        } catch {
            throw SignetError(
                .unexpectedAnswer,
                "The criteria of the project cannot be read: \(error.path): \(error.message)",
                cause: error
            )
        }
    }

    /// Reports criteria that cannot be read.
    ///
    /// They never match; the others still count.
    private func reportSkipped(of criteria: Criteria) {
        for fault in criteria.skipped where !self.skipped.contains(fault) {
            self.context.observer.corruptionDetected(
                "A criterion of the project cannot be read. It never matches; the others still count: \(fault)"
            )
        }
        self.skipped = Set(criteria.skipped)
    }

    /// Fetches the criteria: one request at a time for all callers.
    ///
    /// The visitors of one project share them: criteria that came within 120 s serve all of them.
    func fetch(_ occasion: CriteriaOccasion) {
        guard self.fetching == .idle else {
            if occasion == .conflict { self.fetching = .wantedAgain }
            return
        }
        let now = self.context.time.uptime
        switch occasion {
        case .beginning: if let lastSuccess, now - lastSuccess < Self.coolDown { return }
        case .foreground: if let lastAttempt, now - lastAttempt < Self.coolDown { return }
        case .conflict: break
        }
        self.fetching = .underWay
        self.lastAttempt = now
        if !self.context.jobs.submit({ await self.work() }) { self.fetching = .idle }
    }

    /// Waits until no request is in flight, or the next one waits for a pause.
    func untilFetched() async {
        guard self.fetching != .idle, self.pausedUntil.map({ $0 <= self.context.time.uptime }) ?? true else { return }
        let promise = Promise<Void>()
        self.waiting.append(promise)
        _ = await promise.value()
    }

    private func work() async {
        self.load()
        var result = await self.ask()
        for pause in Self.pauses {
            guard case .failure(let error) = result, error.code == .serverFailure else { break }
            // Cancelled: the runtime ends.
            self.pausedUntil = self.context.time.uptime + pause
            if pause > .zero { self.resumeWaiting() }
            do { try await self.context.time.sleep(for: pause) } catch { break }
            self.pausedUntil = nil
            result = await self.ask()
        }
        let isWantedAgain = self.fetching == .wantedAgain
        self.fetching = .idle
        self.pausedUntil = nil
        let kind: IterableChange.Kind
        switch result {
        case .success(let criteria):
            self.source = .read(criteria)
            self.reportSkipped(of: criteria)
            self.lastSuccess = self.context.time.uptime
            kind = .criteriaReceived
        case .failure(let error):
            kind = .criteriaFailed(error)
        }
        if isWantedAgain { self.fetch(.conflict) }
        for manager in self.managers.all { await manager.criteriaChanged(kind, self.criteria) }
        self.resumeWaiting()
    }

    /// Resumes all waiting callers.
    func resumeWaiting() {
        let waiting = self.waiting
        self.waiting = []
        for promise in waiting { promise.resolve(()) }
    }

    /// Fetches the criteria once.
    ///
    /// The last good ones stay in use unless the new ones are good and on disk.
    private func ask() async -> Result<Criteria, SignetError> {
        let limits = CriteriaLimits()
        let answer = await self.sender.send(
            .criteria,
            [],
            token: nil,
            limits: JSONLimits(bytes: limits.bytes, depth: 2 * limits.depth + 9)
        )
        do throws(SignetError) {
            let reply = try answer.get()
            if let error = SignetError(reply.verdict, of: .criteria) { throw error }
            let criteria = try self.decode(reply.body)
            try self.context.store.put(reply.body, for: self.key)
            return .success(criteria)
        } catch {
            return .failure(error)
        }
    }
}
