// SPDX-License-Identifier: Apache-2.0

/// A pause of uploads: its reason and its length.
struct UploadPause: Sendable, Hashable {
    /// The reasons for a pause.
    enum Reason: UInt8, Sendable, Hashable {
        /// The last try failed: no connection, no answer, or a failure of the platform.
        case failure = 1
        /// The platform asked for it (`Retry-After`, or 429 and 503 without one).
        case asked = 2
        /// The key or the secret is not accepted (401, 403).
        case unauthorized = 3
        /// Something other than the platform answers (3xx, 404, 410).
        case misdirected = 4
        /// The disk cannot be written; the cause is not the platform.
        case disk = 5
        /// The shared store is not reached: nobody knows which events may go.
        case store = 6
    }

    let reason: Reason
    /// The length of the pause from its begin.
    let length: Duration
    /// The number of tries in a row that have failed.
    let failures: Int

    init(_ reason: Reason, _ length: Duration, failures: Int) {
        self.reason = reason
        self.length = length
        self.failures = failures
    }

    /// Returns the bytes on disk.
    ///
    /// `now` is the wall clock, milliseconds since 1970: the only clock that the next process shares.
    func encoded(now: Int64) -> [UInt8] {
        Stored(reason: self.reason.rawValue, failures: self.failures, length: self.length.milliseconds, begin: now)
            .encoded()
    }

    /// Reads the bytes on disk; nil if they are not a pause.
    ///
    /// A clock that was set back does not make a pause longer than it was. A pause because of the key ends at a
    /// restart, which may have brought another secret. So does one because of a wrong endpoint or the disk.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that `encoded` returned.
    ///   - now: The wall clock, milliseconds since 1970.
    init?(_ bytes: [UInt8], now: Int64) {
        guard let stored = Stored(bytes), let reason = Reason(rawValue: stored.reason),
            (0...86_400_000).contains(stored.length)
        else { return nil }
        let (passed, overflow) = now.subtractingReportingOverflow(stored.begin)
        let remaining = overflow ? 0 : stored.length - min(max(passed, 0), stored.length)
        let isOver = reason == .unauthorized || reason == .misdirected || reason == .disk || reason == .store
        self.init(reason, .milliseconds(isOver ? 0 : remaining), failures: stored.failures)
    }

    /// The time at which a stored pause began, in milliseconds since 1970; nil if the bytes are not a pause.
    static func begin(_ bytes: [UInt8]) -> Int64? {
        Stored(bytes)?.begin
    }
}

/// A pause with the time at which it began.
private struct Stored: StoredRecord {
    static let subject = "a pause"
    let reason: UInt8
    let failures: Int
    let length: Int64
    let begin: Int64

    init(reason: UInt8, failures: Int, length: Int64, begin: Int64) {
        (self.reason, self.failures, self.length, self.begin) = (reason, failures, length, begin)
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("why", self.reason)
        encoder.write("failures", self.failures)
        encoder.write("length", self.length)
        encoder.write("begin", self.begin)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            reason: decoder.read("why"),
            failures: decoder.read("failures"),
            length: decoder.read("length"),
            begin: decoder.read("begin")
        )
    }
}

/// Keeps a pause on disk, so that a restart does not end it.
struct StoredPause: Sendable {
    private let context: RuntimeContext
    private let key: [UInt8]
    private let subject: String

    /// Finds the record of a pause.
    ///
    /// - Parameters:
    ///   - context: The parts that the runtime shares.
    ///   - key: The key of the record.
    ///   - subject: The requests that pause, for reports.
    init(_ context: RuntimeContext, key: [UInt8], of subject: String) {
        (self.context, self.key, self.subject) = (context, key, subject)
    }

    /// Reads the rest of an earlier process's pause; nil if there is none.
    func read() throws(SignetError) -> UploadPause? {
        try self.context.store.value(for: self.key).flatMap { UploadPause($0, now: self.context.time.milliseconds) }
    }

    /// Writes a pause down.
    func write(_ pause: UploadPause) {
        do throws(SignetError) {
            try self.context.store.put(pause.encoded(now: self.context.time.milliseconds), for: self.key)
        } catch {
            self.context.reportDamage("A pause of \(self.subject) could not be written to disk: \(error.message)")
        }
    }

    /// Ends the pause on disk, if there is one.
    func remove() {
        do throws(SignetError) {
            try self.context.store.remove(self.key)
        } catch {
            self.context.reportDamage(
                "The end of a pause of \(self.subject) could not be written to disk: \(error.message)"
            )
        }
    }
}
