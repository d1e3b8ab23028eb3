//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

// Who hears of it when what they asked for is held up.
extension InfobipStateMachine {
    /// The pause that the service has asked for, if it is not over.
    func askedPause(_ now: Duration) -> SignetError? {
        guard self.isPauseAsked, let pausedUntil, pausedUntil > now else { return nil }
        return SignetError(
            .throttled,
            "Infobip has asked for a pause; nothing was sent.",
            retryAfter: pausedUntil - now
        )
    }

    /// The service has asked for a pause while others wait: they hear of it as those do who call from now on, and who waits
    /// for a registration goes on waiting.
    mutating func endHeld(_ error: SignetError) -> [Action] {
        if !self.depersonalizeTickets.isEmpty { self.memory.depersonalization.status = .pending }
        return self.endServed(error)
    }

    /// Nobody can be served for now, but for those who wait for a registration.
    mutating func endServed(_ error: SignetError) -> [Action] {
        let waiting = self.registrationTickets
        self.registrationTickets = []
        let actions = self.endUnsaved(self.userTickets + self.infobipTickets, error) + self.endAll(.failure(error))
        self.registrationTickets = waiting
        return actions
    }

    /// What was to be saved is kept, and tried again; who is not let in has to hear why, for only they can do something about it.
    mutating func endUnsaved(_ tickets: [Int], _ error: SignetError) -> [Action] {
        switch error.code {
        case .tokenUnavailable, .unauthorized, .invalidConfiguration: self.end(tickets, .failure(error))
        default: self.end(tickets, .success(.pending))
        }
    }
}
