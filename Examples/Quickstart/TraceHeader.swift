//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTransport

/// The first line of a trace: the workspace.
struct TraceHeader: Equatable {
    /// The wall clock of `at` 0, in milliseconds since 1970.
    let start: Int64
    let environment: WorkspaceEnvironment
    let strategy: IdentityStrategy
    let priority: [IdentityType]
    let unique: Set<IdentityType>
    let login: Set<IdentityType>
    let sessionTimeout: Duration

    /// Reads the line.
    init(_ line: TraceFields) throws {
        guard try line.integer("trace") == 1 else { throw line.wrong("this is trace format 1 only") }
        self.start = try line.integer("start", in: 0...253_402_300_799_999)
        let environment = try line.optionalText("environment") ?? "production"
        guard let known = WorkspaceEnvironment(rawValue: environment) else {
            throw line.wrong("\"environment\" is development or production")
        }
        self.environment = known
        self.strategy = try Self.strategy(line)
        self.priority = try line.texts("identityPriority").map { IdentityType(wireName: $0) }
        self.unique = Set(try line.texts("uniqueIdentities").map { IdentityType(wireName: $0) })
        self.login = Set(try line.texts("loginIdentities").map { IdentityType(wireName: $0) })
        self.sessionTimeout = .seconds(try line.integer("sessionTimeout", in: 1...31_536_000))
    }

    private static func strategy(_ line: TraceFields) throws -> IdentityStrategy {
        let name = try line.text("strategy")
        guard let strategy = IdentityStrategy(traceName: name) else {
            throw line.wrong("\"strategy\" is one of default, conversion, link, isolation, best")
        }
        return strategy
    }
}

extension IdentityStrategy {
    fileprivate init?(traceName: String) {
        switch traceName {
        case "default": self = .default
        case "conversion": self = .conversion
        case "link": self = .link
        case "isolation": self = .isolation
        case "best": self = .bestMatch
        default: return nil
        }
    }
}
