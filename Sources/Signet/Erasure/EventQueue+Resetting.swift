// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// Resets an installation: stops its uploads and removes its events and batches, on disk too.
    ///
    /// The platform may still take a batch in flight; its answer is ignored.
    ///
    /// - Throws: `SignetError` from the disk; another call finishes the reset.
    func reset(_ reset: InstallationReset) throws(SignetError) {
        // Take in all earlier events, so that none comes later.
        guard self.takeIn() else { throw self.readFailure ?? .notReadable }
        // Delivered events still in the journal would count as not delivered.
        self.settleAgain(isUrgent: true)
        guard !self.unsettled.joined().contains(where: { $0.record.installation == reset.number })
        else {
            throw .notReadable
        }
        self.resets.insert(reset.number)
        self.takeOffReset()
        (self.optOuts[reset.number], self.optedOut[reset.number]) = (nil, nil)
        self.numbers[reset.id] = nil
        self.deadLettered = nil
        var findings = InstallationReset.Findings()
        // Removed events count even if the disk refuses the rest.
        defer { self.count(findings) }
        try reset.removeEvents(from: self.services.store, self.services.journal, &findings)
        self.resets.remove(reset.number)
    }

    private func count(_ findings: InstallationReset.Findings) {
        self.services.statistics.record {
            $0.eventsResending -= findings.resends
            $0.eventsDiscarded += findings.deadLetters
        }
        self.services.dropped(findings.events + findings.resends, .reset)
        // Callers that wait for these events resume.
        self.services.settled()
        self.services.ingress.wakeup.signal()
        self.resumeAnswerWaiters()
    }
}

extension SignetError {
    fileprivate static let notReadable = SignetError(
        .diskFailed,
        "The journal cannot be read or written. The reset is recorded and finishes when the disk works."
    )
}
