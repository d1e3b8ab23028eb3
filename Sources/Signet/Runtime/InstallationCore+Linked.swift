//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

extension InstallationCore {
    /// Writes down what other services are to do about a change of the user; before the user is, whom it names.
    ///
    /// Under the lock of the installation.
    func recordLinked(_ previous: User?, _ current: User) throws(SignetError) {
        guard self.services.visitors?.configuration.followsLogin == true else { return }
        guard let record = LinkedRecord(previous, current) else { return }
        try self.services.store.put(record.encoded(), for: StateKey.linked(self.id))
    }

    /// Has the other services know who it is now: when this returns, each has it on disk.
    ///
    /// In the order of the users, because one identity call is under way at a time; again at the next start, if the process dies
    /// before all of it is done.
    func performLinked() async {
        guard let visitors = self.services.visitors else { return }
        let record: LinkedRecord
        let manager: VisitorManager
        do throws(SignetError) {
            guard let bytes = try self.services.store.value(for: StateKey.linked(self.id)),
                let stored = LinkedRecord(bytes)
            else { return }
            // The user whom it names was not written down any more: it never was.
            guard stored.mpid == self.identityState.directory.current else {
                return try self.services.store.remove(StateKey.linked(self.id))
            }
            record = stored
            manager = try self.visitorManager()
            switch record.call {
            case .identify(let email, let customerID):
                guard let id = email.map(VisitorID.email) ?? customerID.map(VisitorID.userID) else { return }
                try id.validate()
                try await manager.identify(id, token: nil, IdentityResolution())
            case .leave:
                try await manager.leave()
            }
        } catch {
            return self.endLinked(nil, .failed(error))
        }
        let end = await manager.watchResolution()
        visitors.jobs.submit {
            // Nil at the end of the runtime: the next start goes on with it.
            guard let kind = await end.value() else { return }
            self.endLinked(record, kind)
        }
    }

    private func endLinked(_ record: LinkedRecord?, _ kind: LinkedOutcome.Kind) {
        let key = StateKey.linked(self.id)
        do throws(SignetError) {
            let stored = try self.services.store.value(for: key).flatMap { LinkedRecord($0) }
            // What the disk refused is tried again at the next start; what cannot be is not.
            var isFinal = record?.id == stored?.id
            if record == nil, case .failed(let error) = kind { isFinal = error.code == .invalidArgument }
            if stored != nil, isFinal { try self.services.store.remove(key) }
        } catch {
            self.services.reportNotSaved(self.id, error)
        }
        if case .failed(let error) = kind {
            self.services.observer.linkedWorkFailed(installation: self.id, service: .visitors, error: error)
        }
        guard let mpid = record?.mpid ?? self.identityState.directory.current else { return }
        let outcome = LinkedOutcome(installation: self.id, mpid: mpid, service: .visitors, kind: kind)
        self.services.linkedOutcomes.send(outcome, of: self.id)
    }
}
