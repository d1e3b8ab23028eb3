// SPDX-License-Identifier: Apache-2.0

import SignetLock

// The calls on the store that follow the readings of opens.
extension RowReader {
    /// A change that has a place and waits for others to end.
    struct WaitingChange {
        /// The uptime at which its open was called.
        let began: Duration
        let turn = Promise<OpenAdmission.Verdict>()
    }

    private enum Start {
        case goes
        case waits(WaitingChange)
        case refused
    }

    /// Carries out a call on the store that follows the reading of an open.
    ///
    /// - Parameters:
    ///   - began: The uptime at which the open was called.
    ///   - body: The call.
    /// - Returns: Its value.
    /// - Throws: Its error; `storeBusy` if it would come too late.
    nonisolated(nonsending) func change<Value>(
        ofOpenSince began: Duration,
        _ body: nonisolated(nonsending) () async throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        let begin = self.time.uptime
        switch self.start(ofOpenSince: began, at: begin) {
        case .goes: break
        case .refused: throw .tooManyOpens
        case .waits(let change): try await self.wait(change, since: begin)
        }
        do throws(SignetError) {
            let value = try await body()
            self.end(.answered, since: begin)
            return value
        } catch {
            self.end(.failed, since: begin)
            throw error
        }
    }

    private func start(ofOpenSince began: Duration, at begin: Duration) -> Start {
        self.state.withLock { state in
            switch state.admission.beginChange(after: begin - began, at: begin) {
            case .admitted: return .goes
            case .refused: return .refused
            case .waits:
                let change = WaitingChange(began: began)
                state.changes.append(change)
                return .waits(change)
            }
        }
    }

    private nonisolated(nonsending) func wait(
        _ change: WaitingChange,
        since begin: Duration
    ) async throws(SignetError) {
        switch await change.turn.value() {
        case .admitted: return
        case .refused: throw .tooManyOpens
        case nil: break
        }
        let verdict = self.state.withLock { state in
            // The first to resolve it has decided.
            if change.turn.resolve(.refused) { state.admission.withdrawChange() }
            return change.turn.current
        }
        if case .admitted = verdict { self.end(.failed, since: begin) }
        throw .readerCancelled
    }

    private func end(_ outcome: OpenAdmission.Outcome, since begin: Duration) {
        let now = self.time.uptime
        self.state.withLock { state in
            state.admission.endChange(outcome, after: now - begin, at: now)
            state.resumeChanges(at: now)
        }
    }
}

extension RowReader.State {
    /// Lets the first changes go that wait, and refuses those that would come too late.
    mutating func resumeChanges(at now: Duration) {
        while let change = self.changes.first {
            // One that was cancelled has no place any more.
            if change.turn.current == nil {
                let verdict = self.admission.resumeChange(after: now - change.began)
                if case .waits = verdict { break }
                change.turn.resolve(verdict == .admitted ? .admitted : .refused)
            }
            _ = self.changes.popFirst()
        }
        while self.admission.excessChanges > 0, let change = self.changes.popLast() {
            guard change.turn.resolve(.refused) else { continue }
            self.admission.withdrawChange()
        }
    }
}
