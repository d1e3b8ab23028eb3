// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetTransport
import SignetWire

/// Resolves the address of Infobip for all installations, and persists the one that the service has named.
final class InfobipEndpointResolver: Sendable {
    private struct State {
        var server: InfobipServer
        /// The last time that the service was asked for its address, in milliseconds since 1970.
        var askedAt: Int64?
    }

    /// The time for which a named address is valid: one day, in milliseconds.
    private static let lifetime: Int64 = 86_400_000
    /// The time after which a failed look-up is repeated: ten minutes, in milliseconds.
    private static let retry: Int64 = 600_000

    private let state: Locked<State>
    private let store: StateStore
    private let key: [UInt8]
    private let onFailure: @Sendable (String) -> Void

    init(
        _ server: InfobipServer,
        key: [UInt8],
        store: StateStore,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.key = key
        self.onFailure = onFailure
        var state = State(server: server)
        do throws(SignetError) {
            let text = try store.value(for: self.key).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
            state.askedAt = parts.first.flatMap { Int64($0) }
            if parts.count == 2, let named = server.redirected(to: String(parts[1])) { state.server = named }
        } catch {
            onFailure("The stored address of Infobip is damaged: \(error.message)")
        }
        self.state = Locked(state)
    }

    /// The current address.
    var server: InfobipServer {
        self.state.withLock { $0.server }
    }

    /// Takes a new address from the headers of an answer.
    ///
    /// - Returns: True if the address has changed.
    func redirect(by headers: HTTPHeaders) -> Bool {
        self.move { $0.redirected(by: headers) }
    }

    /// Returns to the configured address when the named host cannot be reached.
    ///
    /// Transports do not distinguish an unknown host from another failed connection, so both count. The configured host
    /// names the other one again with its next answer.
    func reset() {
        guard self.move({ $0.announcedURL == nil ? nil : $0.reset }) else { return }
        // It may have been a moment without a network: the service is asked again soon, not a day later.
        self.state.withLock { $0.askedAt = nil }
        self.save()
    }

    /// True if the service is to be asked for its address; the caller then asks.
    func beginLookup(now: Int64) -> Bool {
        let isDue = self.state.withLock { state in
            guard state.server.looksUp, state.askedAt.map({ now - $0 >= Self.lifetime || now < $0 }) ?? true else {
                return false
            }
            state.askedAt = now
            return true
        }
        if isDue { self.save() }
        return isDue
    }

    /// The service has not answered; it is asked again after a while.
    func lookupFailed(now: Int64) {
        self.state.withLock { $0.askedAt = now - Self.lifetime + Self.retry }
        self.save()
    }

    /// Takes the address that the service has answered; nil if it named none.
    func lookedUp(_ text: String?) -> Bool {
        self.move { server in text.flatMap { server.redirected(to: $0) } }
    }

    private func move(_ change: (InfobipServer) -> InfobipServer?) -> Bool {
        let isMoved = self.state.withLock { state in
            guard let server = change(state.server) else { return false }
            state.server = server
            return true
        }
        if isMoved { self.save() }
        return isMoved
    }

    /// Persists the address; after a failed write it is looked up again.
    private func save() {
        let state = self.state.withLock { $0 }
        let text = (state.askedAt.map(String.init) ?? "") + "\n" + (state.server.announcedURL ?? "")
        do throws(SignetError) {
            try self.store.put(Array(text.utf8), for: self.key)
        } catch {
            self.onFailure("The address of Infobip could not be written: \(error.message)")
        }
    }
}
