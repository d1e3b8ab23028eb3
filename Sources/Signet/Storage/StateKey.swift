//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

/// The names of records in the state log: one letter for the kind, then whose.
enum StateKey {
    /// What binds the directory to a workspace.
    static let workspace: [UInt8] = [UInt8(ascii: "w")]

    /// What an installation remembers of identity.
    static func identity(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "i")] + Array(id.rawValue.utf8)
    }

    /// What all installations remember of identity.
    static let identities: [UInt8] = [UInt8(ascii: "i")]

    /// The installation of a number.
    static func number(_ number: UInt32) -> [UInt8] {
        [UInt8(ascii: "n")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// The installations of all numbers.
    static let numberedInstallations: [UInt8] = [UInt8(ascii: "n")]

    /// The number in such a key.
    static func number(in key: [UInt8]) -> UInt32? {
        guard key.count == 5, key[0] == UInt8(ascii: "n") else { return nil }
        return key.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// How far the numbers of installations are given.
    static let numbers: [UInt8] = [UInt8(ascii: "N")]

    /// What the configuration said of events, of a number.
    static func context(_ number: UInt16) -> [UInt8] {
        [UInt8(ascii: "P")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// What is said of an installation, of a number.
    static func ownContext(_ number: UInt32) -> [UInt8] {
        Self.ownContexts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// All such.
    static let ownContexts: [UInt8] = [UInt8(ascii: "D")]

    /// The number in such a key.
    static func ownContextNumber(in key: [UInt8]) -> UInt32? {
        guard key.count == 5, key.starts(with: Self.ownContexts) else { return nil }
        return key.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Which of them is the one of an installation.
    static func chosenContext(_ id: InstallationID) -> [UInt8] {
        Self.chosenContexts + Array(id.rawValue.utf8)
    }

    /// All such.
    static let chosenContexts: [UInt8] = [UInt8(ascii: "C")]

    /// The data plan of a number, in directories of versions before 0.2.
    static func plan(_ number: UInt8) -> [UInt8] {
        [UInt8(ascii: "p"), number]
    }

    /// An opt-out, until the events of the installation up to this one are dropped.
    ///
    /// Each has a record of its own: one that is done with takes no other away that is said meanwhile.
    static func optOut(_ number: UInt32, upTo sequence: UInt64) -> [UInt8] {
        Self.optOuts(of: number) + withUnsafeBytes(of: sequence.bigEndian, Array.init)
    }

    /// All such of an installation.
    static func optOuts(of number: UInt32) -> [UInt8] {
        Self.optOuts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// All such.
    static let optOuts: [UInt8] = [UInt8(ascii: "o")]

    /// An opt-out whose event may not be in the journal yet.
    static func dueOptOut(_ number: UInt32) -> [UInt8] {
        Self.dueOptOuts + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// All such.
    static let dueOptOuts: [UInt8] = [UInt8(ascii: "d")]

    /// What a user of an installation did last; nobody's before there is one.
    static func breadcrumbs(_ number: UInt32, _ user: MPID?) -> [UInt8] {
        Self.breadcrumbs(ofAllOn: number) + withUnsafeBytes(of: (user?.rawValue ?? 0).bigEndian, Array.init)
    }

    /// What all users of an installation did last.
    static func breadcrumbs(ofAllOn number: UInt32) -> [UInt8] {
        Self.breadcrumbs + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// All such.
    static let breadcrumbs: [UInt8] = [UInt8(ascii: "B")]

    /// What ephemeral users of an installation agreed to who have gone.
    static func departedConsents(_ number: UInt32) -> [UInt8] {
        Self.departedConsents + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// All such.
    static let departedConsents: [UInt8] = [UInt8(ascii: "E")]

    /// What an installation remembers of the launches of its app.
    static func launch(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "l")] + Array(id.rawValue.utf8)
    }

    /// What all installations remember of their sessions.
    static let sessions: [UInt8] = [UInt8(ascii: "s")]

    /// What an installation remembers of its sessions.
    static func session(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "s")] + Array(id.rawValue.utf8)
    }

    /// A batch on its way.
    static func batch(_ id: UUID) -> [UInt8] {
        Self.batches + id.bytes
    }

    /// A batch that the platform refused for good.
    static func deadLetterBatch(_ id: UUID) -> [UInt8] {
        Self.deadLetterBatches + id.bytes
    }

    /// An alias request on its way.
    static func alias(_ id: UUID) -> [UInt8] {
        Self.aliases + id.bytes
    }

    /// A user who is being erased.
    static func tombstone(_ id: UUID) -> [UInt8] {
        Self.tombstones + id.bytes
    }

    /// All users who are being erased.
    static let tombstones: [UInt8] = [UInt8(ascii: "e")]

    /// The highest event number that a finished erasure has recorded; see ``Tombstone/note(erasedUpTo:in:)``.
    static let erasedUpTo: [UInt8] = [UInt8(ascii: "j")]

    /// An installation that is being reset.
    static func reset(_ number: UInt32, _ id: InstallationID) -> [UInt8] {
        Self.resets + withUnsafeBytes(of: number.bigEndian, Array.init) + Array(id.rawValue.utf8)
    }

    /// All installations that are being reset.
    static let resets: [UInt8] = [UInt8(ascii: "R")]

    /// All records that cannot be read.
    static let unreadables: [UInt8] = [UInt8(ascii: "x")]

    /// Where a record goes that cannot be read; each time another place, so that none is overwritten.
    static func unreadable(_ key: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "x")] + UUID.random().bytes + key
    }

    /// Whether a key is where the record of a profile went that could not be read.
    static func isUnreadableInfobip(_ key: [UInt8]) -> Bool {
        let original = key.dropFirst(1 + 16)
        return key.starts(with: Self.unreadables) && original.count == 5 && original.first == UInt8(ascii: "q")
    }

    /// All batches on their way.
    static let batches: [UInt8] = [UInt8(ascii: "b")]

    /// All batches that the platform refused for good.
    static let deadLetterBatches: [UInt8] = [UInt8(ascii: "r")]

    /// How long uploads pause.
    static let uploadPause: [UInt8] = [UInt8(ascii: "u")]

    /// How long alias requests pause.
    static let aliasPause: [UInt8] = [UInt8(ascii: "U")]

    /// Where the wall clock stood when somebody last looked.
    static let clock: [UInt8] = [UInt8(ascii: "c")]

    /// What an installation remembers of its visitor.
    static func iterableMemory(_ number: UInt32) -> [UInt8] {
        Self.iterable + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// What all installations remember of their visitors.
    static let iterable: [UInt8] = [UInt8(ascii: "v")]

    /// A record of a visitor.
    static func iterableRecord(_ number: UInt32, _ ordinal: UInt64) -> [UInt8] {
        Self.iterableRecords(number) + withUnsafeBytes(of: ordinal.bigEndian, Array.init)
    }

    /// All records of a visitor.
    static func iterableRecords(_ number: UInt32) -> [UInt8] {
        [UInt8(ascii: "V")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// What all installations remember of their profiles.
    static let infobip: [UInt8] = [UInt8(ascii: "q")]

    /// The number of the installation in the key of its profile.
    static func infobipNumber(in key: [UInt8]) -> UInt32? {
        guard key.count == 5, key.starts(with: Self.infobip) else { return nil }
        return key.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What an installation remembers of its profile.
    static func infobipMemory(_ number: UInt32) -> [UInt8] {
        Self.infobip + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// An event of a person, on its way to Infobip.
    static func infobipEvent(_ number: UInt32, _ ordinal: UInt64) -> [UInt8] {
        Self.infobipEvents(number) + withUnsafeBytes(of: ordinal.bigEndian, Array.init)
    }

    /// All such of an installation.
    static func infobipEvents(_ number: UInt32) -> [UInt8] {
        [UInt8(ascii: "Q")] + withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// Where Infobip of an application is, by a hash of its code.
    static func infobipServer(_ application: String) -> [UInt8] {
        [UInt8(ascii: "h")] + Array(application.utf8)
    }

    /// What other services are to do about the user of an installation.
    static func linked(_ id: InstallationID) -> [UInt8] {
        [UInt8(ascii: "L")] + Array(id.rawValue.utf8)
    }

    /// The criteria of a project, by a hash of its key.
    static func criteria(_ project: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "f")] + project
    }

    /// All alias requests on their way.
    static let aliases: [UInt8] = [UInt8(ascii: "a")]
}
