// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// An answer of a user, and what it means for their record.
struct ConsentAnswer: Sendable, Hashable {
    /// The meaning for the record.
    enum Meaning: Sendable, Hashable {
        /// This is the record from now on.
        case record(UserConsent)
        /// The answer is no other than the latest, or older.
        case same
        /// Another installation has answered since the answer was made.
        case outdated
    }

    /// The consent; nil removes it.
    var consent: ConsentState?
    /// The consent that the installation knows, where there is no record.
    var known: ConsentState?
    /// The moment of the answer, after which another installation's counts more; nil for now.
    var moment: Int64?
    /// The version of the record that the answer changes, zero for none; nil for any.
    var base: Int64?
    /// The moment of the consent of the installation, after which the answer counts; zero for none.
    var after: Int64 = 0

    /// Judges the answer.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - latest: The record of the user; nil for none.
    ///   - now: The moment of now, in milliseconds since 1970.
    /// - Returns: Its meaning.
    func meaning(for mpid: MPID, on latest: UserConsent?, at now: Int64) -> Meaning {
        if let base = self.base, base != latest?.version ?? 0 { return .outdated }
        var record = latest ?? UserConsent(unansweredBy: mpid)
        if record.answered != nil, let moment = self.moment, moment <= record.version { return .same }
        // One that an installation's consent has superseded is said again, and not one that was never given.
        let isSaidAgain = self.moment == nil && self.consent != nil && record.isOverruled(by: self.after)
        let known = record.answered == nil ? self.known : record.consent
        guard self.consent != known || isSaidAgain else { return .same }
        record.set(self.consent, at: self.moment ?? max(now, max(record.accepted, self.after) + 1))
        return .record(record)
    }
}
