// SPDX-License-Identifier: Apache-2.0

extension InstallationCore {
    /// Delivers what waits, and removes the row of the installation.
    nonisolated(nonsending) func removeShared(until deadline: Duration) async throws(SignetError) {
        throw .notShared("remove()")
    }
}
