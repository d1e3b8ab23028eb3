//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetTransport
import SignetWire

/// Knows where Infobip of the application is, for all installations, and remembers what the service has named.
final class InfobipEndpointResolver: Sendable {
    private struct State {
        var server: InfobipServer
        /// When the service was last asked for its address, in milliseconds since 1970.
        var askedAt: Int64?
    }

    /// How long what the service says of its address holds.
    private static let lifetime: Int64 = 86_400_000

    private let state: Locked<State>
    private let store: StateStore
    private let key: [UInt8]
    private let onFailure: @Sendable (String) -> Void

    init(
        _ server: InfobipServer,
        application: String,
        store: StateStore,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.key = StateKey.infobipServer(application)
        self.onFailure = onFailure
        var state = State(server: server)
        do throws(SignetError) {
            let text = try store.value(for: self.key).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
            state.askedAt = parts.first.flatMap { Int64($0) }
            if parts.count == 2, let named = server.redirected(to: String(parts[1])) { state.server = named }
        } catch {
            onFailure("The address of Infobip is damaged: \(error.message)")
        }
        self.state = Locked(state)
    }

    /// Where it is now.
    var server: InfobipServer {
        self.state.withLock { $0.server }
    }

    /// Takes a new address from the headers of an answer.
    ///
    /// - Returns: Whether it moved.
    func redirect(by headers: HTTPHeaders) -> Bool {
        self.move { $0.redirected(by: headers) }
    }

    /// The named host cannot be reached: back to the configured one.
    ///
    /// Transports do not say whether a host was not found or a connection failed otherwise, so it is for both: the configured
    /// one names the other again with its next answer.
    func reset() {
        _ = self.move { $0.announcedURL == nil ? nil : $0.reset }
    }

    /// Whether the service is to be asked for its address; whoever is told so asks.
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

    /// The service has said where it is; nil for nothing.
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

    /// What the disk does not take is found out again.
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
