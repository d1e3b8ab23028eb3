// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The result of a visit to an installation whose facts are due.
enum DueFactsVisit: Sendable {
    /// The platform lacks nothing.
    case nothing
    /// It was sent, or the queue of events has it.
    case done
    /// The visit came in a pause, or too many consents wait: it is to be repeated at this uptime.
    case again(at: Duration)
    /// The platform, the shared store or the disk has failed.
    case unwell(SignetError)
}

// Facts that the platform lacks and that no call of the app brings: ``IdentityState/owesFacts``.
extension InstallationCore {
    /// The time after which a visit is repeated that found too many consents waiting.
    private static let pause = Duration.seconds(5)

    /// Sends what the platform lacks, without a caller.
    ///
    /// It neither opens the installation nor begins a session.
    func sendDueFacts() async -> DueFactsVisit {
        let state = self.identityState
        guard state.owesFacts else { return .nothing }
        // Those of a row are the queue's, since the look that has found them.
        if self.store.shared == nil, !state.unsentConsents.isEmpty, self.number != 0 {
            guard await self.managers.events.takeConsents(of: self.number) else {
                return .again(at: self.context.time.uptime + Self.pause)
            }
        }
        guard state.pushTokenChange != nil else { return .done }
        return await self.identity.visitPushToken()
    }

    /// Sends what an earlier process, or an object that has left memory, has left unsent.
    func resumeFacts() {
        let (hasConsents, hasToken) = self.store.read { machine in
            (!machine.state.unsentConsents.isEmpty, machine.identity.needsPushTokenCall)
        }
        if hasConsents, self.store.shared == nil { self.context.ingress.consentsUnsent(self.number, isLate: true) }
        // Refused at the end of the runtime: the next process sends it.
        if hasToken { self.context.jobs.submit { await self.identity.resumePushTokenCall() } }
    }
}
