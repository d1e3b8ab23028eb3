// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetCriteria
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport

@testable import Signet
@testable import SignetIterable

/// The manager of one visitor on a clock that is moved, with a service that answers when the test says so.
final class IterableRig: Sendable {
    /// A request on its way.
    struct Question: Sendable {
        /// The last two parts of the path.
        let route: String
        let body: String
        let token: String?
        private let answer = Promise<Result<TransportResponse, TransportError>>()

        init(_ request: TransportRequest) {
            self.route = request.url.split(separator: "/").suffix(2).joined(separator: "/")
            self.body = String(decoding: request.body, as: UTF8.self)
            self.token = request.headers["Authorization"]
        }

        /// The service answers.
        func answer(_ status: Int = 200, _ body: String = "{}") {
            self.answer.resolve(.success(TransportResponse(status: status, body: Array(body.utf8))))
        }

        /// Nothing comes back.
        func fail() {
            self.answer.resolve(.failure(TransportError(.timedOut, "")))
        }

        fileprivate func reply() async throws(TransportError) -> TransportResponse {
            guard let result = await self.answer.value() else { throw TransportError(.cancelled, "") }
            return try result.get()
        }
    }

    private struct Service: Transport {
        let questions: AsyncStream<Question>.Continuation

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let question = Question(request)
            self.questions.yield(question)
            return try await question.reply()
        }
    }

    /// The installation, as the manager sees it.
    final class Home: LinkedHome {
        private struct State {
            var ledger = Outbox()
            var isOptedOut = false
            var failure: SignetError?
            var ended: [String] = []
        }

        private let state = Locked(State())

        var ended: [String] { self.state.withLock { $0.ended } }
        var isOptedOut: Bool { self.state.withLock { $0.isOptedOut } }

        var currentMPID: MPID? { MPID(rawValue: 1) }

        func optOut(_ isOptedOut: Bool) {
            self.state.withLock { $0.isOptedOut = isOptedOut }
        }

        /// A login, or a logout of nil.
        @discardableResult
        func login(_ name: String?) -> OutboxEntry {
            let isEmail = name?.contains("@") == true
            let call = name.map {
                OutboxEntry.Call.identify(email: isEmail ? $0 : nil, customerID: isEmail ? nil : $0)
            }
            let record = OutboxEntry(id: UUID(), mpid: MPID(rawValue: 1), call: call ?? .leave, services: [.iterable])
            self.state.withLock { _ = $0.ledger.add(record) }
            return record
        }

        /// What the disk says when it is asked who came.
        func fail(_ error: SignetError?) {
            self.state.withLock { $0.failure = error }
        }

        func outbox() throws(SignetError) -> Outbox {
            try self.state.withLock { state throws(SignetError) in
                if let failure = state.failure { throw failure }
                return state.ledger
            }
        }

        func endOutboxEntry(
            _ record: OutboxEntry,
            _ service: IdentitySyncOutcome.Service,
            _ kind: IdentitySyncOutcome.Kind
        ) {
            self.state.withLock { state in
                let ended = state.ledger.end(record.id, for: service)
                for other in ended {
                    let name = other.id == record.id ? "\(kind)".prefix { $0 != "(" } : "superseded"
                    state.ended.append("\(other.visitor(by: .hybrid)?.text ?? "nobody") \(name)")
                }
            }
        }
    }

    let folder: TemporaryFolder
    let clock = ManualClock()
    let jobs = WorkQueue()
    let store: StateStore
    let services: IterableServices
    let home = Home()
    let statistics = StatisticsRecorder()
    private let isBroken = Locked(false)
    /// The writes that the disk takes before it is broken; nil for no end.
    private let writesLeft = Locked<Int?>(nil)
    private let questions: Locked<AsyncStream<Question>.AsyncIterator>
    /// The manager of the process as of now.
    let manager: IterableManager

    init(tokens: TokenProvider<IterableUserID>? = nil, followsHome: Bool = true) throws {
        let folder = try TemporaryFolder()
        let (isBroken, writesLeft) = (self.isBroken, self.writesLeft)
        var options = StateLog.Options()
        options.disk = Disk(asking: { request in
            guard request.call != .read else { return nil }
            let isOver = writesLeft.withLock { left in
                guard let count = left else { return false }
                left = max(0, count - 1)
                return count == 0
            }
            return isOver || isBroken.withLock { $0 } ? .failure(28) : nil
        })
        let store = StateStore(try StateLog(directory: folder.path, options: options))
        let (stream, continuation) = AsyncStream.makeStream(of: Question.self)
        self.questions = Locked(stream.makeAsyncIterator())
        var visitors = IterableConfiguration(apiKey: "key")
        visitors.isEnabled = true
        visitors.tokens = tokens
        visitors.eventThreshold = 3
        let services = IterableServices(
            visitors,
            LinkedServiceContext(
                store: store,
                transport: Service(questions: continuation),
                jobs: self.jobs,
                lifecycle: RuntimeLifecycle(),
                time: .manual(self.clock),
                observer: SilentObserver(),
                statistics: self.statistics,
                jitter: { 0 },
                mode: .server,
                isOptedOut: { _ in false }
            )
        )
        self.folder = folder
        self.store = store
        self.services = services
        self.manager = try services.managers.manager(of: "v") { () throws(SignetError) in
            try services.makeManager(of: "v", number: 0, stamp: UUID())
        }
        if followsHome { self.manager.home.set(self.home) }
    }

    /// The disk takes nothing, or again everything.
    func disk(isBroken: Bool) {
        self.isBroken.withLock { $0 = isBroken }
        self.writesLeft.withLock { $0 = nil }
    }

    /// The disk takes so many writes, and then nothing.
    func disk(failsAfter count: Int) {
        self.writesLeft.withLock { $0 = count }
    }

    /// True if a start would find work for the visitor.
    var isMarked: Bool {
        self.store.log.dueCount > 0
    }

    /// Tells of an event of the visitor.
    func track(_ name: String) async throws -> IterableTrackResult {
        try await self.manager.record(.customEvent(name, at: 1))
    }

    /// Tells of an event of the visitor that is to be refused.
    func refusal(of name: String) async -> SignetError.Code? {
        await code { () async throws(SignetError) in _ = try await self.manager.record(.customEvent(name, at: 1)) }
    }

    /// Waits for the next request.
    func question() async -> Question {
        var iterator = self.questions.withLock { $0 }
        guard let question = await iterator.next(isolation: nil) else { preconditionFailure("The service is gone.") }
        return question
    }

    /// Waits for the next request, and answers it as one that is done.
    ///
    /// - Returns: Its route.
    @discardableResult
    func done() async -> String {
        let question = await self.question()
        question.answer()
        return question.route
    }

    /// Runs the jobs while a body runs.
    func run(_ body: @Sendable (IterableRig) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.jobs.run() }
            defer { group.cancelAll() }
            try await body(self)
        }
    }

    private struct SilentObserver: SignetObserver {}
}
