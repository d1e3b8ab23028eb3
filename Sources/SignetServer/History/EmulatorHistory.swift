// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
public import SignetEmulator
import SignetJournal
import SignetLock
import SignetTransport
import Synchronization

import struct FoundationEssentials.Date
import class FoundationEssentials.FileManager

/// An emulator whose state survives restarts: a journal records its requests and replays them.
///
/// The platform depends only on requests and their times: the same requests at the same times create the same users with the
/// same MPIDs. Requests with refused credentials or unknown paths are not recorded, and count in
/// `Emulator.requestCounts()` only until a restart. Basic credentials and signatures are never recorded.
///
/// The folder grows with each request, also with `EmulatorConfiguration.keptEvents`: to begin anew, remove it.
public final class EmulatorHistory: Sendable {
    /// The emulator with the restored state.
    public let emulator: Emulator
    /// The number of replayed requests.
    public let restoredRequests: Int

    private let writer: HistoryWriter

    /// Opens or creates a folder.
    ///
    /// - Parameters:
    ///   - directory: The folder, which is created if it does not exist. No other process may use it at the same time.
    ///   - configuration: The workspace, which must match that of an existing folder. `EmulatorConfiguration.mpids` applies
    ///     only to a new folder; an existing one continues its own sequence.
    ///   - onFailure: Called once when the disk fails; from then on every request is refused (507).
    /// - Throws: ``EmulatorServerError``: `invalidHistory` for a damaged folder or that of another workspace,
    ///   `storage` when the folder cannot be read or written.
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

    // The journal continues without damaged parts, and keeps a copy of them. The history must not: a replay without them
    // would lead to a different platform.
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
                "The folder is damaged (\(damaged.joined(separator: ", "))), so later requests cannot be replayed. Use "
                    + "another folder."
            )
        }
    }

    /// Changes the criteria of a project permanently.
    func setCriteria(_ document: String, of project: EmulatedIterable) throws(EmulatorServerError) {
        try self.writer.record(.criteria(document, project: project.apiKey)) { project.setCriteria(document) }
    }

    /// True after the disk failed; from then on every request is refused.
    public var isBroken: Bool {
        self.writer.isBroken
    }

    /// Closes the folder; later requests are not recorded.
    public func close() {
        self.writer.close()
    }
}
#endif
