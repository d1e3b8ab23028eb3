// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The identify that the runtime owes to the events of an installation without a user.
///
/// It is kept with the installation, so that it is sent after a failure or a restart, whether the visitor returns or not.
enum PendingIdentify: Sendable, Hashable {
    /// With the device application stamp and the known device identities.
    case asKnown
    /// With the identities that the app gave at `open`, until the first user is known.
    indirect case request(IdentityRequest)

    /// Takes it from a record.
    init(_ stored: StoredIdentify) {
        switch stored {
        case .asKnown: self = .asKnown
        case .identities(let values, _):
            let identities = values.map { (IdentityType(wireName: $0.key), $0.value) }
            self = .request(IdentityRequest(values: Dictionary(identities) { $1 }))
        }
    }

    /// Makes the value that records keep.
    ///
    /// - Parameter milliseconds: The moment since 1970; zero where the record itself has the users.
    /// - Returns: The value, with the identities to set.
    func stored(at milliseconds: Int64 = 0) -> StoredIdentify {
        switch self {
        case .asKnown: .asKnown
        case .request(let request):
            .identities(Dictionary(request.values.map { ($0.key.wireName, $0.value) }) { $1 }, since: milliseconds)
        }
    }

    /// The call; it does nothing if there is a user by then.
    var call: IdentityCall {
        switch self {
        case .asKnown: .startIfUnknown(nil)
        case .request(let request): .startIfUnknown(request)
        }
    }
}
