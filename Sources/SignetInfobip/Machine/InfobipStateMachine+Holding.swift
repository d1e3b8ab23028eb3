// SPDX-License-Identifier: Apache-2.0

import Signet

// Answers to callers whose requests are held up.
extension InfobipStateMachine {
    /// The pause that the service has asked for, unless it is over.
    func askedPause(_ now: Duration) -> SignetError? {
        guard self.isPauseAsked, let pausedUntil, pausedUntil > now else { return nil }
        return SignetError(
            .throttled,
            "Infobip asked for a pause, so nothing was sent.",
            retryAfter: pausedUntil - now
        )
    }

    /// Ends waiting callers after the service has asked for a pause, as it ends those who call from now on.
    ///
    /// Callers who wait for a registration go on waiting.
    mutating func endHeld(_ error: SignetError) -> [Action] {
        if !self.depersonalizeTickets.isEmpty { self.memory.depersonalization.status = .pending }
        return self.endServed(error)
    }

    /// Ends all callers, except those who wait for a registration.
    mutating func endServed(_ error: SignetError) -> [Action] {
        let waiting = self.registrationTickets
        self.registrationTickets = []
        let actions = self.endUnsaved(self.userTickets + self.infobipTickets, error) + self.endAll(.failure(error))
        self.registrationTickets = waiting
        return actions
    }

    /// Ends callers of saves, which are kept and retried.
    ///
    /// Callers without access get the error, because only they can fix it.
    mutating func endUnsaved(_ tickets: [Int], _ error: SignetError) -> [Action] {
        switch error.code {
        case .tokenUnavailable, .unauthorized, .invalidConfiguration: self.end(tickets, .failure(error))
        default: self.end(tickets, .success(.pending))
        }
    }
}
