// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// An answer of the platform on its way into a shared row: it is tried again while the slot lasts.
///
/// An answer that another replica has superseded changes nothing; but a modify has happened to its user, whichever replica has the slot.
struct IdentityAnswerCommit {
    /// The pause before the store is asked again.
    private static let pause = Duration.milliseconds(200)

    /// The step after a commit that has failed.
    private enum Step {
        /// Commit without the slot.
        case commitUnfenced
        /// Commit again after a pause.
        case pause
        /// The call fails.
        case giveUp
    }

    private let answer: IdentityAnswer
    private let number: Int
    private let lease: SlotLease?

    /// Makes the commit of an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - number: The number of the call.
    ///   - lease: The slot under which the request went out; nil for none.
    init(_ answer: IdentityAnswer, of number: Int, fencedBy lease: SlotLease?) {
        (self.answer, self.number, self.lease) = (answer, number, lease)
    }

    /// Commits the answer.
    ///
    /// - Parameter core: The installation.
    /// - Returns: The end of the call; nil if it is not under way any more.
    /// The call fails with the worst outcome of all tries: `outcomeUnknown` if one of them may have been taken.
    ///
    /// - Throws: `closed` if another object has replaced this one.
    func commit(to core: InstallationCore) async throws(SignetError) -> IdentityStateMachine.Finish? {
        var token = self.lease?.token
        // The slot is lost.
        if self.lease != nil, token == nil { return try self.fail(.superseded, core) }
        var isDoubtful = false
        while true {
            do throws(SignetError) {
                let latest = try await self.latestConsent(core)
                var before = core.identityState.directory
                let finish = try await core.commit(fencedBy: token, confirms: false) {
                    machine,
                    transaction throws(SignetError) in
                    // With what was answered on another replica.
                    before = machine.state.directory
                    return try IdentityAnswerTransition(self.answer, of: self.number, for: [], in: latest)
                        .write(&machine, &transaction)
                }
                await core.recordAnonymousConsent(of: before)
                return finish
            } catch {
                if error.code == .outcomeUnknown { isDoubtful = true }
                let worst = isDoubtful ? error.afterDoubt : error
                switch self.step(after: error, at: core.context.time.uptime) {
                case .commitUnfenced: token = nil
                case .pause:
                    // Cancelled: the runtime ends.
                    do { try await core.context.time.sleep(for: Self.pause) } catch _ {
                        return try self.fail(worst, core)
                    }
                case .giveUp: return try self.fail(worst, core)
                }
            }
        }
    }

    /// The latest consent of the user of the answer, which another installation may have; nil if it is no user.
    private func latestConsent(_ core: InstallationCore) async throws(SignetError) -> AnsweredConsent? {
        guard case .user(let reply) = self.answer, let shared = core.store.shared else { return nil }
        return AnsweredConsent(mpid: reply.mpid, latest: try await shared.latestConsentOrRead(of: reply.mpid))
    }

    private func step(after error: SignetError, at uptime: Duration) -> Step {
        switch error.code {
        case .superseded where self.answer.isModification: .commitUnfenced
        case .outcomeUnknown where error.cause is HiddenOutcome: .giveUp
        case .storeUnreachable, .storeBusy, .outcomeUnknown:
            self.lease?.isOver(at: uptime) ?? true ? .giveUp : .pause
        default: .giveUp
        }
    }

    private func fail(
        _ error: SignetError,
        _ core: InstallationCore
    ) throws(SignetError) -> IdentityStateMachine.Finish? {
        if error.code == .closed { throw error }
        return try core.transact { machine, transaction throws(SignetError) in
            try IdentityAnswerTransition(.failed(error), of: self.number, for: []).write(&machine, &transaction)
        }
    }
}

extension SignetError {
    /// The error of a change that fails with this one after a try that the store may have taken.
    fileprivate var afterDoubt: SignetError {
        switch self.code {
        // The row says that the try was not taken, or is gone.
        case .superseded, .closed: self
        default: .storeOutcomeUnknown
        }
    }
}

extension IdentityAnswer {
    /// True if it may change the installation.
    var changesState: Bool {
        switch self {
        case .user, .modified: true
        case .found, .failed: false
        }
    }

    fileprivate var isModification: Bool {
        if case .modified = self { true } else { false }
    }
}
