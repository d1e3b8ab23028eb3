// SPDX-License-Identifier: Apache-2.0

/// The kinds of trouble that are told on the standard error.
///
/// The sentences are fixed, and the details are codes and counts: no key, name, identity or value gets there.
enum Trouble: Sendable, Hashable, CaseIterable {
    case disk, storage, storageNearlyFull, store, lostEvents, uploads, clockOffset, clockJump
    case identityRefused, overdue
    case storeCalls, deadLetters, damage, erasure, identity, services

    /// The trouble of a reason; nil if it is not reported: the app decides whether the runtime runs.
    init?(_ kind: HealthReason.Kind) {
        switch kind {
        case .notRunning: return nil
        case .diskRefusesWrites: self = .disk
        case .storageFull: self = .storage
        case .storeUnreachable: self = .store
        case .eventsLost: self = .lostEvents
        case .uploadsPaused: self = .uploads
        case .identityRefused: self = .identityRefused
        case .workOverdue: self = .overdue
        case .storageNearlyFull: self = .storageNearlyFull
        case .clockOff: self = .clockOffset
        case .clockJumped: self = .clockJump
        }
    }

    /// True if it goes on until it ends; false if it happens, once or again.
    var lasts: Bool {
        switch self {
        case .disk, .storage, .storageNearlyFull, .store, .uploads, .clockOffset, .identityRefused,
            .overdue:
            true
        case .storeCalls, .lostEvents, .clockJump, .deadLetters, .damage, .erasure, .identity, .services: false
        }
    }

    /// The sentence that names the trouble and the remedy.
    var sentence: String {
        switch self {
        case .disk: "The disk refuses writes. Free space, or mend the folder of configuration.directory."
        case .storage: "The storage for events is full. Raise events.storage.maximumBytes, or see why uploads wait."
        case .storageNearlyFull: "The storage for events is nearly full. See why uploads wait."
        case .store: "The shared store cannot be used. See if the database runs, can be reached and can be written to."
        case .storeCalls: "Calls to the shared store fail again and again. See `signet store check`."
        case .lostEvents: "Accepted events were dropped. statistics.eventsDropped has the causes."
        case .uploads: "Uploads pause. Events wait on disk and are sent later; for 401 and 403 correct key and secret."
        case .identityRefused:
            "The identity endpoint refuses all requests. For 401 and 403 correct key and secret; events wait on disk."
        case .overdue:
            "Work that the runtime does by itself waits for more than a minute. statistics.dueWork has its kinds."
        case .clockOffset: "The clock of this machine differs from that of the shared store. Set it by NTP."
        case .clockJump: "The clock of this machine was set. Events keep the times at which they were logged."
        case .deadLetters: "The platform has refused a batch for good. signet.deadLetters.list() has the reason."
        case .damage: "Something could not be read or cleaned up. Pass an observer, such as LoggingObserver, for what."
        case .erasure: "The erasure of a user could not be finished, as disk or store failed. It is tried again."
        case .identity: "An automatic identity request has failed."
        case .services: "A service could not follow a user. Its data waits, or was dropped."
        }
    }

    /// The sentence about its end.
    var end: String {
        switch self {
        case .disk: "The disk accepts writes again."
        case .storage, .storageNearlyFull: "The storage for events has room again."
        case .store: "The shared store can be used again."
        case .uploads: "Uploads go on."
        case .identityRefused: "The identity endpoint accepts requests again."
        case .overdue: "No work is overdue."
        case .clockOffset: "The clock of this machine agrees with the shared store again."
        case .storeCalls, .lostEvents, .clockJump, .deadLetters, .damage, .erasure, .identity, .services: "It is over."
        }
    }
}

extension SignetError.Code {
    /// True for failures of the shared store that have a line of their own, so that what follows from them has none.
    var isToldAsStore: Bool {
        self == .storeUnreachable || self == .storeFailed
    }
}
