// SPDX-License-Identifier: Apache-2.0

/// An HTTP client that sends one request and returns one response.
///
/// Conform to it to bring your own HTTP client. A transport sends each request once: it follows no redirects, does not
/// retry, and keeps no cookies and no cache. It returns promptly, with `cancelled`, when its task is cancelled. It
/// stops reading a response at ``TransportRequest/responseLimit``. Any status is a response, not an error. Many tasks
/// call it at once.
public protocol Transport: Sendable {
    /// Sends one request and waits for the whole response.
    ///
    /// - Parameter request: The request, with all headers.
    /// - Returns: The response, with any status.
    /// - Throws: ``TransportError`` when there is no response.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}
