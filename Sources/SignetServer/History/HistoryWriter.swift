// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetJournal
import SignetLock
import SignetTransport
import Synchronization

/// Records the requests to the platform in their order, and replays them.
final class HistoryWriter: RequestInterceptor {
    private let journal: Journal
    private let workspace: JSONValue
    private let onFailure: @Sendable (EmulatorServerError) -> Void
    // True after the disk failed. Held while the platform answers, so that the journal has the platform's order. The
    // platform takes its own locks meanwhile and reads the time without a lock; it never calls back into this class.
    private let hasFailed = Locked(false)
    // The time of the request in progress, in milliseconds; 0 if there is none, which means the current time.
    private let pinned = Atomic<Int64>(0)

    init(
        _ journal: Journal,
        workspace: JSONValue,
        onFailure: @escaping @Sendable (EmulatorServerError) -> Void
    ) {
        self.journal = journal
        self.workspace = workspace
        self.onFailure = onFailure
    }

    /// The platform's time, in milliseconds since 1970.
    var time: Int64 {
        let pinned = self.pinned.load(ordering: .sequentiallyConsistent)
        return pinned == 0 ? SystemTime.milliseconds() : pinned
    }

    var isBroken: Bool {
        self.hasFailed.withLock { $0 }
    }

    func answer(_ request: TransportRequest, of emulator: Emulator) -> TransportResponse {
        var failure: StorageError?
        defer { failure.map { self.onFailure(EmulatorServerError(.storage, $0.description)) } }
        return self.hasFailed.withLock { hasFailed in
            // A replay could not see the gap before later requests.
            guard !hasFailed else { return Self.brokenAnswer(to: request, of: emulator) }
            let now = SystemTime.milliseconds()
            self.pinned.store(now, ordering: .sequentiallyConsistent)
            defer { self.pinned.store(0, ordering: .sequentiallyConsistent) }
            let response = emulator.decide(request)
            // Requests with these statuses change only the count of requests.
            guard ![401, 403, 404, 405].contains(response.status) else { return response }
            do throws(StorageError) {
                try self.append(.request(request), at: now)
            } catch {
                // The change is in memory only; the client must not assume that it is stored.
                hasFailed = true
                failure = error
                return Self.brokenAnswer(to: request, of: emulator)
            }
            return response
        }
    }

    private static func brokenAnswer(to request: TransportRequest, of emulator: Emulator) -> TransportResponse {
        emulator.refusal(of: request, 507, "INSUFFICIENT_STORAGE", Self.brokenMessage)
    }

    private static let brokenMessage =
        "The disk has failed. The emulator refuses all requests until it is restarted."

    /// Appends a record other than a request, then runs `body`.
    func record(_ record: HistoryRecord, _ body: () -> Void) throws(EmulatorServerError) {
        try self.hasFailed.withLock { (hasFailed) throws(EmulatorServerError) in
            guard !hasFailed else { throw EmulatorServerError(.storage, Self.brokenMessage) }
            do throws(StorageError) {
                try self.append(record, at: SystemTime.milliseconds())
            } catch {
                throw EmulatorServerError(.storage, error.description)
            }
            body()
        }
    }

    func close() {
        self.journal.close()
    }

    /// Replays the journal to the platform; from then on, requests are recorded.
    ///
    /// - Parameters:
    ///   - emulator: The platform.
    ///   - check: Throws if parts of the journal could not be read; it runs before anything is written.
    /// - Returns: The number of replayed requests.
    /// - Throws: ``EmulatorServerError``.
    func tell(
        _ emulator: Emulator,
        check: () throws(EmulatorServerError) -> Void
    ) throws(EmulatorServerError) -> Int {
        defer { self.pinned.store(0, ordering: .sequentiallyConsistent) }
        var requests = 0
        var last: UInt64 = 0
        while case let frames = try self.frames(after: last), !frames.isEmpty {
            for frame in frames {
                guard let (time, record) = HistoryRecord.read(stamp: frame.stamp, payload: frame.payload) else {
                    throw EmulatorServerError(
                        .invalidHistory,
                        "The folder does not hold the state of an emulator. Use another folder."
                    )
                }
                self.pinned.store(time, ordering: .sequentiallyConsistent)
                try self.tell(emulator, record, isFirst: last == 0)
                last = frame.sequence
                if case .request = record { requests += 1 }
            }
        }
        try check()
        if last == 0 { try self.record(.workspace(self.workspace)) {} }
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
                    "The folder holds the state of another workspace, \(Self.text(workspace)), but this is "
                        + "\(Self.text(self.workspace)). Start with the same options, or use another folder."
                )
            }
        case .criteria(let document, let project):
            emulator.iterable(in: project)?.setCriteria(document)
        case .request(let request):
            guard !isFirst else {
                throw EmulatorServerError(
                    .invalidHistory,
                    "The folder does not begin with a workspace record. Use another folder."
                )
            }
            _ = emulator.decide(request, isTrusted: true)
        }
    }

    private static func text(_ workspace: JSONValue) -> String {
        String(decoding: workspace.encoded(), as: UTF8.self)
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
}
#endif
