// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetWire
import Testing

@testable import Signet
@testable import SignetIterable

/// A manager on a clock that is moved, and a provider that answers when the test says so.
final class TokenRig: Sendable {
    /// A question to the provider.
    struct Question: Sendable {
        let subject: IterableUserID
        let reason: TokenReason
        let answer = Promise<Result<String?, SignetError>>()

        func answer(_ token: String?) {
            self.answer.resolve(.success(token))
        }
    }

    static let ann = IterableIdentity.email("ann@example.com")
    static let bob = IterableIdentity.userID("bob")

    let clock = ManualClock()
    let jobs = WorkQueue()
    let manager: IterableTokenManager
    private let failures: Locked<[TokenFailure]>
    private let asked: Locked<Int>
    private let questions: Locked<AsyncStream<Question>.AsyncIterator>

    init(policy: TokenRetryPolicy = TokenRetryPolicy()) {
        let (stream, continuation) = AsyncStream.makeStream(of: Question.self)
        self.questions = Locked(stream.makeAsyncIterator())
        let failures = Locked<[TokenFailure]>([])
        let asked = Locked(0)
        self.failures = failures
        self.asked = asked
        let provider = TokenProvider<IterableUserID> { subject, reason in
            let question = Question(subject: subject, reason: reason)
            asked.withLock { $0 += 1 }
            continuation.yield(question)
            return try await question.answer.value()?.get().map { Secret($0) }
        }
        self.manager = IterableTokenManager(
            provider: provider,
            policy: policy,
            time: .manual(self.clock),
            jobs: self.jobs,
            onFailure: { failure in failures.withLock { $0.append(failure) } }
        )
    }

    /// How often the provider was asked.
    var count: Int { self.asked.withLock { $0 } }

    /// What the app was told.
    var told: [TokenFailure.Reason] { self.failures.withLock { $0.map(\.reason) } }

    /// Whether the last failure was for good.
    var isGivenUp: Bool { self.failures.withLock { $0.last?.willTryAgain == false } }

    /// Waits until the provider is asked, and tells what.
    func question() async -> Question {
        var iterator = self.questions.withLock { $0 }
        guard let question = await iterator.next(isolation: nil) else { preconditionFailure("The provider is gone.") }
        return question
    }

    /// Waits until a number of tasks wait for a user's token.
    func untilWaiting(_ count: Int, for identity: IterableIdentity) async {
        await until("tasks that wait for a user's token: \(count)") {
            await self.manager.handlers[identity]?.waiters ?? 0 == count
        }
    }

    /// A token that ends some time after the clock's start.
    static func token(_ name: String, lives seconds: Int64 = 3600) -> String {
        TokenScene.token(name, exp: TokenScene.start / 1000 + seconds)
    }

    /// Runs the jobs while a body runs.
    func run<Value: Sendable>(_ body: @Sendable (TokenRig) async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.jobs.run() }
            defer { group.cancelAll() }
            return try await body(self)
        }
    }
}
