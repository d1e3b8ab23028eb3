// SPDX-License-Identifier: Apache-2.0

public import Signet

extension SignetError.Code {
    /// The call needs a registration at Infobip, which takes a push token; nothing was sent.
    public static let notRegistered = SignetError.Code("notRegistered")
    /// A depersonalize or a forced personalize waits for Infobip, so no person is known; nothing was stored.
    public static let depersonalizationPending = SignetError.Code("depersonalizationPending")
    /// The person of the call has left, or a later call has changed the person; nothing was sent.
    public static let identityUndetermined = SignetError.Code("identityUndetermined")
}
