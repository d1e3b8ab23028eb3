// SPDX-License-Identifier: Apache-2.0

import SignetLock

import struct FoundationEssentials.UUID

/// Reads rows of many callers together: what is asked for while readings are under way goes with the next one.
///
/// A lone caller does not wait. The reading is made by the task of one of its callers; if that task is cancelled, another one makes it.
/// The others wait for a second at most: on a store that is slow they are refused, not queued.
final class RowReader: Sendable {
    typealias Answer = FleetMember.Answer<SharedInstallation?>
    typealias Rows = FleetMember.Answer<[SharedInstallation]>

    /// A caller that waits.
    private struct Caller {
        let key: UUID
        /// The uptime at which it is refused.
        let deadline: Duration
        let turn = Promise<Turn>()
    }

    private enum Turn: Sendable {
        /// The reading was made by another caller.
        case answered(Result<Answer, SignetError>)
        /// This caller makes the next reading.
        case leads
    }

    private struct State {
        var flights = 0
        var waiting: [Caller] = []
    }

    /// The number of readings under way; a store has more connections, for commits.
    private static let flights = 2
    /// The number of rows in one reading, as the store's limit.
    private static let rows = SharedStoreLimits.batch
    /// The number of callers that may wait; more are refused, as a store that is slow must not fill the memory.
    private static let callers = 8192

    /// The time for which a caller waits for the readings of others.
    static let limit = Duration.seconds(1)

    private let state = Locked(State())
    private let time: TimeSource

    /// Makes a reader.
    ///
    /// - Parameter time: The clock of the waits.
    init(on time: TimeSource) {
        self.time = time
    }

    /// Reads a row.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - read: Reads rows.
    /// - Returns: The row, or nil if there is none, with the moments of the question and the answer.
    /// - Throws: ``SignetError``: of the reading; `storeBusy` if too many callers wait; `storeUnreachable` after ``limit`` without a
    ///   reading.
    nonisolated(nonsending) func row(
        _ key: UUID,
        _ read: nonisolated(nonsending) ([UUID]) async throws(SignetError) -> Rows
    ) async throws(SignetError) -> Answer {
        let own = Caller(key: key, deadline: self.time.uptime + Self.limit)
        let place = self.state.withLock { state -> Place in
            if state.flights < Self.flights {
                state.flights += 1
                return .leads
            }
            guard state.waiting.count < Self.callers else { return .isFull }
            state.waiting.append(own)
            return .waits
        }
        switch place {
        case .leads: return try await self.lead(own, read)
        case .isFull: throw .tooManyOpens
        case .waits: break
        }
        switch await own.turn.value() {
        case .answered(let result): return try result.get()
        case .leads: return try await self.lead(own, read)
        case nil:
            self.leave(own)
            throw .readerCancelled
        }
    }

    private enum Place {
        case leads, waits, isFull
    }

    /// Makes a reading for this caller and those who wait.
    private nonisolated(nonsending) func lead(
        _ own: Caller,
        _ read: nonisolated(nonsending) ([UUID]) async throws(SignetError) -> Rows
    ) async throws(SignetError) -> Answer {
        let (others, needsTimer) = self.board(with: own)
        let keys = Array(Set(others.map(\.key)).union([own.key]))
        let result: Result<Rows, SignetError>
        // Callers wait only behind the last flight: a lone one needs no timer.
        if needsTimer {
            result = await self.timed(others) { await Self.result(keys, read) }
        } else {
            result = await Self.result(keys, read)
        }
        self.land(others, result)
        let answer = try result.get()
        return Self.answer(of: answer.value.first { $0.key == own.key }, answer)
    }

    private nonisolated(nonsending) static func result(
        _ keys: [UUID],
        _ read: nonisolated(nonsending) ([UUID]) async throws(SignetError) -> Rows
    ) async -> Result<Rows, SignetError> {
        do throws(SignetError) { return .success(try await read(keys)) } catch { return .failure(error) }
    }

