// SPDX-License-Identifier: Apache-2.0

extension Installation {
    /// Reads the installation again from the shared store: what other replicas have changed.
    ///
    /// A handle shows what this process last read. A server that opens one per request needs no refresh; one that keeps a handle,
    /// such as for a WebSocket, calls it before it reads. Handles that log are renewed about once a second.
    ///
    /// Without a shared store it does nothing.
    ///
    /// - Throws: `storeUnreachable`, `storeBusy`, `storeFailed`, `newerFormat`, `closed`, `cancelled`.
    public nonisolated(nonsending) func refresh() async throws(SignetError) {
        try await self.core.refresh()
    }
}
