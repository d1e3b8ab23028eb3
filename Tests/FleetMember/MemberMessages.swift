// SPDX-License-Identifier: Apache-2.0

/// The settings of a member: its only argument, as JSON.
package struct MemberConfiguration: Codable, Sendable {
    package enum WhenUnreachable: String, Codable, Sendable {
        case fail, logOnly
    }

    package var directory: String
    /// The base URL of the platform.
    package var platform: String
    /// The URL of the shared store; nil for a member of its own.
    package var store: String?
    package var whenUnreachable = WhenUnreachable.fail
    /// In seconds, like all of these.
    package var uploadInterval = 1
    package var sessionTimeout = 600
    package var requestTimeout = 10

    package init(directory: String, platform: String, store: String? = nil) {
        (self.directory, self.platform, self.store) = (directory, platform, store)
    }
}

/// A point at which a member stops itself with `SIGSTOP`, once.
package enum MemberStop: String, Codable, Sendable {
    /// The runtime has given the request to the transport; no byte is sent.
    case beforeSend
    /// The platform has answered; the runtime does not know yet.
    case afterAnswer
}

/// A command: one line of JSON on a member's input.
package struct MemberRequest: Codable, Sendable {
    /// The answer repeats it.
    package var number: Int
    package var command: MemberCommand

    package init(_ number: Int, _ command: MemberCommand) {
        (self.number, self.command) = (number, command)
    }
}

package enum MemberCommand: Codable, Sendable {
    /// Opens a handle; later commands of that installation use it.
    case open(String, identifies: Bool)
    /// Logs custom events `NAME-0`, `NAME-1` and so on.
    case log(String, count: Int, name: String)
    case identify(String)
    case login(String, customer: String)
    case logout(String)
    case setAttribute(String, name: String, value: String)
    case setConsent(String, Bool)
    case setOptedOut(String, Bool)
    /// Erases a user.
    case erase(Int64)
    case endSession(String)
    /// Removes the installation; its handle is closed then.
    case remove(String)
    case refresh(String)
    case state(String)
    case upload
    /// Sets the wall clock of the process so many seconds ahead of the machine's.
    case setClock(ahead: Int64)
    /// Stops at the next request whose path ends so.
    case stop(at: MemberStop, path: String)
    case shutdown
}

/// An answer: one line of JSON on a member's output.
package struct MemberAnswer: Codable, Sendable {
    package struct State: Codable, Sendable, Equatable {
        package var mpid: Int64?
        package var isLoggedIn = false
        package var session: String?
        package var stamp: String
        package var isOptedOut: Bool
        package var attributes: [String: String] = [:]
        /// The consent to "Ads"; nil if none is known.
        package var consent: Bool?
    }

    /// Nil in the first line, which says that the runtime runs.
    package var number: Int?
    /// The code of the ``SignetError``; nil for success.
    package var error: String?
    package var message: String?
    /// The installation after the command, whether it succeeded or not.
    package var state: State?
    /// The number of events that were logged.
    package var logged: Int?
    /// The reasons of the health after the command; empty if it is ready.
    package var health: [String] = []

    package init(_ number: Int?) {
        self.number = number
    }
}
