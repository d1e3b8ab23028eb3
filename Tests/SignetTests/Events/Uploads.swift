// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// A machine and a numbering of what goes through it.
struct Uploads {
    var machine: UploadStateMachine
    var sequence: UInt64 = 0
    let batch = UUID()
    /// The session of the last event that had one.
    private var session: UInt8 = 0

    init(inFlight: Int = 1, events: Int = 2, bytes: Int = 1000, change: (inout UploadLimits) -> Void = { _ in }) {
        var limits = UploadLimits(interval: .seconds(10), priorityUploadDelay: .seconds(1))
        limits.events = events
        limits.bytes = bytes
        limits.inFlight = inFlight
        change(&limits)
        self.machine = UploadStateMachine(limits: limits, now: .zero)
    }

    mutating func take(
        on installation: UInt32 = 1,
        user: Int64? = 1,
        session: UInt8 = 0,
        context: UInt16 = 0,
        own: UInt32 = 0,
        bytes: Int = 10,
        isPrompt: Bool = false,
        now: Duration = .zero
    ) {
        self.sequence += 1
        let tag = EventMetadata(
            installation: installation,
            mpid: user.flatMap(MPID.init(rawValue:)),
            place: session == 0 ? .outside : session == self.session ? .inside : .begin,
            context: context,
            own: own,
            urgency: isPrompt ? .prompt : .regular
        )
        if session != 0 { self.session = session }
        self.machine.take(self.sequence, tag, bytes: bytes, now: now)
    }

    mutating func attribute(_ installation: UInt32 = 1, to user: Int64, now: Duration = .zero) {
        guard let mpid = MPID(rawValue: user) else { return }
        self.machine.attribute(installation, to: mpid, now: now)
    }

    mutating func restore(_ id: UUID, on installation: UInt32 = 1, user: Int64 = 1, size: Int = 100) {
        self.machine.restore(id, of: installation, MPID(rawValue: user), first: 1, events: 1, size: size)
    }

    mutating func next(_ now: Duration = .zero) -> String {
        switch self.machine.next(now: now) {
        case .cut(let cut): "cut \(cut.sequences.count)\(cut.installation == 1 ? "" : " of \(cut.installation)")"
        case .send(let request): request.batches.count == 1 ? "send" : "send \(request.batches.count)"
        case .wait(let until): until.map { "wait \($0.components.seconds)" } ?? "wait"
        }
    }

    /// Cuts what the machine wants cut.
    mutating func cut(_ now: Duration = .zero, size: Int = 100) -> (id: UUID, cut: UploadStateMachine.BatchPlan)? {
        guard case .cut(let cut) = self.machine.next(now: now) else { return nil }
        let id = UUID()
        let count = cut.sequences.count
        self.machine.cut(id, of: cut, count: count, bytes: 10 * count, size: size)
        return (id, cut)
    }

    /// Cuts what the machine wants cut, which must be something.
    mutating func mustCut(_ now: Duration = .zero) throws -> (id: UUID, cut: UploadStateMachine.BatchPlan) {
        let cut = self.cut(now)
        return try #require(cut)
    }

    /// Sends what the machine wants sent, which must be something.
    mutating func mustSend(_ now: Duration = .zero) throws -> UploadStateMachine.Request {
        let action = self.machine.next(now: now)
        guard case .send(let request) = action else {
            throw Unexpected(action: action)
        }
        return request
    }

    /// Fails a request, as the backlog does: the pause follows from what the machine has counted.
    mutating func fail(
        _ request: UploadStateMachine.Request,
        _ reason: UploadPause.Reason = .failure,
        isUnexplained: Bool = false,
        now: Duration
    ) -> UploadStateMachine.Setback {
        let setback = self.machine.countFailure(of: request, reason, isUnexplained: isUnexplained, now: now)
        let pause = BackOff.length(after: setback.failures, BackOff.steps, jitter: 0)
        self.machine.finished(request.number, .failed(setback, pause: pause, reason), now: now)
        return setback
    }

    /// Cuts, sends and settles until the machine says to wait.
    ///
    /// - Returns: What was cut, in order.
    mutating func deliverAll(_ now: Duration = .zero) -> [UploadStateMachine.BatchPlan] {
        var cuts: [UploadStateMachine.BatchPlan] = []
        while true {
            switch self.machine.next(now: now) {
            case .cut(let cut):
                cuts.append(cut)
                self.machine.cut(UUID(), of: cut, count: cut.sequences.count, bytes: 0, size: 100)
            case .send(let request):
                self.machine.finished(request.number, .settled, now: now)
            case .wait:
                return cuts
            }
        }
    }

    struct Unexpected: Error {
        let action: UploadStateMachine.Action
    }
}
