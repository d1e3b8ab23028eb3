// SPDX-License-Identifier: Apache-2.0

/// How a run ended.
struct InfobipReport: Sendable {
    let seed: UInt64
    let steps: [InfobipStep]
    /// The way it took, as one number.
    let trace: UInt64
    /// What must not be; empty when all is well.
    let violations: [String]
    /// What it came to, and how often.
    let reached: [String: Int]
    /// What happened.
    var story: [String]

    /// What a person needs to see it again.
    var complaint: String {
        """
        \(self.violations.prefix(5).joined(separator: "; "))
        SIGNET_SEED=\(self.seed) swift test --filter InfobipSimulationTests
        """
    }

    /// The same for who has nothing to complain of.
    var withoutStory: InfobipReport {
        var report = self
        report.story = []
        return report
    }
}
