// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport

/// An emulator on a clock that stands still, and requests to it, spelt by hand.
struct Platform {
    static let key = "us1-emulated"
    static let secret = "emulated-secret"

    let emulator: Emulator
    let time = ManualTime()

    init(_ configuration: EmulatorConfiguration = EmulatorConfiguration(), clock: ManualClock = ManualClock()) {
        self.emulator = Emulator(configuration, clock: clock, wallClock: self.time.date)
    }

    static func basic(_ text: String = "\(key):\(secret)") -> (String, String) {
        ("Authorization", "Basic " + Base64.encode(Array(text.utf8)))
    }

    static func request(
        _ path: String,
        _ body: [UInt8],
        method: TransportRequest.Method = .post,
        headers: [(String, String)] = [basic()]
    ) -> TransportRequest {
        var fields = HTTPHeaders()
        fields.append(name: "Content-Type", value: "application/json")
        for (name, value) in headers {
            fields.append(name: name, value: value)
        }
        return TransportRequest(method: method, url: "https://platform.example" + path, headers: fields, body: body)
    }

    /// As the mobile clients do it: a digest, with the date in the form of RFC 1123.
    static func signed(_ path: String, _ body: [UInt8], at milliseconds: Int64) -> TransportRequest {
        let date = HTTPDate.rfc1123(milliseconds: milliseconds)
        let code = HMACSHA256.authenticationCode(
            for: Array("POST\n\(date)\n\(path)".utf8) + body,
            key: Array(self.secret.utf8)
        )
        let signature = Hexadecimal.encode(code)
        return self.request(path, body, headers: [("x-mp-key", key), ("Date", date), ("x-mp-signature", signature)])
    }

    func post(_ path: String, _ body: JSONValue) async -> Answer {
        Answer(await self.emulator.handle(Self.request(path, body.encoded())))
    }

    /// `identify`, `login`, `logout` or `search`, signed.
    func resolve(
        _ call: String,
        _ identities: [String: String],
        previous: Int64? = nil
    ) async -> Answer {
        let body = Self.identityBody(identities, previous: previous).encoded()
        let request = Self.signed("/v1/\(call)", body, at: self.time.milliseconds)
        return Answer(await self.emulator.handle(request))
    }

    func modify(_ mpid: Int64, _ type: String, from old: String?, to new: String?) async -> Answer {
        let change: JSONValue = [
            "identity_type": .string(type), "old_value": old.map(JSONValue.string) ?? .null,
            "new_value": new.map(JSONValue.string) ?? .null,
        ]
        let body: JSONValue = ["environment": "development", "identity_changes": [change]]
        let request = Self.signed("/v1/\(mpid)/modify", body.encoded(), at: self.time.milliseconds)
        return Answer(await self.emulator.handle(request))
    }

    static func identityBody(_ identities: [String: String], previous: Int64? = nil) -> JSONValue {
        var known = JSONObject()
        for (name, value) in identities.sorted(by: { $0.key < $1.key }) {
            known[name] = .string(value)
        }
        var body: JSONObject = ["environment": "development", "known_identities": .object(known)]
        if let previous {
            body["previous_mpid"] = .string(String(previous))
        }
        return .object(body)
    }

    func user(_ mpid: Int64) -> EmulatedUser? {
        MPID(rawValue: mpid).flatMap(self.emulator.user)
    }

    /// The identities of a user by the names on the wire.
    func record(_ mpid: Int64) -> [String: Set<String>]? {
        self.user(mpid).map { user in
            Dictionary(uniqueKeysWithValues: user.identities.map { ($0.key.wireName, $0.value) })
        }
    }

    func events(_ mpid: Int64) -> [EmulatedEvent] {
        MPID(rawValue: mpid).map(self.emulator.events) ?? []
    }
}

/// What came back, and its body as JSON; null when it is none.
struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let json: JSONValue

    init(_ response: TransportResponse) {
        self.status = response.status
        self.headers = response.headers
        do {
            self.json = try JSONReader.read(response.body)
        } catch {
            self.json = .null
        }
    }

    var mpid: Int64? {
        self.json["mpid"]?.string.flatMap(Int64.init)
    }

    var isLoggedIn: Bool? {
        self.json["is_logged_in"]?.bool
    }

    /// The code of the first of `errors`.
    var errorCode: String? {
        self.json["errors"]?.array?.first?["code"]?.string
    }

    var errorMessage: String? {
        self.json["errors"]?.array?.first?["message"]?.string
    }
}
