// SPDX-License-Identifier: Apache-2.0

public import Signet
import SignetCriteria

public import struct FoundationEssentials.Date

/// A record or request that Iterable refused for good.
///
/// It is not sent again.
public struct IterableRejection: Sendable {
    /// The kind of record or request.
    public enum Subject: Sendable, Hashable {
        /// A custom event of this name.
        case customEvent(String)
        /// A purchase.
        case purchase
        /// The content of the cart.
        case cartUpdate
        /// Data of the user.
        case userUpdate
        /// The registration of the device's push token, or its removal.
        case device
        /// The consent.
        case consent
        /// The user's new address.
        case emailChange
    }

    /// The refused record or request.
    public let subject: Subject
    /// The time of the record; nil for a request that has no time of its own.
    public let date: Date?
    /// The reason: `httpStatus` is the status, and `errors` has the service's message.
    public let error: SignetError

    init(_ record: IterableRecord, _ error: SignetError) {
        switch record.kind {
        case .purchase: self.subject = .purchase
        case .cartUpdate: self.subject = .cartUpdate
        case .userUpdate: self.subject = .userUpdate
        case .tokenRegistration: self.subject = .device
        default: self.subject = .customEvent(record.eventName ?? "")
        }
        self.date = record.createdAt.map { Date(timeIntervalSince1970: Double($0)) }
        self.error = error
    }

    /// Nil for a failure that the app learns otherwise: an unknown user was not made, or not merged.
    init?(_ task: IterableTask, _ error: SignetError) {
        switch task {
        case .create, .announce, .awaitToken, .merge: return nil
        case .consent(let milliseconds, _):
            (self.subject, self.date) = (.consent, Date(milliseconds: milliseconds))
        case .register, .disable: (self.subject, self.date) = (.device, nil)
        case .changeEmail: (self.subject, self.date) = (.emailChange, nil)
        }
        self.error = error
    }

    /// True for a record, which counts as dropped.
    var isRecord: Bool {
        switch self.subject {
        case .customEvent, .purchase, .cartUpdate, .userUpdate: true
        case .device, .consent, .emailChange: false
        }
    }
}

extension IterableRejection: CustomStringConvertible {
    /// The kind and the reason, without the visitor's data.
    public var description: String {
        let subject =
            switch self.subject {
            case .customEvent: "customEvent"
            case .purchase: "purchase"
            case .cartUpdate: "cartUpdate"
            case .userUpdate: "userUpdate"
            case .device: "device"
            case .consent: "consent"
            case .emailChange: "emailChange"
            }
        return "IterableRejection(\(subject), \(self.error.message))"
    }
}
