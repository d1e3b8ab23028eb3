// SPDX-License-Identifier: Apache-2.0

import Signet

/// What the parent and the child of `crash` have agreed on.
enum CrashPlan {
    static let tasks = 64
    static let threads = 8
    /// Producers of one process.
    static let producers = Self.tasks + Self.threads
    /// How many processes can be killed on one directory, one after the other.
    static let generations = 3
    static let installations = 16

    static func configuration(_ directory: String, _ delivery: Delivery) -> SignetConfiguration {
        var configuration = Crowd.configuration(directory)
        delivery.apply(to: &configuration)
        return configuration
    }

    /// Opens all installations; those without a user ask for one.
    static func open(_ runtime: SignetRuntime) async throws -> [Installation] {
        var installations: [Installation] = []
        for number in 0..<Self.installations {
            installations.append(try await runtime.open(Crowd.id(number), identify: .ifUnknown))
        }
        return installations
    }
}
