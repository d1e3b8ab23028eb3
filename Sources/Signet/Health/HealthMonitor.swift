// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// Knows what is wrong with a runtime, and writes it to the standard error if there is no observer.
///
/// It hears as an observer what observers hear, and from the parts of the runtime what they do not.
final class HealthMonitor: SignetObserver {
    private struct State {
        var machine = HealthStateMachine()
        /// Nil if lines are not wanted.
        var reports: StandardErrorReports?
        /// The number of events that the journal has accepted; set once there is a journal.
        var appended: (@Sendable () -> Int)?
    }

    private let time: TimeSource
    private let write: @Sendable (String) -> Void
    private let state: Locked<State>

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - time: The clocks.
    ///   - lines: Receives the lines for the standard error; nil if they are not wanted.
    init(time: TimeSource, lines: (@Sendable (String) -> Void)?) {
        self.time = time
        self.write = lines ?? { _ in }
        self.state = Locked(State(reports: lines == nil ? nil : StandardErrorReports()))
    }

    private var moment: HealthStateMachine.Moment {
        HealthStateMachine.Moment(uptime: self.time.uptime, milliseconds: self.time.machineMilliseconds)
    }

    /// Watches a journal, so that the monitor knows when it accepts events again.
    func watch(_ appended: @escaping @Sendable () -> Int) {
        self.state.withLock { $0.appended = appended }
    }

    /// Writes the line at the start.
    ///
    /// - Parameter eventsWaiting: The events of earlier runs that wait.
    func began(eventsWaiting: Int) {
        guard self.state.withLock({ $0.reports != nil }) else { return }
        self.write(StandardErrorReports.start(eventsWaiting: eventsWaiting))
    }

    /// Returns what is wrong now, and writes the lines that are due.
    func review(_ facts: HealthStateMachine.Facts) -> [HealthReason] {
        let moment = self.moment
        let (reasons, lines) = self.state.withLock { state -> ([HealthReason], [String]) in
            let reasons = state.machine.review(facts, at: moment)
            let isPauseOpen = state.reports?.isOpen(.uploads) == true
            let troubles = reasons.compactMap { reason -> (trouble: Trouble, details: String)? in
                // The store has a line of its own; a pause that has one already goes on.
                if reason.kind.isPauseOfStore, !isPauseOpen { return nil }
                return Trouble(reason.kind).map { (trouble: $0, details: reason.details) }
            }
            return (reasons, state.reports?.review(troubles, now: moment.uptime) ?? [])
        }
        for line in lines { self.write(line) }
        return reasons
    }

    /// Notes a report in the machine, and writes a line if one is due.
    ///
    /// - Parameters:
    ///   - trouble: The kind of trouble; nil if the report is a good one.
    ///   - details: A code or a count.
    ///   - count: The number of times, or of things.
    ///   - body: Changes the machine.
    private func note(
        _ trouble: Trouble?,
        _ details: String = "",
        count: Int = 1,
        _ body: (inout HealthStateMachine, HealthStateMachine.Moment) -> Void = { _, _ in }
    ) {
        let moment = self.moment
        let line = self.state.withLock { state -> String? in
            body(&state.machine, moment)
            guard let trouble else { return nil }
            return state.reports?.happened(trouble, details, count: count, now: moment.uptime)
        }
        if let line { self.write(line) }
    }

    // MARK: - From the parts of the runtime

    /// A call was refused, or a try has failed, with this error; only those of the disk and of the room on it matter.
    func failed(_ code: SignetError.Code) {
        switch code {
        case .diskFull, .diskFailed, .directoryUnusable:
            // Read before the lock is taken: the journal has a lock of its own.
            let appended = self.state.withLock { $0.appended }?() ?? 0
            self.note(.disk, "\(code)") { $0.diskRefused(code, appended: appended, at: $1) }
        case .limitReached:
            self.note(nil) { machine, _ in machine.storageRefused() }
        default: break
        }
    }

    /// A change of an installation was refused with this error; no line, as its report calls ``failed(_:)``.
    func refused(_ code: SignetError.Code) {
        switch code {
        case .diskFull, .diskFailed, .directoryUnusable:
            let appended = self.state.withLock { $0.appended }?() ?? 0
            self.note(nil) { $0.diskRefused(code, appended: appended, at: $1) }
        default: break
        }
    }

    /// The platform has accepted an identity call.
    func identityAccepted() {
        self.note(nil) { machine, _ in machine.identityAccepted() }
    }

