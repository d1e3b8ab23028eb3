// SPDX-License-Identifier: Apache-2.0

/// A ratio to a floor that a change must not make much worse.
struct Ratio: Sendable, Hashable {
    /// The direction in which a ratio gets worse.
    enum Worse: String, Sendable {
        /// Of time and processor time.
        case higher
        /// Of throughput.
        case lower
    }

    /// The share by which a ratio may be worse than the table: other machines and other days have other floors.
    static let tolerance = 0.25

    let scenario: String
    let series: String
    let figure: String
    let worse: Worse

    /// The last value that is not a regression.
    ///
    /// - Parameter known: The value of the table.
    /// - Returns: The value that is worse by ``tolerance``.
    func limit(for known: Double) -> Double {
        switch self.worse {
        case .higher: known * (1 + Self.tolerance)
        case .lower: known * (1 - Self.tolerance)
        }
    }

    /// Compares a measured value with the table.
    ///
    /// - Parameters:
    ///   - measured: The value of now.
    ///   - known: The value of the table.
    /// - Returns: True when it is worse by more than ``tolerance``.
    func isRegression(_ measured: Double, from known: Double) -> Bool {
        switch self.worse {
        case .higher: measured > self.limit(for: known)
        case .lower: measured < self.limit(for: known)
        }
    }

    /// Compares a measured value with the table, by a factor.
    ///
    /// - Parameters:
    ///   - measured: The value of now.
    ///   - known: The value of the table.
    ///   - factor: Above 1.
    /// - Returns: True when it is more than `known * factor`, or less than `known / factor` of throughput.
    func isWorse(_ measured: Double, than known: Double, byMoreThan factor: Double) -> Bool {
        switch self.worse {
        case .higher: measured > known * factor
        case .lower: measured < known / factor
        }
    }

    /// The name for a reader.
    var name: String {
        "\(self.scenario), \(self.series): \(self.figure)"
    }
}
