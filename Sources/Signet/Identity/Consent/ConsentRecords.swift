// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The latest consents of users, as a transaction of an installation sees them.
///
/// A directory has them itself (``UserConsents``). A shared store is asked before the transaction
/// (``AnsweredConsent``).
protocol ConsentRecords: Sendable {
    /// The record of a user; nil for none, and for one that cannot be read.
    ///
    /// - Throws: Errors of the disk that may pass.
    func record(of mpid: MPID) throws(SignetError) -> UserConsent?

    /// Takes an answer of a user.
    ///
    /// - Returns: The fate of the answer.
    /// - Throws: `SignetError` from the disk; then nothing was changed.
    func take(_ answer: ConsentAnswer, of mpid: MPID) throws(SignetError) -> UserConsents.Answer

    /// Makes the answer of a user count as given now, as the consent of an installation that superseded it is removed.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - moment: The moment of the installation's consent; nil if that supersedes each answer.
    /// - Throws: `SignetError` from the disk; then nothing was changed.
    func renew(_ mpid: MPID, after moment: Int64?) throws(SignetError)
}

extension ConsentRecords {
    /// The latest consent of a user; nil for none, and for one that cannot be read.
    ///
    /// - Throws: Errors of the disk that may pass.
    func latest(of mpid: MPID) throws(SignetError) -> UserConsent? {
        try self.record(of: mpid)?.answered
    }
}

/// The record of one user that was read from a shared store before the transaction, and the fate of an answer to it.
struct AnsweredConsent: ConsentRecords {
    let mpid: MPID
    /// The record before the answer; nil for none.
    var latest: UserConsent?
    /// The fate of the answer; `same` if none was given.
    var answer = UserConsents.Answer.same

    func record(of mpid: MPID) -> UserConsent? {
        mpid == self.mpid ? self.latest : nil
    }

    func take(_ answer: ConsentAnswer, of mpid: MPID) -> UserConsents.Answer {
        mpid == self.mpid ? self.answer : .same
    }

    /// Nothing: the store is asked before the transaction.
    func renew(_ mpid: MPID, after moment: Int64?) {}
}
