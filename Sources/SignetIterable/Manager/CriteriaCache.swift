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
    /// The installations whose visitors wait for the first criteria, by number.
    private var wanted: Set<UInt32> = []
    /// The pauses between fetches that visitors wait for.
    private var backOff = BackOff()
    private var isTrying = false
    private let endOfFetch = AsyncSignal()
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
        self.begin(now)
        if !self.context.jobs.submit({ await self.work() }) { self.fetching = .idle }
    }

    private func begin(_ now: Duration) {
        self.fetching = .underWay
        self.lastAttempt = now
    }

    // MARK: - The first criteria

    /// Notes that a visitor waits for the first criteria: they are fetched until they come.
    ///
    /// The visitor may leave memory meanwhile; the runner of due work visits the installation then.
    func want(_ number: UInt32) {
        guard self.current() == nil else { return self.context.workIsLeft(number) }
        self.wanted.insert(number)
        self.tryUntilFetched()
    }

    /// Notes that a visitor no longer waits.
    func unwant(_ number: UInt32) {
        self.wanted.remove(number)
    }

    private func tryUntilFetched() {
        guard !self.wanted.isEmpty, !self.isTrying else { return }
        self.isTrying = self.context.jobs.submit { await self.fetchUntilGood() }
    }

    private func fetchUntilGood() async {
        let time = self.context.time
        while !Task.isCancelled, !self.wanted.isEmpty {
            if self.fetching != .idle {
                await self.endOfFetch.wait()
            } else if let pausedUntil = self.backOff.pausedUntil, pausedUntil > time.uptime {
                await self.endOfFetch.wait(until: pausedUntil, on: time)
            } else {
                self.begin(time.uptime)
                await self.work()
            }
        }
        self.isTrying = false
    }

    // MARK: - Requests

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
            self.backOff.clear()
            kind = .criteriaReceived
        case .failure(let error):
            self.backOff.fail(error, now: self.context.time.uptime, jitter: self.context.jitter())
            kind = .criteriaFailed(error)
        }
        if isWantedAgain { self.fetch(.conflict) }
        for manager in self.managers.all { await manager.criteriaChanged(kind, self.criteria) }
        if self.criteria != nil {
            let wanted = self.wanted
            self.wanted = []
            for number in wanted { self.context.workIsLeft(number) }
        }
        self.resumeWaiting()
        self.endOfFetch.signal()
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
            limits: JSONLimits(bytes: limits.bytes, depth: 2 * limits.depth + 9, values: .max)
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
