// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

/// Reports what fails in the runtime's own work in the shared store; the same failure once a minute at most.
final class FleetFailures: Sendable {
    /// The time between two reports of one failure.
    static let interval = Duration.seconds(60)

    /// The content of a report.
    private enum Report: Hashable {
        /// A call that the store did not carry out, or whose answer was lost.
        case call(SignetError.Code, String)
        /// Bytes of a row, or an error of the disk of this replica.
        case damage(String)
    }

    private let observer: any SignetObserver
    private let time: TimeSource
    /// The uptimes of the last reports: rows that are changed at the same time fail in turn.
    private let reported = Locked<[Report: Duration]>([:])

    init(_ observer: any SignetObserver, time: TimeSource) {
        self.observer = observer
        self.time = time
    }

    /// Reports an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - row: The key of the row that it came from; nil if it came from none, or from many.
    func report(_ error: SignetError, row: UUID? = nil) {
        // Nothing is wrong with a row that was removed.
        guard error.code != .cancelled, error.code != .closed else { return }
        let report = Self.report(of: error, row)
        let now = self.time.uptime
        let isDue = self.reported.withLock { reported in
            reported = reported.filter { now - $0.value < Self.interval }
            guard reported[report] == nil else { return false }
            reported[report] = now
            return true
        }
        guard isDue else { return }
        switch report {
        case .call: self.observer.sharedStoreFailed(error)
        case .damage(let text): self.observer.corruptionDetected(text)
        }
    }

    private static func report(of error: SignetError, _ row: UUID?) -> Report {
        guard error.isDamage else {
            return error.isOfSharedStore ? .call(error.code, error.message) : .damage(error.message)
        }
        // The key and not the id, which is a cookie in some apps.
        return .damage(row.map { "The row \($0) of the shared store: \(error.message)" } ?? error.message)
    }
}

extension SignetError {
    /// True for a call that the store did not carry out, or whose answer was lost, and for a newer format; false for what the disk refused.
    fileprivate var isOfSharedStore: Bool {
        switch self.code {
        case .storeUnreachable, .storeBusy, .storeFailed, .outcomeUnknown: true
        case .newerFormat, .workspaceMismatch, .directoryInUse: true
        default: false
        }
    }
}
