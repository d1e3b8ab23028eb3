// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The slot of an installation in a shared store, as the process that wants it knows it, for one identity call.
///
/// Directly before each try the slot is taken, or renewed by its token. The time for which it is held counts from before the question
/// was sent, on the process's monotonic clock: the database counts from a later moment, so nobody else has the slot until then.
struct SlotLease: Sendable {
    private enum State {
        /// Not asked for, or released. Can transition to `taking`.
        case free
        /// Asked for once. Can transition to `takingAgain`, `held` or `free`.
        case taking(UUID, sent: Duration)
        /// Asked for again: an answer that was lost may have given it. Can transition to `held` or `free`.
        case takingAgain(UUID, sent: Duration)
        /// Held. Can transition to `renewing` or `free`.
        case held(UUID, until: Duration)
        /// Held, and asked for again. Can transition to `held`, `lost` or `free`.
        case renewing(UUID, until: Duration, sent: Duration)
        /// Another process has taken it, or the installation is gone. Terminal: the answer of the call is superseded.
        case lost
    }

    /// Makes a random token; its last bit says whose call it is, for the other replicas.
    ///
    /// - Parameter isOwn: True for a call that Signet makes by itself, false for one of the app.
    /// - Returns: The token.
    static func token(isOwn: Bool) -> UUID {
        var bytes = UUID.random().uuid
        bytes.15 = isOwn ? bytes.15 | 1 : bytes.15 & ~1
        return UUID(uuid: bytes)
    }

    /// True for the token of a call that Signet makes by itself.
    static func isOfOwnCall(_ token: UUID) -> Bool {
        token.uuid.15 & 1 == 1
    }

    /// The time beyond the request's own limit for which the slot is held.
    static let margin = Duration.seconds(5)

    private var state = State.free
    /// The time that a request may take.
    let requestTimeout: Duration

    /// The lease of a call that has not asked yet.
    init(requestTimeout: Duration) {
        self.requestTimeout = requestTimeout
    }

    /// The time for which the slot is asked for.
    var span: Duration {
        self.requestTimeout + Self.margin
    }

    /// True while this process has it, as far as it knows.
    var isHeld: Bool {
        switch self.state {
        case .held, .renewing: true
        case .free, .taking, .takingAgain, .lost: false
        }
    }

    // MARK: - Asking

    /// A question to the store.
    enum Question: Sendable, Hashable {
        case take(UUID)
        case renew(UUID)
        /// Nothing: the slot is lost.
        case nothing
    }

    /// Asks for the slot; also after an answer that was lost.
    ///
    /// - Parameters:
    ///   - now: The uptime, read before the question is sent.
    ///   - newToken: Makes a random value.
    /// - Returns: The question to send.
    mutating func ask(at now: Duration, newToken: () -> UUID) -> Question {
        switch self.state {
        case .free:
            let token = newToken()
            self.state = .taking(token, sent: now)
            return .take(token)
        case .taking(let token, _), .takingAgain(let token, _):
            // The same token: the question before may have been answered with the slot.
            self.state = .takingAgain(token, sent: now)
            return .take(token)
        case .held(let token, let until), .renewing(let token, let until, _):
            self.state = .renewing(token, until: until, sent: now)
            return .renew(token)
        case .lost:
            return .nothing
        }
    }

    /// The meaning of an answer.
    enum Verdict: Sendable, Hashable {
        /// The slot is held: send the request, if ``maySend(at:)``.
        case held
        /// Another process sends a request.
        case busy
        /// This process had the slot and has lost it.
        case superseded
        /// There is no such installation.
        case isGone
        /// Nothing asked for an answer.
        case ignore
    }

    /// Takes in an answer.
    mutating func take(_ outcome: SharedSlotRequest.Outcome) -> Verdict {
        switch (self.state, outcome) {
        case (.taking(let token, let sent), .taken), (.takingAgain(let token, let sent), .taken),
            (.renewing(let token, _, let sent), .taken):
            self.state = .held(token, until: sent + self.span)
            return .held
        case (.taking, .held), (.takingAgain, .held):
            self.state = .free
            return .busy
        case (.renewing, .held):
            self.state = .lost
            return .superseded
        case (.taking, .isMissing), (.takingAgain, .isMissing), (.renewing, .isMissing):
            self.state = .lost
            return .isGone
        case (.free, _), (.held, _), (.lost, _):
            return .ignore
        }
    }

    /// Takes in a question that was not sent: the store was not reached.
    ///
    /// An earlier one with the same token may have been; then the token is kept, to ask again or to release it.
    mutating func notSent() {
        switch self.state {
        case .taking: self.state = .free
        case .renewing(let token, let until, _): self.state = .held(token, until: until)
        case .free, .takingAgain, .held, .lost: break
        }
    }

    // MARK: - Holding

    /// True if a request that is sent now ends, at its limit, before the slot does.
    func maySend(at now: Duration) -> Bool {
        guard case .held(_, let until) = self.state else { return false }
        return now + self.requestTimeout <= until
    }

    /// The token that fences the commit of an answer; nil if the slot was never held, or is lost.
    ///
    /// Its time does not matter: whoever took the slot meanwhile has changed the token in the row.
    var token: UUID? {
        switch self.state {
        case .held(let token, _), .renewing(let token, _, _): token
        case .free, .taking, .takingAgain, .lost: nil
        }
    }

    /// True if the time of the slot is over, by this process's clock.
    func isOver(at now: Duration) -> Bool {
        switch self.state {
        case .held(_, let until), .renewing(_, let until, _): now >= until
        case .free, .taking, .takingAgain, .lost: true
        }
    }

    /// Gives the slot up.
    ///
    /// - Returns: The token to release, also one that an unanswered question may have given; nil if there is none.
    mutating func release() -> UUID? {
        defer { self.state = .free }
        switch self.state {
        case .taking(let token, _), .takingAgain(let token, _), .held(let token, _), .renewing(let token, _, _):
            return token
        case .free, .lost: return nil
        }
    }
}
