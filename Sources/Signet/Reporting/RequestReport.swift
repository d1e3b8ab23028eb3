// SPDX-License-Identifier: Apache-2.0

/// A report about one request, for an observer.
public struct RequestReport: Sendable {
    /// The endpoint, such as `login` or `events`.
    public let endpoint: String
    /// The status of the answer; nil when there was none.
    public let status: Int?
    /// The failure's code; nil if the request succeeded.
    public let failure: SignetError.Code?
    /// The time from sending to the end of the answer.
    public let duration: Duration
}
