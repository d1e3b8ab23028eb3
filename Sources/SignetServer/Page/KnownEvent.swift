// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// An event of any of the services, in a common form for the live page.
struct KnownEvent: Sendable {
    let type: String
    let name: String?
    /// Milliseconds since 1970.
    let time: Int64
    let session: String?
    private let data: JSONValue

    init(_ event: EmulatedEvent) {
        self.type = event.type
        self.name = event.name
        self.time = event.timestamp
        self.session = event.session
        self.data = .object(event.data)
    }

    init(_ event: EmulatedIterableEvent) {
        self.type = "\(event.kind)"
        self.name = event.name
        self.time = event.receivedAt.milliseconds
        self.session = nil
        self.data = .object(event.json)
    }

    init(_ event: EmulatedInfobipEvent) {
        self.type = "custom"
        self.name = event.definitionID
        self.time = event.receivedAt.milliseconds
        self.session = nil
        self.data = .object(event.json)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", self.type)
        if let name = self.name { writer.member("name", name) }
        writer.member("time", self.time)
        if let session = self.session { writer.member("session", session) }
        // Sent as text, because a script would round whole numbers beyond 2^53.
        writer.member("data", String(decoding: self.data.encoded(), as: UTF8.self))
        writer.endObject()
    }
}
#endif
