// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

/// An interceptor of all requests that reach the platform; it determines their order.
///
/// Requests that faults keep from arriving, or answer in the platform's place, are not passed to it.
package protocol RequestInterceptor: Sendable {
    /// Answers a request by passing it to the platform.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - emulator: The platform that received it.
    ///   - platform: Carries out the request at once and returns the platform's answer.
    /// - Returns: The answer to the client.
    func answer(
        _ request: TransportRequest,
        of emulator: Emulator,
        by platform: (TransportRequest) -> TransportResponse
    ) -> TransportResponse
}
