//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Signet

extension SignetError {
    static let notRegistered = SignetError(
        .notRegistered,
        "The installation is not registered at Infobip: set a push token, and await registration()."
    )

    static let depersonalizationPending = SignetError(
        .depersonalizationPending,
        "The installation is being made nobody's; try again when that is done (InfobipUpdate.Kind.depersonalized)."
    )

    static let personGone = SignetError(
        .identityUndetermined,
        "Another installation has logged out the person whom it was for; the service cannot be told any more."
    )

    static let identityUndetermined = SignetError(
        .identityUndetermined,
        "A personalize has no answer yet: fetchUser() finds out whose the installation is, then save again."
    )
}
