// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetInfobip
import SignetModel

/// What was asked for last is what the platform has in the end.
extension InfobipSimulation {
    /// Nothing older than what was asked for last is at the platform.
    func checkLast(_ number: Int, _ book: InfobipBook) {
        let owner = book.owners[number]
        guard let id = self.device(of: number).profile(number)?.installation.pushRegistrationID,
            let registration = book.people.registrations[id], let person = book.people.person(of: id)
        else { return }
        let isAlone = person.writers.isSubset(of: [number])
        for edit in book.edits where edit.installation == number && edit.source != .personalize {
            guard edit.isAccepted, edit.excuse == nil, !edit.isRefused, self.isSettled(edit, owner),
                edit.isLast(in: book.edits)
            else { continue }
            let fields = edit.source == .save ? person.all : registration.all
            let isOwn = edit.source == .installation || isAlone
            guard edit.isTagged else {
                if isOwn, !edit.isOvertaken(of: owner), fields[edit.field] != edit.value {
                    let found = fields[edit.field] ?? "nil"
                    self.fail("\(edit.field) of \(number) is \(found), but \(edit.value ?? "nil") was the last")
                }
                self.ledger.with { $0.reach("last \(edit.field) \(edit.value == nil ? "taken away" : "chosen")") }
                continue
            }
            let found = fields[edit.field].flatMap { InfobipBook.number(in: $0) }
            if let found, book.edits[found].installation == number, book.edits[found].isBefore(edit),
                book.edits[found].scope == edit.scope || !edit.isOfPerson
            {
                self.fail("\(edit.field) of \(number) is of edit \(found), but \(edit.number) was the last")
            }
            if isOwn, edit.value != nil, fields[edit.field] == nil {
                self.fail("\(edit.field) of \(number), edit \(edit.number), is gone")
            }
            self.ledger.with { $0.reach("last edits checked") }
        }
    }

    /// Whether it is known in the end for whom it was.
    private func isSettled(_ edit: InfobipEdit, _ owner: InfobipBook.Owner) -> Bool {
        // What is of the device is so for whoever has it, unless it may have been forgotten.
        guard edit.isOfPerson else { return self.device(of: edit.installation).powerLosses == 0 }
        let scope = owner.scopes[edit.scope]
        return edit.scope == owner.current && !scope.isVague && !scope.isLossy && owner.joined != edit.scope
    }
}

extension InfobipEdit {
    /// Whether nobody has asked for another value of the same afterwards.
    fileprivate func isLast(in edits: [InfobipEdit]) -> Bool {
        !edits.contains {
            $0.installation == self.installation && $0.field == self.field && $0.number != self.number
                && !$0.isBefore(self)
        }
    }

    /// Whether something else than edits may have changed it: then a value like others says nothing.
    fileprivate func isOvertaken(of owner: InfobipBook.Owner) -> Bool {
        if self.field == "isPrimary" { return owner.primaryNews == owner.current || owner.hasSetPrimary }
        // Lists are added to, and who somebody is may be another's.
        return self.source == .save && ReferenceInfobip.identityFields.contains(self.field)
    }
}

extension ReferenceInfobip.Registration {
    /// What is said of it, as texts.
    fileprivate var all: [String: String] {
        var all = self.fields
        all["isPrimary"] = "\(self.isPrimary)"
        return all
    }
}