    /// The identity call of an installation has failed; only an answer that refuses it matters.
    func identityFailed(_ installation: InstallationID, _ error: SignetError) {
        guard let status = error.httpStatus, [400, 401, 403].contains(status) else { return }
        self.note(nil) { $0.identityRefused(installation, error.code, httpStatus: status, at: $1) }
    }

    /// The disk has accepted a record.
    func diskAccepted() {
        self.note(nil) { machine, _ in machine.diskAccepted() }
    }

    /// Uploads pause until then, as uptime, because of this error.
    func uploadsPaused(until end: Duration, httpStatus: Int?, _ code: SignetError.Code) {
        let pause = HealthStateMachine.Pause(end: end, httpStatus: httpStatus, code: code)
        let details = "\(code)\(httpStatus.map { ", HTTP \($0)" } ?? "")"
        self.note(code.isToldAsStore ? nil : .uploads, details) { $0.uploadsPaused(pause, at: $1) }
    }

    /// Uploads go on.
    func uploadsResumed() {
        self.note(nil) { machine, _ in machine.uploadsResumed() }
    }

    /// A call on the shared store has failed.
    func storeFailed(_ code: SignetError.Code, _ calls: HealthReason.StoreCalls) {
        let moment = self.moment
        let line = self.state.withLock { state -> String? in
            state.machine.storeFailed(code, calls, at: moment)
            guard state.machine.isStoreAway(at: moment) else { return nil }
            return state.reports?.happened(.store, "\(code)", now: moment.uptime)
        }
        if let line { self.write(line) }
    }

    /// The shared store was reached by a call that says nothing of others of its kind.
    func storeReached(_ calls: HealthReason.StoreCalls) {
        self.note(nil) { $0.storeReached(calls, at: $1) }
    }

    /// The shared store has answered.
    func storeAnswered(_ calls: HealthReason.StoreCalls) {
        self.note(nil) { $0.storeAnswered(calls, at: $1) }
    }

    // MARK: - As an observer

    /// The causes of dropped data of services that are no loss.
    private static let wanted: Set<String> = ["consentRevoked", "forgotten", "notReplayed", "optedOut"]

    // Not `eventRefused`: who reports that has called `failed` (RuntimeContext.countRefusal), and it would count twice.

    func batchDeadLettered(events: Int, error: SignetError) {
        self.note(.deadLetters, "\(error.code)\(error.httpStatus.map { ", HTTP \($0)" } ?? "")", count: events)
    }

    func eventsDropped(_ count: Int, cause: DropCause) {
        guard cause.isLoss else { return }
        self.note(.lostEvents, "\(cause)", count: count) { $0.eventsLost(count, at: $1) }
    }

    func corruptionDetected(_ description: String) {
        // The description may name an installation.
        self.note(.damage)
    }

    func stateNotSaved(installation: InstallationID, error: SignetError) {
        self.failed(error.code)
    }

    func clockOffsetChanged(_ offset: Duration?) {
        self.note(offset == nil ? nil : .clockOffset, offset.map { "\($0.milliseconds) ms" } ?? "") {
            $0.clockOffset(offset, at: $1)
        }
    }

    func serviceDataDropped(
        _ count: Int,
        of kind: String,
        service: IdentitySyncOutcome.Service,
        installation: InstallationID,
        cause: String?
    ) {
        // The app, or a user, asked for it.
        if let cause, Self.wanted.contains(cause) { return }
        self.note(.serviceData, "\(service)", count: count)
    }

    func erasureFailed(_ error: SignetError) {
        // It is tried again; what stays undone is overdue.
        self.failed(error.code)
    }

    func runtimeEnded(_ report: ShutdownReport) {
        let now = self.time.uptime
        for line in self.state.withLock({ $0.reports?.rest(now: now) ?? [] }) { self.write(line) }
        // No trouble, and once in a life.
        self.write("signet: \(report.sentence)")
    }
}

extension DropCause {
    /// True if the events were lost, false if the app or a user asked for their removal.
    fileprivate var isLoss: Bool {
        switch self {
        case .hook, .forgotten, .optedOut, .reset: false
        default: true
        }
    }
}

extension HealthReason.Kind {
    /// True for a pause of uploads because of the shared store.
    fileprivate var isPauseOfStore: Bool {
        if case .uploadsPaused(_, _, let code) = self { code.isToldAsStore } else { false }
    }
}
