// SPDX-License-Identifier: Apache-2.0

public import SignetModel
import SignetWire

/// The result of identify, login or logout.
public struct IdentityResult: Sendable, Hashable {
    /// The current user after the call.
    public let user: User
    /// The user before the call; nil if the MPID is the same or there was no user.
    public let previousUser: User?
    /// The user before the call, if they were a guest: never logged in on this installation, and without an identity of
    /// a person.
    ///
    /// All user identities are of a person but `other` to `other10`, which may be the id of a browser. A customer whose
    /// identities were removed is still no guest.
    ///
    /// The app can transfer the guest's data to the new user (``Installation/alias(_:)``,
    /// ``Installation/copyAttributes(after:)``). Nil also if the guest became the customer and kept the MPID: then there is
    /// nothing to transfer.
    public let previousGuest: User?
    /// The identities of the request that the platform already knew of this user (`matched_identities`).
    public let matchedIdentities: [IdentityType: String]
    /// The services that follow this call, sorted by name; empty if all know the user already.
    ///
    /// `identitySyncOutcomes()` gives one outcome for each of them, unless the user is erased first. Outcomes of
    /// earlier calls may come before.
    public internal(set) var servicesFollowing: [IdentitySyncOutcome.Service]

    init(
        user: User,
        previousUser: User? = nil,
        previousGuest: User? = nil,
        matchedIdentities: [IdentityType: String] = [:],
        servicesFollowing: [IdentitySyncOutcome.Service] = []
    ) {
        self.user = user
        self.previousUser = previousUser
        self.previousGuest = previousGuest
        self.matchedIdentities = matchedIdentities
        self.servicesFollowing = servicesFollowing
    }
}

extension IdentityResult: CustomStringConvertible, CustomReflectable {
    /// The users and the matched identity types, without values.
    public var description: String {
        let matched = self.matchedIdentities.keys.sorted().map(\.wireName).joined(separator: ", ")
        return
            "IdentityResult(\(self.user), previous: \(self.previousUser?.mpid.description ?? "none"), matched: [\(matched)])"
    }

    /// A mirror with the description only.
    public var customMirror: Mirror {
        Mirror(self, children: ["result": self.description])
    }
}

/// The outcome of an identity call, before it is converted for its caller.
enum IdentityOutcome: Sendable {
    /// The user is current and stored.
    case resolved(IdentityResult)
    /// The identities are stored.
    case modified(ModifyResult)
    /// A search has ended.
    case searched(SearchResult)
    /// Nothing has changed.
    case failed(SignetError)

    /// The result for a caller of identify, login or logout.
    var identityResult: IdentityResult {
        get throws(SignetError) {
            switch self {
            case .resolved(let result): return result
            case .failed(let error): throw error
            case .modified, .searched: throw .mixedUp
            }
        }
    }

    /// The result for a caller of modify.
    var modifyResult: ModifyResult {
        get throws(SignetError) {
            switch self {
            case .modified(let result): return result
            case .failed(let error): throw error
            case .resolved, .searched: throw .mixedUp
            }
        }
    }

    /// The result for a caller of search.
    var searchResult: SearchResult {
        get throws(SignetError) {
            switch self {
            case .searched(let result): return result
            case .failed(let error): throw error
            case .resolved, .modified: throw .mixedUp
            }
        }
    }
}

/// The platform's answer, before the state machine has applied it.
enum IdentityAnswer: Sendable {
    /// To identify, login, logout.
    case user(IdentityReply)
    /// To modify.
    case modified(ModifyReply)
    /// To search.
    case found(SearchResult)
    /// No answer, or a refusal.
    case failed(SignetError)
}
