// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// How much a randomised or exhaustive test tries.
///
/// `swift test` is quick: it tries a sample. `.ci/run` sets `SIGNET_SCALE=full`, and each tries everything: the simulations in an
/// optimised build, the rest in the debug build.
package enum TestScale: Sendable {
    case quick
    case full

    /// What the environment asks for.
    package static let current: TestScale =
        getenv("SIGNET_SCALE").map { String(cString: $0) } == "full" ? .full : .quick

    /// A count, such as the number of rounds.
    package static func count(quick: Int, full: Int) -> Int {
        Self.current == .full ? full : quick
    }

    /// The steps of a test that is killed or refused at each of them: every one at full scale, else every `stride`-th.
    ///
    /// The first and the last step are always among them. The quick steps begin at `offset`, so that two tests of one script
    /// try different ones.
    package static func steps(_ count: Int, every stride: Int, from offset: Int = 0) -> [Int] {
        guard Self.current == .quick, count > 2 else { return Array(0..<count) }
        let sample = Swift.stride(from: 1 + offset % stride, to: count - 1, by: stride)
        return [0] + sample + [count - 1]
    }
}
