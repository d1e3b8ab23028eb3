// SPDX-License-Identifier: Apache-2.0

/// What should have arrived, and has not.
extension InfobipBook {
    /// Whether an edit should have arrived and has not.
    func isMissing(_ number: Int) -> Bool {
        let edit = self.edits[number]
        return edit.isAccepted && edit.isTagged && !edit.isApplied && self.reasonToMiss(number) == nil
    }

    /// Why an edit need not arrive.
    func reasonToMiss(_ number: Int) -> String? {
        let edit = self.edits[number]
        if edit.isRefused { return "refused" }
        if let excuse = edit.excuse { return excuse }
        // Who was logged out from elsewhere has nobody to be told of.
        if edit.aim.isAnybodys, !edit.aim.seen.isEmpty { return "logged out from elsewhere" }
        if edit.isAfterPowerLoss, case .refused = edit.outcome { return "refused after a loss of power" }
        let isReplaced = self.edits.contains { other in
            guard other.installation == edit.installation, other.field == edit.field, other.number != number,
                !other.isBefore(edit)
            else { return false }
            switch other.outcome {
            // What a personalize says is not kept when it fails.
            case .refused, .failed, .died:
                var isTaken = other.hasArrived
                if case .refused = other.outcome {} else { isTaken = isTaken || other.isEchoed }
                return other.source == .personalize ? isTaken : other.outcome.isKept || other.isApplied
            case .done, .pending, .open: return true
            }
        }
        return isReplaced ? "replaced" : nil
    }

    /// Why an event need not arrive.
    func reasonToMiss(event number: Int) -> String? {
        let event = self.events[number]
        if event.isRefused { return "refused" }
        if let excuse = event.excuse { return excuse }
        let isSomebodys = event.isBetween || !event.aim.seen.isEmpty
        return event.aim.isAnybodys && isSomebodys ? "logged out from elsewhere" : nil
    }
}
