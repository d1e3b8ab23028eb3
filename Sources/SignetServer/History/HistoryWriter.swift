//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTransport
import Synchronization

/// Writes down what reaches the platform, in the order in which it does, and tells it again.
final class HistoryWriter: EmulatorWitness {
    private let journal: Journal
    private let workspace: JSONValue
    private let credentials: String
    // Held while the platform answers: the order of the journal is the order of what it did. The platform takes its own
    // locks meanwhile, and reads the time, which is no lock; it never asks back here.
    private let order = Locked(false)
    // The time of the request that is being answered, in milliseconds; 0 where there is none, which is the time of now.
    private let pinned = Atomic<Int64>(0)
    private let isTelling = Atomic<Bool>(true)
    private let hasFailed = Atomic<Bool>(false)

    init(_ journal: Journal, configuration: EmulatorConfiguration) {
        self.journal = journal
        self.workspace = Self.workspace(configuration)
        self.credentials = configuration.secret.withExposed {
            "Basic " + Base64.encode(Array("\(configuration.apiKey):\($0)".utf8))
        }
    }

    /// Milliseconds since 1970, as the platform sees it.
    var time: Int64 {
        let pinned = self.pinned.load(ordering: .sequentiallyConsistent)
        return pinned == 0 ? SystemTime.milliseconds() : pinned
    }

    var isBroken: Bool {
        self.hasFailed.load(ordering: .relaxed)
    }

    func answer(
        _ request: TransportRequest,
        by platform: (TransportRequest) -> TransportResponse
    ) -> TransportResponse {
        guard !self.isTelling.load(ordering: .acquiring) else { return platform(request) }
        return self.order.withLock { _ in
            let now = SystemTime.milliseconds()
            self.pinned.store(now, ordering: .sequentiallyConsistent)
            defer { self.pinned.store(0, ordering: .sequentiallyConsistent) }
            let response = platform(request)
            guard Self.mayMatter(response) else { return response }
            do throws(StorageError) {
                try self.append(.request(request), at: now)
            } catch {
                // It has happened, in memory; who asked must not believe that it will be remembered.
                self.hasFailed.store(true, ordering: .relaxed)
                return TransportResponse(status: 507)
            }
            return response
        }
    }

    /// Writes something down that is no request, and does it.
    func record(_ record: HistoryRecord, _ body: () -> Void) throws(EmulatorServerError) {
        do throws(StorageError) {
            try self.order.withLock { _ throws(StorageError) in
                try self.append(record, at: SystemTime.milliseconds())
                body()
            }
        } catch {
            throw EmulatorServerError(.storage, error.description)
        }
    }

    func close() {
        self.journal.close()
    }

    /// Tells the platform all that happened; from then on it is written down.
    ///
    /// - Returns: How many requests there were.
    func tell(_ emulator: Emulator) throws(EmulatorServerError) -> Int {
        defer {
            self.pinned.store(0, ordering: .sequentiallyConsistent)
            self.isTelling.store(false, ordering: .releasing)
        }
        var requests = 0
        var last: UInt64 = 0
        while case let frames = try self.frames(after: last), !frames.isEmpty {
            for frame in frames {
                guard let (time, record) = HistoryRecord.read(stamp: frame.stamp, payload: frame.payload) else {
                    throw EmulatorServerError(.invalidHistory, "The folder holds something else than a state.")
                }
                self.pinned.store(time, ordering: .sequentiallyConsistent)
                try self.tell(emulator, record, isFirst: last == 0)
                if case .request = record { requests += 1 }
                last = frame.sequence
            }
        }
        if last == 0 {
            try self.record(.workspace(self.workspace)) {}
        }
        return requests
    }

    private func tell(
        _ emulator: Emulator,
        _ record: HistoryRecord,
        isFirst: Bool
    ) throws(EmulatorServerError) {
        switch record {
        case .workspace(let workspace):
            guard workspace == self.workspace else {
                throw EmulatorServerError(
                    .invalidHistory,
                    "The folder holds the state of another workspace, \(Self.text(workspace)), and this is "
                        + "\(Self.text(self.workspace)). Start with the same options, or name another folder."
                )
            }
        case .criteria(let document, let project):
            (project.map { emulator.visitors(in: $0) } ?? emulator.visitors)?.setCriteria(document)
        case .request(var request):
            guard !isFirst else {
                throw EmulatorServerError(.invalidHistory, "The folder does not begin with a workspace.")
            }
            if request.headers["Authorization"] == nil {
                request.headers.append(name: "Authorization", value: self.credentials)
            }
            _ = emulator.answer(request)
        }
    }

    private func frames(after sequence: UInt64) throws(EmulatorServerError) -> [Journal.Frame] {
        do throws(StorageError) {
            return try self.journal.frames(after: sequence, limit: 256)
        } catch {
            throw EmulatorServerError(.storage, error.description)
        }
    }

    private func append(_ record: HistoryRecord, at time: Int64) throws(StorageError) {
        _ = try self.journal.append(stamp: record.stamp(at: time), payload: record.payload)
    }

    /// Whether the platform may have changed, or counts the request among those it knows.
    private static func mayMatter(_ response: TransportResponse) -> Bool {
        ![401, 403, 404, 405].contains(response.status)
    }

    private static func text(_ workspace: JSONValue) -> String {
        String(decoding: workspace.encoded(), as: UTF8.self)
    }

    // What makes the same requests make the same users. Of the key there is a hash.
    private static func workspace(_ configuration: EmulatorConfiguration) -> JSONValue {
        let key = Hexadecimal.encode(Array(SHA256.hash(Array(configuration.apiKey.utf8)).prefix(8)))
        func names(_ types: [IdentityType]) -> JSONValue {
            .array(types.map { .string($0.wireName) })
        }
        return [
            "format": 1, "keyHash": .string(key), "strategy": .string(configuration.strategy.rawValue),
            "priority": names(configuration.priority),
            "unique": names(configuration.uniqueIdentities.sorted()),
            "login": names(configuration.loginIdentities.sorted()),
            "immutable": names(configuration.immutableIdentities.sorted()),
        ]
    }
}
#endif
