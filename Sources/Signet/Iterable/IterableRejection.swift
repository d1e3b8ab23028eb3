//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria

public import struct FoundationEssentials.Date

/// Something that the service refused for good: it is not sent again.
public struct IterableRejection: Sendable {
    /// What was to be told.
    public enum Subject: Sendable, Hashable {
        /// A custom event of this name.
        case customEvent(String)
        /// A purchase.
        case purchase
        /// What is in the cart.
        case cartUpdate
        /// Data of the user.
        case userUpdate
        /// The device with its push token, or that it has none any more.
        case device
        /// The consent.
        case consent
        /// The user's new address.
        case emailChange
    }

    /// What was to be told.
    public let subject: Subject
    /// When it happened, nil for what has no time of its own.
    public let date: Date?
    /// Why: the status is `httpStatus`, what the service said is in `errors`.
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

    /// Nil for what the app is told otherwise: that an unknown user was not made, or not merged.
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

    /// Whether it is a record, and counts as one that was dropped.
    var isRecord: Bool {
        switch self.subject {
        case .customEvent, .purchase, .cartUpdate, .userUpdate: true
        case .device, .consent, .emailChange: false
        }
    }
}

extension IterableRejection: CustomStringConvertible {
    /// The kind and the reason, without anything that the visitor did.
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
        return "VisitorRefusal(\(subject), \(self.error.message))"
    }
}
