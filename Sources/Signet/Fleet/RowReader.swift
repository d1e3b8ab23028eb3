// SPDX-License-Identifier: Apache-2.0

import SignetLock

import struct FoundationEssentials.UUID

/// Reads rows of many callers together: what is asked for while readings are under way goes with the next one.
///
/// A lone caller does not wait. The reading is made by the task of one of its callers; if that task is cancelled, another one makes it.
/// The others wait for a second at most: on a store that is slow they are refused, not queued. Opens that would have to wait longer than
/// that are refused when they come; see ``OpenAdmission``. Readings within a call that is under way go before opens.
final class RowReader: Sendable {
    typealias Answer = FleetMember.Answer<SharedInstallation?>
    typealias Rows = FleetMember.Answer<[SharedInstallation]>

    struct State {
        var flights = 0
        var waiting = Waiting()
        var admission = OpenAdmission()
        /// The changes of opens that wait, in the order in which they came.
        var changes = Deque<WaitingChange>()
    }

    /// The number of readings under way; a store has more connections, for commits.
    private static let flights = 2
    /// The number of rows in one reading, as the store's limit.
    static let rows = SharedStoreLimits.batch
    /// The number of callers that may wait; more are refused, as a store that is slow must not fill the memory.
    private static let callers = 8192

    /// The time for which a caller waits for the readings of others.
    static let limit = Duration.seconds(1)

    let state = Locked(State())
    let time: TimeSource

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
    ///   - purpose: The use of the row. An open that gets an answer calls ``leaveOpen()`` at its end.
    ///   - read: Reads rows.
    /// - Returns: The row, or nil if there is none, with the moments of the question and the answer.
    /// - Throws: ``SignetError``: of the reading; `storeBusy` if too many callers wait; `storeUnreachable` after ``limit`` without a
    ///   reading.
    nonisolated(nonsending) func row(
        _ key: UUID,
        for purpose: Purpose = .call,
        _ read: nonisolated(nonsending) ([UUID]) async throws(SignetError) -> Rows
    ) async throws(SignetError) -> Answer {
        let own = Caller(key: key, purpose: purpose, began: self.time.uptime)
        let place = self.state.withLock { state -> Place in
            if let entry = purpose.entry {
                guard case .admitted = state.admission.enter(entry, at: own.began) else { return .isFull }
            }
            if state.flights < Self.flights {
                state.flights += 1
                return .leads
            }
            guard purpose.entry != nil || state.waiting.calls.count < Self.callers else { return .isFull }
            state.waiting.append(own)
            return .waits
        }
        if case .isFull = place { throw .tooManyOpens }
        do throws(SignetError) {
            let answer = try await self.answer(to: own, place, read)
            if case .refresh = purpose { self.leaveOpen() }
            return answer
        } catch {
            if purpose.entry != nil { self.leaveOpen() }
            throw error
        }
    }

    private nonisolated(nonsending) func answer(
        to own: Caller,
        _ place: Place,
        _ read: nonisolated(nonsending) ([UUID]) async throws(SignetError) -> Rows
    ) async throws(SignetError) -> Answer {
        if case .leads = place { return try await self.lead(own, read) }
        switch await own.turn.value() {
        case .answered(let result): return try result.get()
        case .leads: return try await self.lead(own, read)
        case nil:
            self.withdraw(own)
            throw .readerCancelled
        }
    }

    private enum Place {
        case leads, waits, isFull
    }

    // MARK: - Opens

    /// Gives back the place of an open.
    func leaveOpen() {
        self.state.withLock { $0.admission.leave() }
    }

    // MARK: - Readings

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
        self.land(own, others, result)
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
                state.waiting.removeAll { caller in
                    if caller.deadline <= now { late.append(caller) } else { next = min(next, caller.deadline) }
                    return caller.deadline <= now
                }
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
        let now = self.time.uptime
        return self.state.withLock { state in
            let others = state.waiting.board(with: own.key, at: now)
            return (others, state.flights == Self.flights || !others.isEmpty)
        }
    }

    /// Answers the callers of a reading, and lets the next one be made.
    private func land(_ own: Caller, _ others: [Caller], _ result: Result<Rows, SignetError>) {
        var answered: [(Caller, Result<Answer, SignetError>)] = []
        var landing = Landing.failed
        switch result {
        case .success(let answer):
            let rows = Dictionary(answer.value.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            answered = others.map { ($0, .success(Self.answer(of: rows[$0.key], answer))) }
            landing = .answered(self.reading(for: others + [own]))
        case .failure(let error) where error.code == .cancelled:
            // The task of one caller was cancelled: the others have still not been answered.
            self.state.withLock { $0.waiting.putBack(others.filter { $0.turn.current == nil }) }
        case .failure(let error):
            answered = others.map { ($0, .failure(error)) }
            // Those who wait would wait for the same: a store that is away is told to all at once.
            if error.code == .storeUnreachable {
                let waiting = self.state.withLock { state in
                    defer { state.waiting = Waiting() }
                    return state.waiting.all
                }
                answered += waiting.map { ($0, .failure(error)) }
            }
        }
        for caller in self.passOn(landing) { caller.turn.resolve(.answered(.failure(.tooManyOpens))) }
        for (caller, result) in answered { caller.turn.resolve(.answered(result)) }
    }

    private enum Landing {
        case answered(OpenAdmission.Reading)
        case failed
    }

    private func reading(for callers: [Caller]) -> OpenAdmission.Reading {
        let now = self.time.uptime
        var reading = OpenAdmission.Reading(callers: callers.count, at: now)
        for caller in callers {
            if case .open = caller.purpose { reading.opens += 1 }
            reading.time += now - caller.began
        }
        return reading
    }

    /// Lets the newest waiter make the next reading, or frees the flight.
    ///
    /// The reading takes as long as the store may, whatever the time of its maker: the newest one has waited least. Those who have
    /// waited longest go with it.
    ///
    /// - Returns: The opens to refuse: the reading has shown that they come too late.
    private func passOn(_ landing: Landing) -> [Caller] {
        var landing = landing
        var shed: [Caller] = []
        while true {
            let next = self.state.withLock { state -> Caller? in
                if case .answered(let reading) = landing {
                    state.admission.noteReading(reading)
                    shed = state.waiting.shed(state.admission.excess)
                }
                guard let next = state.waiting.popNewest() else {
                    state.flights -= 1
                    return nil
                }
                return next
            }
            landing = .failed
            // One that was cancelled meanwhile makes none.
            guard let next, !next.turn.resolve(.leads) else { return shed }
        }
    }

    /// Takes a cancelled caller out; if it was to make the reading, another one does.
    private func withdraw(_ own: Caller) {
        self.state.withLock { state in state.waiting.removeAll { $0.turn === own.turn } }
        // The first to resolve it has decided: after this it is not chosen any more.
        guard !own.turn.resolve(.answered(.failure(.readerCancelled))), case .leads = own.turn.current else { return }
        _ = self.passOn(.failed)
    }

    private static func answer(of row: SharedInstallation?, _ rows: Rows) -> Answer {
        Answer(value: row, milliseconds: rows.milliseconds, sent: rows.sent, received: rows.received)
    }
}

extension SignetError {
    static let readerCancelled = SignetError(.cancelled, "The calling task was cancelled.")

    fileprivate static let noReading = SignetError(
        .storeUnreachable,
        "The shared store did not answer within a second. Nothing was changed. Try again, or give the store more connections."
    )

    static let tooManyOpens = SignetError(
        .storeBusy,
        "Too many calls wait for the shared store. Nothing was changed. Try again, or give the store more connections."
    )
}
