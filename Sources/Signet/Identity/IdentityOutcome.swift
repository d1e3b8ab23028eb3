// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

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
