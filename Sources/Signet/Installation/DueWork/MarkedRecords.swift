// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The marked records of one part of the state log, by what they stand for.
struct MarkedRecords: Sendable {
    /// Installations with an open session, and when it is over, in milliseconds since 1970.
    private(set) var sessions: [(number: UInt32, end: Int64)] = []
    /// Installations with unsent work of a service, by the service's tag.
    private(set) var services: [UInt8: [UInt32]] = [:]
    /// Installations with facts that the platform lacks.
    private(set) var facts: [UInt32] = []

    /// Reads them.
    ///
    /// A record that is damaged, or of a newer version, is left out: the next open of its installation reports it.
    ///
    /// - Throws: The error of the disk.
    init(ofPart part: Int, in context: RuntimeContext) throws(SignetError) {
        let timeout = context.sessionTimeout.milliseconds
        for (key, value) in try context.store.dueRecords(part: part) {
            if let (number, tag) = StateKey.service(in: key) {
                self.services[tag, default: []].append(number)
            } else if key.starts(with: StateKey.sessions) {
                let id = InstallationID(String(decoding: key.dropFirst(StateKey.sessions.count), as: UTF8.self))
                guard let number = try Self.number(of: id, context) else { continue }
                // An unreadable one is looked at as well: the visit clears the mark.
                let last = SessionRecord(value)?.open?.lastMilliseconds ?? 0
                self.sessions.append((number, last.addingSaturated(timeout)))
            } else if key.starts(with: StateKey.identities) {
                do throws(SignetError) {
                    self.facts.append(try IdentityState(decoding: value).number)
                } catch {
                    guard error.isUnreadable else { throw error }
                }
            }
        }
    }

    /// The number of an installation; nil if there is none, or its record cannot be read.
    static func number(of id: InstallationID, _ context: RuntimeContext) throws(SignetError) -> UInt32? {
        do throws(SignetError) {
            guard let bytes = try context.store.value(for: StateKey.identity(id)) else { return nil }
            return try IdentityState(decoding: bytes).number
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }
}
