// SPDX-License-Identifier: Apache-2.0

/// The behavior of an identity call while another one of the same installation is in progress.
public enum ConflictPolicy: Sendable, Hashable {
    /// Throws `requestInProgress` at once and sends nothing.
    ///
    /// Signet's own requests (the one at the start, a changed push token) never cause that error. The first call of the
    /// app waits for a try that is in flight, and takes the slot between two tries. An identify at the start continues
    /// after it, unless the call has identified the user.
    case refuse
    /// Waits for its turn in order of arrival, at most this long; then throws `requestInProgress`.
    case wait(upTo: Duration)
}
