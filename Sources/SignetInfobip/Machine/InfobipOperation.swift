// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// One request of an Infobip profile.
enum InfobipOperation: Sendable, Hashable {
    case register(InfobipInstallation, InfobipPushToken)
    case expire(String)
    /// Sends changes; also token and system data if the service has others.
    case saveInstallation(
        InfobipInstallationEdits,
        token: InfobipPushToken?,
        system: String?,
        scope: PersonScope.ID
    )
    /// The last attempt for a person who leaves does not wait for a token.
    case saveUser(InfobipUserEdits, scope: PersonScope.ID, isLast: Bool)
    case attach(PersonScope.Attach, scope: PersonScope.ID)
    case detach(scope: PersonScope.ID)
    case look(scope: PersonScope.ID)
    case fetchUser(scope: PersonScope.ID)
    case fetchInstallation
    case depersonalizeOther(String, scope: PersonScope.ID)
    case setPrimary(String, Bool, scope: PersonScope.ID)
    case sendEvent(StoredInfobipEvent)
    case sendEvents([UInt64], scope: PersonScope.ID)
    case reportSessions(InfobipSessions.Report, scope: PersonScope.ID)

    /// The request in flight, and the callers who wait for it.
    struct InFlight: Sendable {
        let number: Int
        let operation: InfobipOperation
        let tickets: [Int]
    }

    /// A part of what is left of a person, for which there is one attempt.
    struct Attempt: Sendable, Hashable {
        enum Part { case edits, events, sessions }

        let scope: PersonScope.ID
        let part: Part
    }

    var attach: PersonScope.Attach? {
        if case .attach(let attach, _) = self { attach } else { nil }
    }

    /// The scope whose barrier it does; nil for all others.
    var barrierScope: PersonScope.ID? {
        switch self {
        case .attach(_, let scope), .detach(let scope), .look(let scope): scope
        default: nil
        }
    }

    /// The part of a leaving person's data that it sends, for which there is one attempt.
    var attempt: Attempt? {
        switch self {
        case .saveUser(_, let scope, _): .init(scope: scope, part: .edits)
        case .sendEvents(_, let scope): .init(scope: scope, part: .events)
        case .reportSessions(_, let scope): .init(scope: scope, part: .sessions)
        default: nil
        }
    }

    /// The events that it sends; nil for any other request.
    var events: [UInt64]? {
        if case .sendEvents(let ordinals, _) = self { ordinals } else { nil }
    }

    /// True if a refusal loses data of the app.
    var holdsData: Bool {
        switch self {
        case .saveUser, .saveInstallation, .sendEvents: true
        default: false
        }
    }

    /// True if it is repeated after a refusal, too, with growing pauses.
    var isRepeatedWhenRefused: Bool {
        switch self {
        case .register, .detach, .look: true
        // Nothing but the token: without it the device gets no push.
        case .saveInstallation(let edits, token: .some, system: nil, _): edits.isEmpty
        default: false
        }
    }
}

/// The actions of a decision about a profile, in this order.
enum InfobipAction: Sendable {
    /// Persist the memory.
    case save
    /// Persist an event, before the memory that counts it.
    case store(StoredInfobipEvent)
    /// Remove events that no longer count.
    case remove([UInt64])
    /// Remove events that must not be sent any more, and count them.
    case drop([UInt64])
    /// Count changes of a person that must not be sent any more.
    case dropChanges(Int)
    /// Count a save that the service has refused for good.
    case countRefused
    /// Count events that the service has refused for good.
    case countRefusedEvents(Int)
    /// Notify subscribers.
    case tell(InfobipUpdate.Kind)
    /// Report the outcome of a change of the installation's user.
    case linked(UUID, IdentitySyncOutcome.Kind)
    /// Answer a caller.
    case end(Int, Result<InfobipSaveResult, SignetError>)
}

/// The outcome of a request.
enum InfobipAnswer: Sendable {
    /// The service has done it.
    case done
    /// The service has named the person.
    case user(InfobipUser)
    /// The service has described the installation.
    case installation(InfobipInstallation)
    /// The registration does not exist any more.
    case lost(SignetError)
    /// It will never be done; phones, addresses and external id may be another person's.
    case refused(SignetError, rollsBackIdentity: Bool)
    /// 413, or a refusal, of several events: fewer of them may be taken.
    case tooMany(SignetError)
    /// It may be done later, or the outcome is unknown.
    case failed(SignetError, mayHaveHappened: Bool)

    /// The result for the callers of the request.
    var outcome: InfobipCallers.Outcome {
        switch self {
        case .done, .user, .installation: .success(.done)
        case .lost(let error), .refused(let error, _), .tooMany(let error), .failed(let error, _): .failure(error)
        }
    }
}
