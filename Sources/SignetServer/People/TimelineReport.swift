// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

/// What a user did, in rows small enough for 10,000 events; a page asks for the later ones only.
struct TimelineReport: Sendable {
    private let emulator: Emulator
    private let choice: PageChoice
    private let user: KnownUser
    private let members: [KnownUser]

    init(_ emulator: Emulator, _ choice: PageChoice, _ user: KnownUser, links: PeopleReport) {
        self.emulator = emulator
        self.choice = choice
        self.user = user
        self.members = links.members(of: user)
    }

    /// Writes the events, identity calls, refusals and joins of the user.
    ///
    /// - Parameters:
    ///   - number: The number of the last event that the page has.
    ///   - fact: The number of the last fact that the page has.
    ///   - writer: Receives an object.
    func write(after number: Int, facts fact: Int, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", self.user.name)
        if let mpid = self.user.mpid {
            self.writeEvents(of: mpid, after: number, to: &writer)
            self.writeFacts(of: mpid, after: fact, to: &writer)
        }
        writer.key("joins")
        writer.beginArray()
        self.user.mpid.map { self.writeAliases(of: $0, to: &writer) }
        self.writeMerges(to: &writer)
        writer.endArray()
        writer.endObject()
    }

    private func writeEvents(of mpid: MPID, after number: Int, to writer: inout JSONWriter) {
        let (events, batches, total) = self.emulator.recordedEvents(of: mpid, after: number)
        writer.member("total", total)
        writer.key("batches")
        writer.beginObject()
        for (position, batch) in batches.sorted(by: { $0.key < $1.key }) {
            writer.key("\(position)")
            writer.beginObject()
            // Two devices of one model are two lanes.
            let device = EmulatedBatch.summary(of: batch.deviceInfo) + " " + (batch.json["mp_deviceid"]?.string ?? "")
            writer.member("device", device)
            writer.member("label", Self.label(of: batch))
            if let agent = batch.deviceInfo["http_header_user_agent"] { writer.member("agent", agent) }
            writer.endObject()
        }
        writer.endObject()
        writer.key("events")
        writer.beginArray()
        for event in events { Self.write(event, to: &writer) }
        writer.endArray()
    }

    private static func label(of batch: EmulatedBatch) -> String {
        let device = batch.deviceInfo
        let names = ["device_model", "product", "device", "brand", "platform"]
        return names.lazy.compactMap { device[$0] }.first { !$0.isEmpty } ?? batch.applicationInfo["application_name"]
            ?? ""
    }

    private static func write(_ recorded: RecordedEvent, to writer: inout JSONWriter) {
        let event = recorded.event
        writer.beginObject()
        writer.member("number", recorded.number)
        writer.member("time", event.timestamp)
        writer.member("type", event.type)
        writer.member("batch", recorded.batch)
        if let session = event.session { writer.member("session", session) }
        if let source = event.copiedFrom { writer.member("from", source.description) }
        if let text = Self.text(of: event) { writer.member("name", text) }
        writer.endObject()
    }

    /// The name of an event, or what a person would say of it.
    private static func text(of event: EmulatedEvent) -> String? {
        switch event.type {
        case "commerce_event": Self.commerce(event.data)
        case "user_identity_change": Self.identityChange(event.data)
        case "user_attribute_change": Self.attributeChange(event.data)
        default:
            event.name ?? event.data["application_transition_type"]?.string ?? event.data["message"]?.string
                ?? event.data["label"]?.string
        }
    }

    private static func commerce(_ data: JSONObject) -> String {
        let action = data["product_action"]
        let amount = action?["total_amount"]?.number.map {
            $0.text + (data["currency_code"]?.string.map { " \($0)" } ?? "")
        }
        let products = action?["products"]?.array.map { $0.count == 1 ? "1 product" : "\($0.count) products" }
        return [action?["action"]?.string, amount, products].compactMap(\.self).joined(separator: ", ")
    }

