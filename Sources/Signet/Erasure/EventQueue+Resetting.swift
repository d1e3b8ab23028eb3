//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

extension EventQueue {
    /// An installation is reset: nothing of it is sent from now on, and its events and batches go, on disk too.
    ///
    /// A batch that is on the wire may still be taken; its answer counts for nothing.
    ///
    /// - Throws: What the disk says; called again, it finishes.
    func reset(_ reset: InstallationReset) throws(SignetError) {
        // What was logged before is taken in, so that nothing of it comes later.
        guard self.takeIn() else { throw self.readFailure ?? .notReadable }
        // Delivered, but still in the journal: it would be counted as not delivered.
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
        // What was removed is counted, also where the disk refuses the rest.
        defer { self.count(findings) }
        try reset.removeEvents(from: self.services.store, self.services.journal, &findings)
        self.resets.remove(reset.number)
    }

    /// Takes everything of installations that were reset off what is to be sent: what they agreed to is gone, or goes.
    func takeOffReset() {
        for number in self.resets {
            for id in self.machine.remove(number) { self.held[id] = nil }
        }
        if !self.resets.isEmpty { self.services.settled() }
    }

    private func count(_ findings: InstallationReset.Findings) {
        self.services.statistics.record {
            $0.eventsResending -= findings.resends
            $0.eventsDiscarded += findings.deadLetters
        }
        self.services.dropped(findings.events + findings.resends, .reset)
        // Who waited for them waits no longer.
        self.services.settled()
        self.services.ingress.wakeup.signal()
        self.tellAnswerWaiters()
    }
}

extension UploadStateMachine {
    /// Takes everything of an installation off.
    ///
    /// - Returns: Its batches; an answer that still comes for one changes nothing.
    mutating func remove(_ installation: UInt32) -> [UUID] {
        guard let slot = self.lines.find(installation) else { return [] }
        let batches = self.lines[slot].batches
        // The events first: a line with neither is gone.
        _ = self.takeOff(installation, upTo: .max)
        for id in batches { self.drop(id) }
        return batches
    }
}

extension SignetError {
    fileprivate static let notReadable = SignetError(
        .diskFailed,
        "The journal cannot be read or written; the reset stands, and is finished when the disk works."
    )
}
