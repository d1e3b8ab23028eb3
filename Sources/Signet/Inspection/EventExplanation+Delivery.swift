// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

extension EventExplanation {
    /// The session of the event.
    package struct SessionFacts: Sendable, Hashable {
        package let uuid: UUID
        package let start: Int64?
        package let state: SessionState
        /// The waiting event that begins the session; nil if it was sent.
        package let begin: EventTrail.Moment?
        /// The waiting event that ends the session; nil if there is none, or it was sent.
        package let end: EventTrail.Moment?
    }

    /// What the directory knows of a session now.
    package enum SessionState: Sendable, Hashable {
        /// It is the open session, with so many events counted and the last of them at this time.
        case open(events: Int, last: Int64)
        /// It is the last one that ended, at this time.
        case ended(Int64)
        /// Other sessions followed it, or it is not in this directory.
        case past
    }

    /// The consent that goes with the event.
    package struct ConsentFacts: Sendable, Hashable {
        /// The owner of a consent.
        package enum Source: String, Sendable, Hashable {
            /// The user gave it.
            case user
            /// It holds for all users of the installation.
            case installation
            /// An ephemeral user gave it, who has left the installation.
            case departedUser
            /// It was given before the first user.
            case beforeFirstUser
            /// The batch carries it; its origin is not recorded.
            case batch
            /// None is recorded.
            case none
        }

        /// The answer for one purpose.
        package struct Answer: Sendable, Hashable {
            package let purpose: String
            package let isGiven: Bool
        }

        package var source = Source.none
        /// By purpose; the opt-out of a sale of data is `ccpa data_sale_opt_out`.
        package var answers: [Answer] = []
    }

    /// The context under which the event was logged.
    package struct ContextFacts: Sendable, Hashable {
        package var plan: String?
        package var planVersion: Int?
        package var environment: String?
        package var application: String?
        package var applicationVersion: String?
        package var device: String?
        /// True if the batch carries an IP address.
        package var hasAddress = false
    }

    /// A batch that was written down before it was sent.
    package struct BatchFacts: Sendable, Hashable {
        package let id: UUID
        package let events: Int
        package let bytes: Int
    }

    /// A batch that the platform refused for good.
    package struct DeadLetterFacts: Sendable, Hashable {
        /// The id of the batch, which names the dead letter too.
        package let id: UUID
        package let events: Int
        /// The status of the platform's answer; nil if it did not refuse the batch.
        package let status: Int?
        /// The time of the refusal; nil if unknown.
        package let milliseconds: Int64?
        package let reason: String
    }

    /// A pause of all uploads after tries that failed.
    package struct PauseFacts: Sendable, Hashable {
        /// The reason, in words.
        package let reason: String
        /// The number of tries in a row that failed.
        package let failures: Int
        /// The time at which it began.
        package let begin: Int64
        /// The length from its begin; zero for one that the next start ends.
        package let length: Duration
    }
}

extension EventExplanation.PauseFacts {
    /// Reads a record; nil if it is not a pause.
    init?(_ bytes: [UInt8]) {
        guard let begin = UploadPause.begin(bytes), let pause = UploadPause(bytes, now: begin) else { return nil }
        let reason =
            switch pause.reason {
            case .failure: "the last try failed"
            case .asked: "the platform asked for it"
            case .unauthorized: "the platform does not accept the key or the secret"
            case .misdirected: "something other than the platform answered"
            case .disk: "the disk could not be written"
            case .store: "the shared store was not reached"
            }
        self.init(reason: reason, failures: pause.failures, begin: begin, length: pause.length)
    }
}
