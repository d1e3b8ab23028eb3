// SPDX-License-Identifier: Apache-2.0

extension RuntimeContext {
    /// Counts removed installations.
    func removed(_ count: Int) {
        self.statistics.record { $0.installationsRemoved += count }
    }
}
