// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Makes installations forget what written batches carry: reported removals of attributes, and the consent of departed users.
struct CarriedFacts: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
    }

    /// Forgets the removals of attributes that a written batch reports, so that no other batch reports them.
    func written(_ record: BatchRecord) throws(SignetError) {
        guard record.removals > 0, let mpid = record.mpid, let name = try self.events.name(of: record.installation)
        else { return }
        try self.users.removalsCarried(name, mpid, upTo: record.removals)
    }

    /// The same; an error is reported.
    func writtenOrReport(_ record: BatchRecord) {
        do throws(SignetError) {
            try self.written(record)
        } catch {
            // The next batch reports the removals again, unless a restart forgets them first.
            self.context.reportDamage(
                "Reported attribute removals could not be deleted. The next batch may repeat them: \(error.message)"
            )
        }
    }

    /// Removes the consent of departed users whose events are all in batches.
    ///
    /// - Parameters:
    ///   - name: The installation.
    ///   - installation: Its number in the metadata of its events.
    ///   - last: The last event that the queue has taken in.
    ///   - machine: Knows the events that are in no batch yet.
    func departed(from name: InstallationID, _ installation: UInt32, upTo last: UInt64, _ machine: UploadStateMachine) {
        do throws(SignetError) {
            try self.users.departedCarried(name, installation) { entry in
                entry.lastEvent <= last && !machine.hasEvents(of: entry.mpid, on: installation)
            }
        } catch {
            self.context.reportDamage(
                "The consent of a departed user could not be removed from disk: \(error.message)"
            )
        }
    }
}
