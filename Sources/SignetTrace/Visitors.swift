// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetIterable

import struct FoundationEssentials.UUID

/// The running apps, each on its installation.
package struct Visitors {
    private let runtime: SignetRuntime
    private let consents: Bool
    private var installations: [InstallationID: Installation] = [:]
    /// The counts of their actions so far.
    package private(set) var tally = VisitorTally()

    /// Makes the visitors of a day.
    ///
    /// - Parameters:
    ///   - runtime: The runtime of their installations.
    ///   - consents: True if each visitor consents to tracking at its first launch.
    package init(_ runtime: SignetRuntime, consents: Bool = false) {
        self.runtime = runtime
        self.consents = consents
    }

    /// Performs one line of a trace.
    ///
    /// A refusal by the platform, which its strategy may require, is counted, and the replay continues.
    ///
    /// - Throws: `SignetError` for any other failure.
    package mutating func perform(_ line: TraceLine) async throws(SignetError) {
        do throws(SignetError) {
            try await self.perform(line.action, on: line.installation)
        } catch {
            guard error.httpStatus != nil else { throw error }
            self.tally.refusals[error.code.description, default: 0] += 1
        }
    }

    private mutating func perform(_ action: TraceLine.Action, on id: InstallationID) async throws(SignetError) {
        if case .launch(let application) = action {
            let installation = try await self.runtime.open(
                id,
                context: application.map { InstallationContext(application: $0) },
                deviceApplicationStamp: Self.stamp(of: id)
            )
            self.installations[id] = installation
            self.tally.installations.insert(id)
            // Repeated at each launch, as apps do; later calls change nothing.
            if self.consents { try await installation.iterable.setTrackingConsent(true) }
            _ = try await installation.initialIdentifyResult()
            return
        }
        // The reader has checked that a launch came before.
        guard let installation = self.installations[id] else { return }
        switch action {
        case .launch:
            break
        case .log(let event):
            try installation.log(event)
            self.tally.logged[event.wireType, default: 0] += 1
        case .login(let request):
            _ = try await installation.login(request)
            self.tally.logins += 1
        case .logout:
            _ = try await installation.logout()
        case .modify(let request):
            _ = try await installation.modify(request)
        case .setAttribute(let key, let value):
            try await installation.setAttribute(.string(value), for: key)
        case .enterBackground:
            try installation.enterBackground()
        case .enterForeground:
            try installation.enterForeground()
        case .kill:
            self.installations[id] = nil
            self.runtime.evict(id)
        case .quit:
            self.installations[id] = nil
            installation.endLaunch()
        }
    }

    /// The same stamp for an installation in each replay (RFC 9562, version 8).
    private static func stamp(of id: InstallationID) -> UUID {
        var bytes = SHA256.hash(Array("quickstart \(id)".utf8))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }
}

extension Event {
    /// The `event_type` of the Events API.
    fileprivate var wireType: String {
        switch self.content {
        case .custom: "custom_event"
        case .screen: "screen_view"
        case .commerce: "commerce_event"
        default: "another"
        }
    }
}

/// The actions of the apps, counted on their side.
package struct VisitorTally: Sendable, Hashable {
    /// Events that `log` accepted, by `event_type` of the Events API.
    package var logged: [String: Int] = [:]
    /// The installations that ever launched the app.
    package var installations: Set<InstallationID> = []
    /// Successful logins.
    package var logins = 0
    /// Calls that were refused, by the code of the error.
    package var refusals: [String: Int] = [:]
}
