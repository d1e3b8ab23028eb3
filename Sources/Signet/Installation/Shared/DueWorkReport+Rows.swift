// SPDX-License-Identifier: Apache-2.0

extension DueWorkReport.Entry {
    /// Finds the facts of users that the platform lacks, by the row of their installation; nil if it has them all.
    package init?(factsIn row: SharedInstallation) {
        do throws(SignetError) {
            guard try SharedState(decoding: row.state).identity.owesFacts else { return nil }
            self.init(.facts, of: row.id)
        } catch {
            self.init(.facts, of: row.id, allowed: .unreadable)
        }
    }
}
