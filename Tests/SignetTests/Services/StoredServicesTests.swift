// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Records that a service has left on disk, and that this runtime was not given.
@Suite(.watched) struct StoredServicesTests {
    private static let tag = UInt8(ascii: "z")

    /// Writes a memory and two records of an unknown service.
    private static func leave(_ signet: EmulatedSignet, on installation: Installation) throws -> ServiceRecords {
        let store = signet.runtime.context.store
        let records = ServiceRecords(store, tag: Self.tag, installation: installation.core.identityState.number)
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        encoder.write("text", "of-ann")
        let record = encoder.finish()
        try store.put(record, for: records.memoryKey)
        for ordinal in [1, 2] as [UInt64] { try store.put(record, for: records.key(ordinal)) }
        return records
    }

    @Test(arguments: [true, false]) func anErasureRemovesThemWhereTheUserIsKnown(isCurrent: Bool) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let (known, other) = (
                try await signet.runtime.open("known", identify: .none),
                try await signet.runtime.open("other", identify: .none)
            )
            let ann = try await known.login([.customerID: "ann"]).user.mpid
            if !isCurrent { try await known.login([.customerID: "bob"]) }
            try await other.login([.customerID: "cid"])
            let records = (try Self.leave(signet, on: known), try Self.leave(signet, on: other))
            try await signet.runtime.eraseUser(ann)
            #expect(!records.0.isThere)
            #expect(try records.0.keys().isEmpty)
            #expect(records.1.isThere)
            #expect(try records.1.keys().count == 2)
            #expect(signet.runtime.statistics.serviceCounts == ["other.records_erased": 2])
        }
    }

    @Test func anErasureRemovesThemWhereTheInstallationIsNotInMemory() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let ann: MPID
            let records: ServiceRecords
            do {
                let installation = try await signet.runtime.open("known", identify: .none)
                ann = try await installation.login([.customerID: "ann"]).user.mpid
                records = try Self.leave(signet, on: installation)
            }
            signet.runtime.evict("known")
            try await signet.runtime.eraseUser(ann)
            #expect(!records.isThere)
            #expect(try records.keys().isEmpty)
            #expect(signet.runtime.statistics.serviceCounts == ["other.records_erased": 2])
        }
    }

    /// A user who was never logged in leaves the installation's record with the next login, but not that of a service; one
    /// that cannot be read may name them.
    @Test(arguments: [true, false], [true, false])
    func anErasureRemovesThoseThatNameTheUser(isPresent: Bool, isReadable: Bool) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let gone = try #require(MPID(rawValue: -424_242_424_242))
            let (named, other): (ServiceRecords, ServiceRecords)
            do {
                let installations = (
                    try await signet.runtime.open("known", identify: .none),
                    try await signet.runtime.open("other", identify: .none)
                )
                for installation in [installations.0, installations.1] {
                    try await installation.login([.customerID: "bob"])
                }
                (named, other) = (
                    try Self.leave(signet, on: installations.0), try Self.leave(signet, on: installations.1)
                )
                var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
                encoder.write("turns", [["mpid": gone]])
                let record = isReadable ? encoder.finish() : Array("no record".utf8)
                try signet.runtime.context.store.put(record, for: named.key(2))
                if isPresent {
                    try await signet.runtime.eraseUser(gone)
                    withExtendedLifetime(installations) {}
                }
            }
            if !isPresent {
                signet.runtime.evict("known")
                signet.runtime.evict("other")
                try await signet.runtime.eraseUser(gone)
            }
            #expect(!named.isThere)
            #expect(try named.keys().isEmpty)
            #expect(try other.isThere && other.keys().count == 2)
            #expect(signet.runtime.statistics.serviceCounts == ["other.records_erased": 2])
        }
    }

    /// The process died after the first word of an erasure; the next one was not given the service.
    @Test func theNextStartRemovesThem() async throws {
        let folder = try TemporaryFolder()
        let platform = Emulator()
        let signet = try EmulatedSignet(in: folder.path, platform: platform, clock: ManualClock())
        let ann = try await signet.run { signet in
            let installation = try await signet.runtime.open("known", identify: .none)
            let ann = try await installation.login([.customerID: "ann"]).user.mpid
            _ = try Self.leave(signet, on: installation)
            let tombstone = Tombstone(of: ann)
            try signet.runtime.context.store.put(tombstone.encoded(), for: StateKey.tombstone(tombstone.id))
            return ann
        }
        let next = try EmulatedSignet(in: folder.path, platform: platform, clock: ManualClock())
        #expect(try next.runtime.context.store.keys(withPrefix: StateKey.services).isEmpty)
        #expect(next.runtime.statistics.serviceCounts == ["other.records_erased": 2])
        #expect(try !allBytes(in: folder.path).contains("of-ann"))
        #expect(try !allBytes(in: folder.path).contains(ann.description))
        await next.runtime.shutdown()
    }

    @Test func anErasureRemovesThoseOfNoInstallation() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let installation = try await signet.runtime.open("known", identify: .none)
            let ann = try await installation.login([.customerID: "ann"]).user.mpid
            let orphans = ServiceRecords(signet.runtime.context.store, tag: Self.tag, installation: 77)
            try signet.runtime.context.store.put([1], for: orphans.memoryKey)
            try signet.runtime.context.store.put([1], for: orphans.key(1))
            try await signet.runtime.eraseUser(ann)
            #expect(!orphans.isThere)
            #expect(try orphans.keys().isEmpty)
        }
    }

    @Test func aResetRemovesThoseOfItsInstallationAlone() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        try await signet.run { signet in
            let (reset, other) = (
                try await signet.runtime.open("reset", identify: .none),
                try await signet.runtime.open("other", identify: .none)
            )
            let records = (try Self.leave(signet, on: reset), try Self.leave(signet, on: other))
            try await reset.reset()
            #expect(!records.0.isThere)
            #expect(try records.0.keys().isEmpty)
            #expect(try records.1.isThere && records.1.keys().count == 2)
            #expect(signet.runtime.statistics.serviceCounts == ["other.records_erased": 2])
        }
    }

    @Test func theKeyOfARecordNamesItsInstallationItsServiceAndItsNumber() throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let records = ServiceRecords(signet.runtime.context.store, tag: Self.tag, installation: 0x0102_0304)
        #expect(records.memoryKey == [UInt8(ascii: "S"), 1, 2, 3, 4, Self.tag])
        #expect(records.key(5) == records.memoryKey + [0, 0, 0, 0, 0, 0, 0, 5])
        #expect(records.ordinal(of: records.key(.max)) == .max)
        #expect(records.ordinal(of: records.memoryKey) == nil)
        #expect(records.ordinal(of: [UInt8(ascii: "S"), 1, 2, 3, 5, Self.tag, 0, 0, 0, 0, 0, 0, 0, 5]) == nil)
        #expect(StateKey.service(in: records.key(5)).map { [$0.number, UInt32($0.tag)] } == [0x0102_0304, 0x7A])
        #expect(StateKey.service(in: [UInt8(ascii: "S"), 1, 2, 3]) == nil)
    }
}
