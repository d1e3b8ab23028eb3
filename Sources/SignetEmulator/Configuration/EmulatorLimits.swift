//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The bounds of what a request may hold; the defaults are the documented ones where there are any.
public struct EmulatorLimits: Sendable, Hashable {
    /// The most bytes of a request to the events interface: 256 KB (default service limits).
    public var eventsRequestBytes = 256 * 1024
    /// The most bytes of one batch: 128 KB (default service limits).
    public var batchBytes = 128 * 1024
    /// The most batches of one bulk request: 100 (developers, server, HTTP).
    public var batchesPerRequest = 100
    /// The most bytes of an identity or alias request; the platform publishes no number.
    public var identityRequestBytes = 128 * 1024
    /// The most bytes of a request to Iterable's API; the service publishes no number.
    public var iterableRequestBytes = 1024 * 1024
    /// The most bytes of a request to Infobip's API; the service publishes no number.
    public var infobipRequestBytes = 1024 * 1024
    /// How deep a JSON body may nest; the platform publishes no number.
    public var jsonDepth = 32
    /// How many combining marks may stand in a row in a text, a name or a header field; beyond it the answer is 400.
    ///
    /// Our own bound: comparing a text takes time that grows with the square of such a row. Languages need a few.
    public var combiningMarks = 256

    /// The documented limits.
    public init() {}
}
