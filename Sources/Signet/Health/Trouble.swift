// SPDX-License-Identifier: Apache-2.0

/// The kinds of trouble that are written to the standard error: the reasons of the health, losses and damage.
///
/// The sentences are fixed, and the details are codes and counts: no key, name, identity or value gets there.
enum Trouble: Sendable, Hashable, CaseIterable {
    case disk, storage, storageNearlyFull, store, lostEvents, uploads, clockOffset, clockJump
    case identityRefused, overdue
    case deadLetters, damage, serviceData

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

    /// The unit of its count if each time counts: a loss or a damage; nil for a state of the health.
    var unit: String? {
        switch self {
        case .lostEvents, .deadLetters: "event"
        case .damage: "time"
        case .serviceData: "record"
        case .disk, .storage, .storageNearlyFull, .store, .uploads, .clockOffset, .clockJump, .identityRefused,
            .overdue:
            nil
        }
    }

    /// The other degree of the same trouble: the line about one says that the other is over.
    var otherDegree: Trouble? {
        switch self {
        case .storage: .storageNearlyFull
        case .storageNearlyFull: .storage
        default: nil
        }
    }

    /// The sentence that names the trouble and the remedy.
    var sentence: String {
        switch self {
        case .disk: "The disk refuses writes. Free space, or mend the folder of configuration.directory."
        case .storage: "The storage for events is full. Raise events.storage.maximumBytes, or see why uploads wait."
        case .storageNearlyFull: "The storage for events is nearly full. See why uploads wait."
        case .store: "The shared store cannot be used. See if the database runs, can be reached and can be written to."
        case .lostEvents: "Accepted events were dropped. statistics.eventsDropped has the causes."
        case .uploads: "Uploads pause. Events wait on disk and are sent later; for 401 and 403 correct key and secret."
        case .identityRefused:
            "The identity endpoint refuses all requests. For 401 and 403 correct key and secret; events wait on disk."
        case .overdue:
            "Work that the runtime does by itself waits for more than a minute. statistics.dueWork has its kinds."
        case .clockOffset: "The clock of this machine differs from that of the shared store. Set it by NTP."
        case .clockJump: "The clock of this machine was set. Events keep the times at which they were logged."
        case .deadLetters: "The platform has refused a batch for good. signet.deadLetters.list() has the reason."
        case .damage: "Something could not be read or cleaned up. Pass an observer or a logger for what."
        case .serviceData: "Data that waited for a service was dropped."
        }
    }

    /// The sentence about its end in the health; nil for what only happens.
    var end: String? {
        switch self {
        case .disk: "The disk accepts writes again."
        case .storage, .storageNearlyFull: "The storage for events has room again."
        case .store: "The shared store can be used again."
        case .lostEvents: "No event was dropped in the last 10 minutes."
        case .uploads: "Uploads go on."
        case .identityRefused: "The identity endpoint accepts requests again."
        case .overdue: "No work is overdue."
        case .clockOffset: "The clock of this machine agrees with the shared store again."
        case .clockJump: "The clock of this machine was not set in the last 10 minutes."
        case .deadLetters, .damage, .serviceData: nil
        }
    }
}

extension SignetError.Code {
    /// True for failures of the shared store that have a line of their own, so that what follows from them has none.
    var isToldAsStore: Bool {
        self == .storeUnreachable || self == .storeFailed
    }
}
