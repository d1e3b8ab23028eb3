// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetEmulator

/// A day of traffic: the actions of an app's visitors, in order of time.
package struct Trace: Sendable {
    /// The name to show.
    package let file: String
    /// The workspace, from the first line.
    package let header: TraceHeader
    /// The actions of visitors, in order of time.
    package let lines: [TraceLine]
}

/// The first line of a trace: the workspace and its rules.
package struct TraceHeader: Sendable {
    /// The latest moment that a trace may contain, in milliseconds since 1970: the end of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999

    /// The wall clock at `at` 0, in milliseconds since 1970.
    package let start: Int64
    /// The data set of the workspace; production by default.
    package let environment: WorkspaceEnvironment
    /// The strategy by which the platform resolves users.
    package let strategy: IdentityStrategy
    /// The types by which a user is looked up, most important first.
    package let priority: [IdentityType]
    /// The types whose values belong to one user at most.
    package let uniqueIdentities: Set<IdentityType>
    /// The types that make a user a known one.
    package let loginIdentities: Set<IdentityType>
    /// The time after which a session in the background ends.
    package let sessionTimeout: Duration

    init(_ fields: TraceFields) throws(TraceFields.Fault) {
        guard fields.has("start") else {
            throw TraceFields.Fault(reason: "the first line must describe the workspace; \"start\" is missing")
        }
        if fields.has("trace") {
            _ = try fields.integer("trace", in: 1...1)
        }
        self.start = try fields.integer("start", in: 0...Self.latest)
        self.environment = try Self.environment(fields)
        self.strategy = try Self.strategy(fields)
        self.priority = try fields.identityTypes("identityPriority")
        self.uniqueIdentities = try Set(fields.identityTypes("uniqueIdentities"))
        self.loginIdentities = try Set(fields.identityTypes("loginIdentities"))
        self.sessionTimeout = .seconds(try fields.integer("sessionTimeout", in: 1...86_400))
    }

    private static func environment(_ fields: TraceFields) throws(TraceFields.Fault) -> WorkspaceEnvironment {
        guard fields.has("environment") else { return .production }
        guard let environment = WorkspaceEnvironment(rawValue: try fields.string("environment")) else {
            throw TraceFields.Fault(reason: "\"environment\" must be production or development")
        }
        return environment
    }

    private static func strategy(_ fields: TraceFields) throws(TraceFields.Fault) -> IdentityStrategy {
        switch try fields.string("strategy") {
        case "default": return .default
        case "conversion": return .conversion
        case "link": return .link
        case "isolation": return .isolation
        case "best": return .bestMatch
        default:
            throw TraceFields.Fault(reason: "\"strategy\" must be default, conversion, link, isolation or best")
        }
    }
}

/// The reason for which a trace cannot be replayed, in the form that editors can jump to: `file:line: reason`.
package struct TraceError: Error, Hashable, CustomStringConvertible {
    /// The file.
    package let file: String
    /// The line number, from 1; nil when the error concerns the whole file.
    package let line: Int?
    /// The description of the error.
    package let reason: String

    /// Makes an error.
    package init(file: String, line: Int?, reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    /// The place and the reason.
    package var description: String {
        if let line = self.line { "\(self.file):\(line): \(self.reason)" } else { "\(self.file): \(self.reason)" }
    }
}
