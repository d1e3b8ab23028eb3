//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
public import SignetEmulator
import SignetJournal
import SignetLock
import SignetTransport
import Synchronization

import struct FoundationEssentials.Date

/// An emulator whose state survives restarts: each request that reached it is in a journal, and is told to it again.
///
/// The platform decides by what it is told and when, and by nothing else; therefore the same requests at the same times make
/// the same users with the same numbers. What was refused for its credentials is not kept, and Basic credentials and
/// signatures never are.
public final class EmulatorHistory: Sendable {
    /// What goes on from there.
    public let emulator: Emulator
    /// How many requests were told again.
    public let restoredRequests: Int

    private let writer: HistoryWriter

    /// Opens a folder, or begins one.
    ///
    /// - Parameters:
    ///   - directory: The folder; it is made if need be. Nobody else may use it meanwhile.
    ///   - configuration: The workspace; that of a folder that was begun must be the same.
    /// - Throws: ``EmulatorServerError``: `invalidHistory` for the folder of another workspace, `storage`.
    public init(directory: String, configuration: EmulatorConfiguration) throws(EmulatorServerError) {
        let writer: HistoryWriter
        do throws(StorageError) {
            writer = HistoryWriter(try Journal(directory: directory), configuration: configuration)
        } catch {
            throw EmulatorServerError(.storage, error.description)
        }
        self.writer = writer
        self.emulator = Emulator(
            configuration,
            wallClock: { Date(milliseconds: writer.time) },
            witness: writer
        )
        self.restoredRequests = try writer.tell(self.emulator)
    }

    /// Changes the criteria of a project, for good.
    func setCriteria(_ document: String, of project: EmulatedVisitors) throws(EmulatorServerError) {
        try self.writer.record(.criteria(document, project: project.apiKey)) { project.setCriteria(document) }
    }

    /// Whether the disk failed: from then on nothing is kept any more.
    public var isBroken: Bool {
        self.writer.isBroken
    }

    /// Closes the folder; what comes later is not kept.
    public func close() {
        self.writer.close()
    }
}
#endif
