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
        let owner = self.owners[edit.installation]
        if edit.isOfPerson, owner.scopes[edit.scope].isLossy { return "waits for somebody" }
        if edit.isOfPerson, edit.scope != owner.current { return "left: waits for somebody, or of nobody" }
        if edit.isAfterPowerLoss, case .refused = edit.outcome { return "refused after a loss of power" }
        let isReplaced = self.edits.contains { other in
            guard other.installation == edit.installation, other.field == edit.field, other.number != number,
                !other.isBefore(edit)
            else { return false }
            switch other.outcome {
            case .refused: return other.source == .personalize ? other.hasArrived : true
            // An unforced personalize whose caller saw an error stays wanted.
            case .failed, .died: return other.source == .personalize || other.outcome.isKept || other.isApplied
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
        let owner = self.owners[event.installation]
        if owner.scopes[event.scope].isLossy { return "waits for somebody" }
        return event.scope == owner.current ? nil : "left: waits for somebody, or of nobody"
    }
}