    /// Makes a reading, and refuses callers meanwhile whose time is over.
    private nonisolated(nonsending) func timed(
        _ others: [Caller],
        _ body: nonisolated(nonsending) () async -> Result<Rows, SignetError>
    ) async -> Result<Rows, SignetError> {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.refuseLate(others) }
            defer { group.cancelAll() }
            return await body()
        }
    }

    /// Refuses the callers whose time is over, those who wait and those of one reading, until the task is cancelled.
    private func refuseLate(_ aboard: [Caller]) async {
        while true {
            let now = self.time.uptime
            var late: [Caller] = []
            var next = now + Self.limit
            self.state.withLock { state in
                late = state.waiting.filter { $0.deadline <= now }
                state.waiting.removeAll { $0.deadline <= now }
                next = state.waiting.reduce(next) { min($0, $1.deadline) }
            }
            for caller in aboard where caller.turn.current == nil {
                if caller.deadline <= now { late.append(caller) } else { next = min(next, caller.deadline) }
            }
            for caller in late { caller.turn.resolve(.answered(.failure(.noReading))) }
            // Cancelled: the reading has ended.
            do { try await self.time.sleep(until: next) } catch { return }
        }
    }

    /// Takes the callers who go with a reading: those who wait, as far as they fit.
    ///
    /// - Returns: The callers; and true if further callers must wait, or some go with it.
    private func board(with own: Caller) -> (others: [Caller], needsTimer: Bool) {
        self.state.withLock { state in
            var keys: Set<UUID> = [own.key]
            var others: [Caller] = []
            var left: [Caller] = []
            for caller in state.waiting {
                if keys.contains(caller.key) || keys.count < Self.rows {
                    keys.insert(caller.key)
                    others.append(caller)
                } else {
                    left.append(caller)
                }
            }
            state.waiting = left
            return (others, state.flights == Self.flights || !others.isEmpty)
        }
    }

    /// Answers the callers of a reading, and lets the next one be made.
    private func land(_ others: [Caller], _ result: Result<Rows, SignetError>) {
        var answered: [(Caller, Result<Answer, SignetError>)] = []
        switch result {
        case .success(let answer):
            let rows = Dictionary(answer.value.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            answered = others.map { ($0, .success(Self.answer(of: rows[$0.key], answer))) }
        case .failure(let error) where error.code == .cancelled:
            // The task of one caller was cancelled: the others have still not been answered.
            self.state.withLock { $0.waiting.insert(contentsOf: others.filter { $0.turn.current == nil }, at: 0) }
        case .failure(let error):
            answered = others.map { ($0, .failure(error)) }
            // Those who wait would wait for the same: a store that is away is told to all at once.
            if error.code == .storeUnreachable {
                let waiting = self.state.withLock { state in
                    defer { state.waiting = [] }
                    return state.waiting
                }
                answered += waiting.map { ($0, .failure(error)) }
            }
        }
        self.passOn()
        for (caller, result) in answered { caller.turn.resolve(.answered(result)) }
    }

    /// Lets the newest waiter make the next reading, or frees the flight.
    ///
    /// The reading takes as long as the store may, whatever the time of its maker: the newest one has waited least. Those who have
    /// waited longest go with it.
    private func passOn() {
        while true {
            let next = self.state.withLock { state -> Caller? in
                guard !state.waiting.isEmpty else {
                    state.flights -= 1
                    return nil
                }
                return state.waiting.removeLast()
            }
            // One that was cancelled meanwhile makes none.
            guard let next, !next.turn.resolve(.leads) else { return }
        }
    }

    /// Takes a cancelled caller out; if it was to make the reading, another one does.
    private func leave(_ own: Caller) {
        self.state.withLock { state in state.waiting.removeAll { $0.turn === own.turn } }
        // The first to resolve it has decided: after this it is not chosen any more.
        guard !own.turn.resolve(.answered(.failure(.readerCancelled))), case .leads = own.turn.current else { return }
        self.passOn()
    }

    private static func answer(of row: SharedInstallation?, _ rows: Rows) -> Answer {
        Answer(value: row, milliseconds: rows.milliseconds, sent: rows.sent, received: rows.received)
    }
}

extension SignetError {
    fileprivate static let readerCancelled = SignetError(.cancelled, "The calling task was cancelled.")

    fileprivate static let noReading = SignetError(
        .storeUnreachable,
        "The shared store did not answer within a second. Nothing was changed. Try again, or give the store more connections."
    )

    fileprivate static let tooManyOpens = SignetError(
        .storeBusy,
        "Too many calls wait for the shared store. Nothing was changed. Try again, or give the store more connections."
    )
}
