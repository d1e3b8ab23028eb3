// SPDX-License-Identifier: Apache-2.0

import Signet

extension SignetError {
    static let notRegistered = SignetError(
        .notRegistered,
        "The installation is not registered with Infobip. Set a push token and await registration()."
    )

    static let depersonalizationPending = SignetError(
        .depersonalizationPending,
        "A depersonalize is in progress. Try again after InfobipUpdate.Kind.depersonalized."
    )

    static let personGone = SignetError(
        .identityUndetermined,
        "Another installation has logged out the person of this call, so Infobip cannot be notified any more."
    )

    static let identityUndetermined = SignetError(
        .identityUndetermined,
        "A personalize has no answer yet. Call fetchUser() to learn the person of the installation, then save again."
    )
}
