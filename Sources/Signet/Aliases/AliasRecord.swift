// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

/// A pending alias request, as persisted.
struct AliasRecord: Sendable, Hashable {
    /// The id of the request, the same for every try.
    let id: UUID
    /// The installation on which the alias was requested.
    let installation: InstallationID
    /// The permanent id of the installation.
    let deviceApplicationStamp: UUID
    let source: MPID
    let destination: MPID
    /// The beginning of the window, in milliseconds since 1970.
    let start: Int64
    /// The end of the window, in milliseconds since 1970.
    let end: Int64
    /// The last event of the journal at the request; all events up to it are sent first.
    let lastEvent: UInt64
    /// The time of the request, in milliseconds since 1970.
    private(set) var requested: Int64?
    /// The hours for which it was refused without a reason of the platform; nil if it was not.
    private(set) var refusals: UnexplainedRefusals?

    init(
        id: UUID,
        installation: InstallationID,
        deviceApplicationStamp: UUID,
        source: MPID,
        destination: MPID,
        start: Int64,
        end: Int64,
        lastEvent: UInt64
    ) {
        self.id = id
        self.installation = installation
        self.deviceApplicationStamp = deviceApplicationStamp
        self.source = source
        self.destination = destination
        self.start = start
        self.end = end
        self.lastEvent = lastEvent
    }

    /// Returns the same request with another count of its refusals.
    func refused(_ refusals: UnexplainedRefusals) -> AliasRecord {
        var other = self
        other.refusals = refusals
        return other
    }
}

extension AliasRecord {
    /// Makes the record of a request.
    init(
        _ request: AliasRequest,
        _ window: (start: Int64, end: Int64),
        of installation: InstallationID,
        stamp: UUID,
        after lastEvent: UInt64,
        at milliseconds: Int64
    ) {
        self.init(
            id: .random(),
            installation: installation,
            deviceApplicationStamp: stamp,
            source: request.source,
            destination: request.destination,
            start: window.start,
            end: window.end,
            lastEvent: lastEvent
        )
        self.requested = milliseconds
    }
}

extension AliasRecord: StoredRecord {
    static var subject: String { "an alias request" }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.id)
        encoder.write("app", self.installation.rawValue)
        encoder.write("stamp", self.deviceApplicationStamp)
        encoder.write("from", self.source)
        encoder.write("to", self.destination)
        encoder.write("start", self.start)
        encoder.write("end", self.end)
        encoder.write("after", self.lastEvent)
        encoder.write("at", self.requested)
        encoder.write("no400", self.refusals)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            id: decoder.read("id"),
            installation: InstallationID(decoder.read("app")),
            deviceApplicationStamp: decoder.read("stamp"),
            source: decoder.read("from"),
            destination: decoder.read("to"),
            start: decoder.read("start"),
            end: decoder.read("end"),
            lastEvent: decoder.read("after")
        )
        self.requested = try decoder.optional("at")
        self.refusals = try decoder.optional("no400")
    }
}

extension AliasRecord {
    /// The requests of an earlier process, ordered by the event they wait for.
    static func stored(_ context: RuntimeContext) -> [AliasRecord] {
        do throws(SignetError) {
            return try context.store.values(withPrefix: StateKey.aliases) {
                context.observer.corruptionDetected($0.message)
            }
            .compactMap { key, value in
                if let record = AliasRecord(value) { return record }
                context.observer.corruptionDetected(
                    "A stored alias request cannot be read. It stays on disk unsent."
                )
                return nil
            }
            .sorted { $0.lastEvent < $1.lastEvent }
        } catch {
            context.observer.corruptionDetected("Stored alias requests cannot be read: \(error.message)")
            return []
        }
    }

    /// Encodes the request as JSON.
    ///
    /// A window that was within the limits at the request stays within them however late it is sent. A minute is reserved for
    /// the transfer and for clocks that differ, because otherwise the platform refuses the whole request.
    func body(_ context: RuntimeContext) -> [UInt8] {
        let earliest = context.time.milliseconds - Int64(AliasRequest.maximumWindow) * 86_400_000 + 60_000
        return AliasBody(
            requestID: self.id,
            environment: context.configuration.environment,
            apiKey: context.configuration.apiKey,
            source: self.source,
            destination: self.destination,
            start: max(self.start, min(earliest, self.end - 1)),
            end: self.end,
            deviceApplicationStamp: self.deviceApplicationStamp
        ).encoded()
    }
}
