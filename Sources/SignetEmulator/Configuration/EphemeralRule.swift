// SPDX-License-Identifier: Apache-2.0

/// The rule for `is_ephemeral`, which allows a client to delete the user's local data at the next switch.
///
/// The platform does not document its rule; all recorded answers contain false.
public enum EphemeralRule: Sendable, Hashable, CaseIterable {
    /// False in every answer, as recorded.
    case never
    /// True for users without a login identity.
    case anonymousUsers
    /// True in every answer.
    case always

    func isEphemeral(isKnown: Bool) -> Bool {
        switch self {
        case .never: false
        case .anonymousUsers: !isKnown
        case .always: true
        }
    }
}
