// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES && SIGNET_URL_SESSION
import Signet
import SignetLock
import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Passes requests on, and stops the whole process at a point if it is told to.
final class StoppingTransport: Transport {
    private let base: any Transport
    private let armed = Locked<(stop: MemberStop, path: String)?>(nil)

    init(_ base: any Transport) {
        self.base = base
    }

    /// Stops once, at the next request whose path ends so.
    func stop(at stop: MemberStop, path: String) {
        self.armed.withLock { $0 = (stop, path) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let stop = self.armed.withLock { armed -> MemberStop? in
            guard let found = armed, request.url.hasSuffix(found.path) else { return nil }
            armed = nil
            return found.stop
        }
        // The signal is this thread's own: it does not go on before somebody continues the process.
        if stop == .beforeSend { raise(SIGSTOP) }
        let response = try await self.base.send(request)
        if stop == .afterAnswer { raise(SIGSTOP) }
        return response
    }
}
#endif