    private static func identityChange(_ data: JSONObject) -> String? {
        let new = data["new"]
        guard let type = new?["identity_type"]?.string ?? data["old"]?["identity_type"]?.string else { return nil }
        return type + Self.change(to: new?["identity"])
    }

    private static func attributeChange(_ data: JSONObject) -> String? {
        guard let name = data["user_attribute_name"]?.string else { return nil }
        return name + Self.change(to: data["deleted"]?.bool == true ? nil : data["new"])
    }

    // The details have long texts and lists whole.
    private static func change(to value: JSONValue?) -> String {
        guard let value, value != .null else { return ", removed" }
        return " \((value.string ?? String(decoding: value.encoded(), as: UTF8.self)).prefix(80))"
    }

    private func writeFacts(of mpid: MPID, after number: Int, to writer: inout JSONWriter) {
        writer.key("facts")
        writer.beginArray()
        for fact in self.emulator.facts() where fact.number > number && fact.concerns(mpid) {
            FactRow(fact)?.write(to: &writer)
        }
        writer.endArray()
    }

    private func writeAliases(of mpid: MPID, to writer: inout JSONWriter) {
        for alias in self.emulator.aliases() where alias.source == mpid || alias.destination == mpid {
            writer.beginObject()
            writer.member("kind", "alias")
            writer.member("time", alias.receivedAt.milliseconds)
            writer.member("from", alias.source.description)
            writer.member("title", "Alias from \(alias.source) to \(alias.destination)")
            writer.member("detail", alias.isProcessed ? "carried out" : "accepted, due later")
            writer.endObject()
        }
    }

    private func writeMerges(to writer: inout JSONWriter) {
        let names = Set(self.members.compactMap(\.iterableID))
        for merge in self.choice.iterable.merges() where names.contains(merge.destination) {
            writer.beginObject()
            writer.member("kind", "merge")
            writer.member("time", merge.receivedAt.milliseconds)
            writer.member("from", merge.source.text)
            writer.member("title", "Iterable: unknown user \(merge.source.text) became \(merge.destination.text)")
            writer.member("detail", "\(merge.outcome)")
            writer.endObject()
        }
    }
}

/// An identity call or a refused batch on a timeline.
struct FactRow: Sendable {
    private let number: Int
    /// By the client's clock, as the events beside it.
    private let time: Int64
    /// By the platform's clock.
    private let received: Int64
    private let kind: String
    private let title: String
    private let detail: String

    /// Nil for an accepted or repeated batch, whose events tell enough.
    init?(_ fact: PlatformFact) {
        self.number = fact.number
        self.time = fact.clientTime
        self.received = fact.time
        switch fact.content {
        case .identity(let call):
            self.kind = call.user == nil ? "refusedCall" : call.route.rawValue
            let names = call.identities.sorted { Self.order($0.key) < Self.order($1.key) }
            self.title = names.map { "\($0.key.wireName) \($0.value)" }.joined(separator: ", ")
            self.detail =
                switch call.outcome {
                case .user(let mpid, let isKnown, let isNew):
                    "\(isNew ? "new " : "")\(isKnown ? "known" : "anonymous") user \(mpid)"
                case .refused(let status, let reason): "\(status) \(reason)"
                }
        case .delivery(let delivery):
            guard case .refused(let status, let reason) = delivery.outcome else { return nil }
            self.kind = "refused"
            self.title = "batch of \(delivery.events)"
            self.detail = "\(status) \(reason)"
        }
    }

    // The stamp of the device is long, and users of one device share it: it comes last.
    private static func order(_ type: IdentityType) -> (Int, IdentityType) {
        (type == .deviceApplicationStamp ? 1 : 0, type)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", self.number)
        writer.member("time", self.time)
        writer.member("received", self.received)
        writer.member("kind", self.kind)
        writer.member("title", self.title)
        writer.member("detail", self.detail)
        writer.endObject()
    }
}
#endif
