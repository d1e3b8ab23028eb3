// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The keys of records in the state log: one letter for the kind, then the owner.
package enum StateKey {
    /// The record that binds the directory to a workspace.
    static let workspace: [UInt8] = [UInt8(ascii: "w")]

    /// The id of this directory among the replicas that share a store.
    static let replica: [UInt8] = [UInt8(ascii: "v")]

    /// The identity of an installation.
    static func identity(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "i")] + Array(id.rawValue.utf8)
    }

    /// The prefix of the identities of all installations.
    static let identities: [UInt8] = [UInt8(ascii: "i")]

    /// The installation of a number.
    static func number(_ number: UInt32) -> [UInt8] {
        [UInt8(ascii: "n")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of the installations of all numbers.
    static let numberedInstallations: [UInt8] = [UInt8(ascii: "n")]

    /// The number in a key of ``number(_:)``.
    static func number(in key: [UInt8]) -> UInt32? {
        guard key.starts(with: Self.numberedInstallations) else { return nil }
        return Self.number(key.dropFirst(Self.numberedInstallations.count))
    }

    /// The number that these bytes of a key are.
    static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Number? {
        guard bytes.count == Number.bitWidth / 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// The end of the reserved range of installation numbers.
    static let numbers: [UInt8] = [UInt8(ascii: "N")]

    /// The configured context of a number.
    static func context(_ number: UInt16) -> [UInt8] {
        [UInt8(ascii: "P")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The installation context of a number.
    static func ownContext(_ number: UInt32) -> [UInt8] {
        Self.ownContexts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all installation contexts.
    static let ownContexts: [UInt8] = [UInt8(ascii: "D")]

    /// The number in the key of an installation context.
    static func ownContextNumber(in key: [UInt8]) -> UInt32? {
        guard key.starts(with: Self.ownContexts) else { return nil }
        return Self.number(key.dropFirst(Self.ownContexts.count))
    }

    /// The context that an installation has chosen.
    static func chosenContext(_ id: InstallationID) -> [UInt8] {
        Self.chosenContexts + Array(id.rawValue.utf8)
    }

    /// The prefix of all chosen contexts.
    static let chosenContexts: [UInt8] = [UInt8(ascii: "C")]

    /// An opt-out, until the events of the installation up to this one are dropped.
    ///
    /// Each opt-out has its own record, so that completing one does not remove a newer one.
    static func optOut(_ number: UInt32, upTo sequence: UInt64) -> [UInt8] {
        Self.optOuts(of: number) + withUnsafeBytes(of: sequence.bigEndian, Array.init)
    }

    /// The prefix of all opt-outs of an installation.
    static func optOuts(of number: UInt32) -> [UInt8] {
        Self.optOuts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all opt-outs.
    static let optOuts: [UInt8] = [UInt8(ascii: "o")]

    /// An opt-out whose event may not be in the journal yet.
    static func dueOptOut(_ number: UInt32) -> [UInt8] {
        Self.dueOptOuts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all opt-outs whose event may not be in the journal yet.
    static let dueOptOuts: [UInt8] = [UInt8(ascii: "d")]

    /// The breadcrumbs of a user of an installation; nil for the time before the first user.
    static func breadcrumbs(_ number: UInt32, _ user: MPID?) -> [UInt8] {
        Self.breadcrumbs(ofAllOn: number) + withUnsafeBytes(of: (user?.rawValue ?? 0).bigEndian, Array.init)
    }

    /// The prefix of the breadcrumbs of all users of an installation.
    static func breadcrumbs(ofAllOn number: UInt32) -> [UInt8] {
        Self.breadcrumbs + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all breadcrumbs.
    static let breadcrumbs: [UInt8] = [UInt8(ascii: "B")]

    /// The consents of an installation's ephemeral users who have left.
    static func departedConsents(_ number: UInt32) -> [UInt8] {
        Self.departedConsents + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all consents of departed ephemeral users.
    static let departedConsents: [UInt8] = [UInt8(ascii: "E")]

    /// The latest consent of a user, whichever installation has it from them.
    static func consent(of user: MPID) -> [UInt8] {
        Self.consents + withUnsafeBytes(of: user.rawValue.bigEndian, Array.init)
    }

    /// The prefix of the latest consents of all users.
    static let consents: [UInt8] = [UInt8(ascii: "m")]

    /// The record of an installation's app launches.
    static func launch(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "l")] + Array(id.rawValue.utf8)
    }

    /// The prefix of the sessions of all installations.
    static let sessions: [UInt8] = [UInt8(ascii: "s")]

    /// The sessions of an installation.
    static func session(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "s")] + Array(id.rawValue.utf8)
    }

    /// A batch in flight.
    static func batch(_ id: UUID) -> [UInt8] {
        Self.batches + id.bytes
    }

    /// A dead letter: a batch that the platform refused for good.
    static func deadLetterBatch(_ id: UUID) -> [UInt8] {
        Self.deadLetterBatches + id.bytes
    }

    /// An alias request in flight.
    static func alias(_ id: UUID) -> [UInt8] {
        Self.aliases + id.bytes
    }

    /// A user who is being erased.
    static func tombstone(_ id: UUID) -> [UInt8] {
        Self.tombstones + id.bytes
    }

    /// The prefix of all users who are being erased.
    static let tombstones: [UInt8] = [UInt8(ascii: "e")]

    /// An erasure of the replicas that this directory has carried out.
    static func carriedOut(_ erasure: UUID) -> [UInt8] {
        Self.carriedOutErasures + erasure.bytes
    }

    /// The prefix of all erasures that this directory has carried out.
    static let carriedOutErasures: [UInt8] = [UInt8(ascii: "y")]

    /// The highest event number that a finished erasure has recorded; see ``Tombstone/note(erasedUpTo:in:)``.
    static let erasedUpTo: [UInt8] = [UInt8(ascii: "j")]

    /// An installation that is being reset.
    static func reset(_ number: UInt32, _ id: InstallationID) -> [UInt8] {
        Self.resets + withUnsafeBytes(of: number.bigEndian, Array.init) + Array(id.rawValue.utf8)
    }

    /// The day of an installation's last open that left no other trace.
    static func lastUse(_ number: UInt32) -> [UInt8] {
        [UInt8(ascii: "t")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The prefix of all installations that are being reset.
    static let resets: [UInt8] = [UInt8(ascii: "R")]

    /// The prefix of all records that cannot be read.
    package static let unreadables: [UInt8] = [UInt8(ascii: "x")]

    /// A new place for a record that cannot be read; different each time, so that none is overwritten.
    package static func unreadable(_ key: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "x")] + UUID.random().bytes + key
    }

    /// The prefix of all batches in flight.
    static let batches: [UInt8] = [UInt8(ascii: "b")]

    /// The prefix of all dead letters.
    static let deadLetterBatches: [UInt8] = [UInt8(ascii: "r")]

    /// The pause of uploads.
    static let uploadPause: [UInt8] = [UInt8(ascii: "u")]

    /// The pause of alias requests.
    static let aliasPause: [UInt8] = [UInt8(ascii: "U")]

    /// The wall clock at the last check.
    static let clock: [UInt8] = [UInt8(ascii: "c")]

    /// The way of the wall clock, for retention.
    static let retentionClock: [UInt8] = Self.clock + [UInt8(ascii: "r")]

    /// The prefix of the values that all installations of a service share.
    static let sharedServiceValues: [UInt8] = [UInt8(ascii: "K")]

    /// The prefix of the pending identity syncs of all installations.
    static let outboxes: [UInt8] = [UInt8(ascii: "L")]

    /// The pending identity sync of an installation's user with the other services.
    static func outbox(_ id: InstallationID) -> [UInt8] {
        Self.outboxes + Array(id.rawValue.utf8)
    }

    /// The prefix of all alias requests in flight.
    static let aliases: [UInt8] = [UInt8(ascii: "a")]
}
