// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Which seeds to try.
///
/// The environment says one with `SIGNET_SEED`, or how many with `SIGNET_SEEDS`, and where to begin with
/// `SIGNET_FIRST_SEED`. Without, the same ones each time: a stranger's first `swift test` is no hunt for rare worlds, which
/// `.ci/long` is.
enum SimulationSeeds {
    /// The one to look at.
    static let given = Self.number("SIGNET_SEED")

    /// The seeds in some parts that can be tried side by side.
    ///
    /// - Parameters:
    ///   - count: How many parts.
    ///   - quick: How many seeds in a quick run, unless the environment says it.
    ///   - full: How many at full scale.
    /// - Returns: The parts.
    static func parts(_ count: Int, quick: Int = 10, full: Int = 20_000) -> [[UInt64]] {
        if let given = Self.given { return [[given]] }
        let first = Self.number("SIGNET_FIRST_SEED") ?? 1
        let seeds = Self.number("SIGNET_SEEDS") ?? UInt64(TestScale.count(quick: quick, full: full))
        print("Simulation: SIGNET_SEED=\(first) and the \(seeds - 1) after it")
        return (0..<UInt64(count)).map { part in
            (0..<seeds).filter { $0 % UInt64(count) == part }.map { first + $0 }
        }
    }

    /// The seeds of a test whose worlds are long, so that `SIGNET_SEEDS` does not say how many.
    static func few(quick: Int, full: Int) -> [UInt64] {
        if let given = Self.given { return [given] }
        let first = Self.number("SIGNET_FIRST_SEED") ?? 1
        return (0..<UInt64(TestScale.count(quick: quick, full: full))).map { first + $0 }
    }

    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
