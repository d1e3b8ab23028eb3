//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The way to the platform: a request goes out, an answer comes back.
///
/// Write one to bring your own HTTP client. A transport sends each request once: it does not follow redirects, does not
/// retry, keeps no cookies and no cache. It returns promptly, with `cancelled`, when its task is cancelled. It stops
/// reading an answer at ``TransportRequest/responseLimit``. Any status is an answer, not an error. It is called from many
/// tasks at once.
public protocol Transport: Sendable {
    /// Sends one request and waits for the whole answer.
    ///
    /// - Parameter request: What to send, headers complete.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``TransportError`` when there is no answer.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}
