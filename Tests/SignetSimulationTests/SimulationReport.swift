// SPDX-License-Identifier: Apache-2.0

/// How a run ended.
struct SimulationReport: Sendable {
    let seed: UInt64
    let steps: [Step]
    /// The way it took, as one number.
    let trace: UInt64
    /// What must not be; empty when all is well.
    let violations: [String]
    /// What it came to, and how often.
    let reached: [String: Int]
    /// All that was written down on the way, to see where two runs part.
    let notes: [SeededExecutor.Note]
    /// What happened.
    let story: [String]

    /// What a person needs to see it again.
    var complaint: String {
        """
        \(self.violations.prefix(5).joined(separator: "; "))
        SIGNET_SEED=\(self.seed) swift test --filter SimulationTests
        """
    }
}
