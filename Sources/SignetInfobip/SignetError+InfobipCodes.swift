// SPDX-License-Identifier: Apache-2.0

public import Signet

extension SignetError.Code {
    /// The call needs a registration at Infobip, which takes a push token; nothing was sent.
    public static let notRegistered = SignetError.Code("notRegistered")
    /// A depersonalize waits for Infobip, so no person is known; nothing was stored.
    public static let depersonalizationPending = SignetError.Code("depersonalizationPending")
    /// The person that the data belongs to cannot be determined; nothing is kept.
    ///
    /// A personalize had no answer, and Infobip was not asked yet for the installation's person. Or the person has
    /// left in the meantime; then their waiting data is dropped.
    public static let identityUndetermined = SignetError.Code("identityUndetermined")
}
