//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// Sees each request that reaches the platform, in the order in which it hands them on.
///
/// Requests that faults keeps from arriving, or answers in the platform's place, do not come here.
package protocol RequestInterceptor: Sendable {
    /// Answers a request, by asking the platform.
    ///
    /// - Parameters:
    ///   - request: What came.
    ///   - emulator: Which platform it came to.
    ///   - platform: Does what the request asks, at once, and says what the platform answers.
    /// - Returns: What the client is told.
    func answer(
        _ request: TransportRequest,
        of emulator: Emulator,
        by platform: (TransportRequest) -> TransportResponse
    ) -> TransportResponse
}
