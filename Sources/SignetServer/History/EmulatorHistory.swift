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
import class FoundationEssentials.FileManager

/// An emulator whose state survives restarts: each request that reached it is in a journal, and is told to it again.
///
/// The platform decides by what it is told and when, and by nothing else; therefore the same requests at the same times make
/// the same users with the same numbers. What was refused for its credentials, or is on no path, is not kept, and counts in
/// ``Emulator/requestCounts()`` until a restart only; Basic credentials and signatures are never kept.
///
/// With ``EmulatorConfiguration/keptEvents``, requests whose events are forgotten go: at the start, and when they are as much
/// as what is needed. What they said of users stays.
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
    ///   - configuration: The workspace; that of a folder that was begun must be the same. The numbers of users
    ///     (``EmulatorConfiguration/mpids``) are for a new folder; in another one they go on.
    ///   - onFailure: Is told once that the disk has failed; from then on every request is refused (507).
    /// - Throws: ``EmulatorServerError``: `invalidHistory` for the folder of another workspace or one that is damaged,
    ///   `storage`.
    public init(
        directory: String,
        configuration: EmulatorConfiguration,
        onFailure: @escaping @Sendable (EmulatorServerError) -> Void = { _ in }
    ) throws(EmulatorServerError) {
        var configuration = configuration
        let writer: HistoryWriter
        do throws(StorageError) {
            let journal = try Journal(directory: directory)
            configuration.mpids = try HistoryWorkspace.numbers(of: journal) ?? configuration.mpids
            writer = HistoryWriter(
                journal,
                workspace: HistoryWorkspace.json(of: configuration),
                configuration: configuration,
                onFailure: onFailure
            )
        } catch {
            throw EmulatorServerError(.storage, error.description)
        }
        self.writer = writer
        self.emulator = Emulator(
            configuration,
            wallClock: { Date(milliseconds: writer.time) },
            witness: writer
        )
        self.restoredRequests = try writer.tell(self.emulator) { () throws(EmulatorServerError) in
            try Self.checkWhole(directory)
        }
    }

    // The journal goes on without what is damaged, and keeps a copy of it. Here the rest would be told to another platform
    // than the one that it happened to.
    private static func checkWhole(_ directory: String) throws(EmulatorServerError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw EmulatorServerError(.storage, "\(directory): \(error)")
        }
        let damaged = names.filter { $0.hasSuffix(".damaged") || $0.hasSuffix(".aside") }.sorted()
        guard damaged.isEmpty else {
            throw EmulatorServerError(
                .invalidHistory,
                "The folder is damaged (\(damaged.joined(separator: ", "))): what came later cannot be told as it was. Name "
                    + "another folder."
            )
        }
    }

    /// Changes the criteria of a project, for good.
    func setCriteria(_ document: String, of project: EmulatedIterable) throws(EmulatorServerError) {
        try self.writer.record(.criteria(document, project: project.apiKey)) { project.setCriteria(document) }
    }

    /// Whether the disk failed: from then on nothing is taken any more.
    public var isBroken: Bool {
        self.writer.isBroken
    }

    /// Closes the folder; what comes later is not kept.
    public func close() {
        self.writer.close()
    }
}
#endif
