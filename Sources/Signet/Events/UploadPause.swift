//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How long uploads leave the platform alone, and why.
struct UploadPause: Sendable, Hashable {
    /// Why.
    enum Reason: UInt8, Sendable, Hashable {
        /// The last try failed: no connection, no answer, or a failure of the platform.
        case failure = 1
        /// The platform asked for it (`Retry-After`, or 429 and 503 without one).
        case asked = 2
        /// The key or the secret is not accepted (401, 403).
        case unauthorized = 3
        /// What answers is not the platform (3xx, 404, 410).
        case misdirected = 4
        /// The disk cannot be written; the platform has nothing to do with it.
        case disk = 5
    }

    /// Why.
    let reason: Reason
    /// How long, from its begin.
    let length: Duration
    /// How many tries in a row have failed.
    let failures: Int

    init(_ reason: Reason, _ length: Duration, failures: Int) {
        self.reason = reason
        self.length = length
        self.failures = failures
    }

    private static let version: UInt8 = 1

    /// The bytes on disk; `now` is the wall clock, milliseconds since 1970: the only one that the next process shares.
    func encoded(now: Int64) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 22)
        writer.write(Self.version)
        writer.write(self.reason.rawValue)
        writer.write(UInt32(clamping: self.failures))
        writer.write(self.length.milliseconds)
        writer.write(now)
        return writer.bytes
    }

    /// Reads the bytes on disk; nil when they are something else.
    ///
    /// A clock that was set back does not make a pause longer than it was. A pause for the key's sake ends at a restart,
    /// which may have brought another secret; so does one of a disk.
    ///
    /// - Parameters:
    ///   - bytes: What `encoded` made.
    ///   - now: The wall clock, milliseconds since 1970.
    init?(_ bytes: [UInt8], now: Int64) {
        var reader = ByteReader(bytes)
        guard reader.read(UInt8.self) == Self.version,
            let reason = reader.read(UInt8.self).flatMap(Reason.init(rawValue:)),
            let failures = reader.read(UInt32.self),
            let length = reader.read(Int64.self), (0...86_400_000).contains(length),
            let begin = reader.read(Int64.self)
        else { return nil }
        let (passed, overflow) = now.subtractingReportingOverflow(begin)
        let remaining = overflow ? 0 : length - min(max(passed, 0), length)
        let isOver = reason == .unauthorized || reason == .misdirected || reason == .disk
        self.init(reason, .milliseconds(isOver ? 0 : remaining), failures: Int(failures))
    }
}
