// SPDX-License-Identifier: Apache-2.0

/// One value that somebody has asked for, of one field.
struct InfobipEdit: Sendable {
    enum Source: Sendable {
        case save, personalize, installation
    }

    /// How its call ended.
    enum Outcome: Sendable, Hashable {
        /// It has not.
        case open
        case done, pending
        /// The service has refused it, as the caller was told.
        case refused(String)
        /// It threw: nothing was to happen.
        case failed(String)
        /// The process died before it was answered.
        case died

        /// Whether something of it may be left.
        var isKept: Bool {
            if case .failed = self { false } else { true }
        }
    }

    let number: Int
    let installation: Int
    var scope: Int
    let field: String
    /// What is sent; nil takes away.
    let value: String?
    let source: Source
    let start: Int
    var end: Int?
    var outcome = Outcome.open
    var isApplied = false
    /// Of a personalize: its own request has arrived, and was taken.
    var hasArrived = false
    /// Of a personalize: its own request has gone out.
    var hasGone = false
    /// Power was lost since: older values may come again.
    var isAfterPowerLoss = false
    /// A refusal of it has come.
    var isRefused = false
    /// Why it need not arrive.
    var excuse: String?

    /// Whether it is of whoever has the installation; if not, of the device, whoever that is.
    var isOfPerson: Bool {
        self.field != "applicationUserId" && self.field != "regEnabled"
    }

    /// Whether its value is like no other: what equals what is known already need not be sent.
    var isTagged: Bool {
        self.value.flatMap { InfobipBook.number(in: $0) } == self.number
    }

    /// The fields that a refusal is about; none where it does not say so.
    static func fields(namedBy code: String) -> Set<String> {
        switch code {
        case "USER_MERGE_INTERRUPTED": ReferenceInfobip.identityFields
        case "PHONE_INVALID": ["phones"]
        case "EMAIL_INVALID": ["emails"]
        default: []
        }
    }

    /// Whether the app may count on it.
    var isAccepted: Bool {
        switch self.outcome {
        case .done, .pending: true
        // Only what the refusal names goes then, if that was asked for; if not, all of it, which is written down then.
        case .refused(let code):
            !Self.fields(namedBy: code).isEmpty && !Self.fields(namedBy: code).contains(self.field)
                && self.source == .save
        case .open, .failed, .died: false
        }
    }

    /// Whether another came after it for certain.
    func isBefore(_ other: InfobipEdit) -> Bool {
        self.end.map { $0 < other.start } ?? false
    }
}
