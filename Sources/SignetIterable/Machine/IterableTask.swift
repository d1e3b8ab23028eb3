// SPDX-License-Identifier: Apache-2.0

import Signet

/// A task for a user at Iterable, done before the waiting records.
enum IterableTask: Sendable, Hashable {
    /// Make the unknown user that was being made when the visitor became known, so that it can be merged.
    case create(userID: String, criterion: String)
    /// Report the unknown user to the app.
    case announce
    /// Wait for a token, if the project uses tokens.
    case awaitToken
    /// Merge an unknown user into this one.
    case merge(source: String)
    /// Send the consent, given at this time in milliseconds.
    case consent(at: Int64, isKnown: Bool)
    /// Register the device's push token, with the permission to show notifications if the app has set it.
    case register(IterablePushToken, allowsNotifications: Bool?)
    /// Remove the device's push token, which is another user's now.
    ///
    /// It is taken from the user, or from an unknown one who was to be merged into them.
    case disable(token: String, of: String? = nil)
    /// Change the address.
    case changeEmail(String)
}

extension IterableTask {
    /// True if it needs a token of its user.
    ///
    /// One who is only being made, or of whom the app is told, has none yet; one who loses a push token may have left.
    var needsToken: Bool {
        switch self {
        case .create, .announce, .disable: false
        case .awaitToken, .merge, .consent, .register, .changeEmail: true
        }
    }
}

/// A push token of the device of an installation.
struct IterablePushToken: Sendable, Hashable {
    /// The token, in hexadecimal.
    let token: String
    /// The push service.
    let platform: String
}
