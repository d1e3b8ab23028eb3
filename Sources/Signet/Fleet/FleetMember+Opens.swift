// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

// The calls of opens, of which the store is asked only as many as it can answer in time.
extension FleetMember {
    /// Reads one row, together with those of other callers.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - purpose: The use of the row. An open that gets an answer calls ``leaveOpen()`` at its end.
    /// - Returns: The row; nil if there is none.
    /// - Throws: ``SignetError``; `storeBusy` if it would not be answered in time.
    nonisolated(nonsending) func read(
        _ key: UUID,
        for purpose: RowReader.Purpose
    ) async throws(SignetError) -> Answer<SharedInstallation?> {
        try await self.reader.row(key, for: purpose) { keys throws(SignetError) in try await self.read(keys) }
    }

    /// True if an open goes on without the store after an error.
    ///
    /// The store is away for a time, and events may be logged without it.
    func opensWithoutStore(after error: SignetError) -> Bool {
        self.whenUnreachable == .logOnly && error.isOutageOfStore
    }

    /// Gives back the place of an open.
    func leaveOpen() {
        self.reader.leaveOpen()
    }

    /// Carries out a call on the store that may follow the reading of an open.
    ///
    /// - Parameters:
    ///   - began: The uptime at which the open was called; nil for calls that are no open, which are not limited.
    ///   - body: The call.
    /// - Returns: Its value.
    /// - Throws: Its error; `storeBusy` if it would not be answered in time.
    nonisolated(nonsending) func change<Value>(
        ofOpenSince began: Duration?,
        _ body: nonisolated(nonsending) () async throws(SignetError) -> Value
    ) async throws(SignetError) -> Value {
        guard let began else { return try await body() }
        return try await self.reader.change(ofOpenSince: began, body)
    }
}
