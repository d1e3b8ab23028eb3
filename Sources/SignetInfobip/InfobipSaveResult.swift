// SPDX-License-Identifier: Apache-2.0

import Signet

/// The result of a call that outlives its caller.
public enum InfobipSaveResult: Sendable, Hashable {
    /// The service has done it, or had it already when it last told of it.
    ///
    /// A change without effect is not sent, and others may have changed the value since that reading. Before a change
    /// that must hold against theirs, fetch.
    case done
    /// It is kept and retried.
    ///
    /// Retries happen after a registration, at every start, when the network returns, and after growing pauses.
    case pending
}
