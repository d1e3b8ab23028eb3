// SPDX-License-Identifier: Apache-2.0

/// The limits on requests; the defaults are the documented ones where there are any.
public struct EmulatorLimits: Sendable, Hashable {
    /// The maximum size of a request to the events interface, in bytes: 256 KB (default service limits).
    public var eventsRequestBytes = 256 * 1024
    /// The maximum size of one batch, in bytes: 128 KB (default service limits).
    public var batchBytes = 128 * 1024
    /// The maximum number of batches in one bulk request: 100 (developers, server, HTTP).
    public var batchesPerRequest = 100
    /// The maximum size of an identity or alias request, in bytes; the platform publishes no number.
    public var identityRequestBytes = 128 * 1024
    /// The maximum size of a request to Iterable's API, in bytes; the service publishes no number.
    public var iterableRequestBytes = 1024 * 1024
    /// The maximum size of a request to Infobip's API, in bytes; the service publishes no number.
    public var infobipRequestBytes = 1024 * 1024
    /// The maximum nesting depth of a JSON body; the platform publishes no number.
    public var jsonDepth = 32
    /// The maximum run of combining marks in a text, a name or a header field; beyond it the answer is 400.
    ///
    /// This limit is the emulator's own: the time to compare texts grows with the square of the run. Languages need a few.
    public var combiningMarks = 256

    /// The documented limits.
    public init() {}
}
