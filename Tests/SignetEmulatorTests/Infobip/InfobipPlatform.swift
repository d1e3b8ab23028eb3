// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// An application on an emulator whose clock stands still, and requests to it as the vendor's client spells them.
struct InfobipPlatform {
    static let code = "emulated-application"
    /// Of the code above, computed with another program (`sha256sum`).
    static let hash = "5e6404d048"

    let emulator: Emulator
    let time = ManualTime()

    init(_ application: EmulatedInfobipApplication = EmulatedInfobipApplication(), clock: ManualClock = ManualClock()) {
        var configuration = EmulatorConfiguration()
        configuration.applications = [application]
        self.emulator = Emulator(configuration, clock: clock, wallClock: self.time.date)
    }

    var infobip: EmulatedInfobip {
        self.emulator.infobip
    }

    static func headers(
        _ registration: String?,
        authorization: String = "App " + code,
        hash: String = hash
    ) -> [(String, String)] {
        let fields = [
            ("Authorization", authorization), ("applicationcode", hash), ("installationid", "U"),
            ("foreground", "true"), ("User-Agent", "MobileMessaging/15.5.2(iOS;18;;;;;;;;)"),
            ("Accept", "application/json"), ("Content-Type", "application/json"),
        ]
        return fields + (registration.map { [("pushregistrationid", $0)] } ?? [])
    }

    static func request(
        _ method: TransportRequest.Method,
        _ path: String,
        _ body: String = "",
        headers: [(String, String)]
    ) -> TransportRequest {
        var fields = HTTPHeaders()
        for (name, value) in headers {
            fields.append(name: name, value: value)
        }
        return TransportRequest(
            method: method,
            url: "https://mobile.infobip.com/mobile/1/" + path,
            headers: fields,
            body: Array(body.utf8)
        )
    }

    func send(
        _ method: TransportRequest.Method,
        _ path: String,
        _ body: String = "",
        as registration: String?,
        authorization: String = "App " + code
    ) async -> InfobipAnswer {
        let headers = Self.headers(registration, authorization: authorization)
        return InfobipAnswer(await self.emulator.handle(Self.request(method, path, body, headers: headers)))
    }

    // MARK: Requests

    /// Registers an installation; the id.
    func register(_ token: String) async throws -> String {
        let body = #"{"pushServiceToken":"\#(token)","pushServiceType":"APNS","regEnabled":true,"os":"iOS"}"#
        let answer = await self.send(.post, "appinstance?rt=1", body, as: nil)
        return try #require(answer.json["pushRegId"]?.string)
    }

    func fetch(_ id: String) async -> InfobipAnswer {
        await self.send(.get, "appinstance/\(id)/user?ri=1&rt=0", as: id)
    }

    @discardableResult
    func save(_ id: String, _ body: String) async -> InfobipAnswer {
        await self.send(.patch, "appinstance/\(id)/user?ri=0&rt=0", body, as: id)
    }

    @discardableResult
    func change(_ target: String, _ body: String, as id: String? = nil) async -> InfobipAnswer {
        await self.send(.patch, "appinstance/\(target)?rt=0", body, as: id ?? target)
    }

    @discardableResult
    func depersonalize(_ target: String, as id: String? = nil) async -> InfobipAnswer {
        await self.send(.post, "appinstance/\(target)/depersonalize", as: id ?? target)
    }

    @discardableResult
    func personalize(
        _ id: String,
        _ identity: String,
        attributes: String? = nil,
        force: Bool = false,
        keepAsLead: Bool = false,
        primary: Bool = false
    ) async -> InfobipAnswer {
        let query =
            "forceDepersonalize=\(force ? 1 : 0)&keepAsLead=\(keepAsLead ? 1 : 0)&setDeviceAsPrimary=\(primary ? 1 : 0)"
        let body = #"{"userIdentity":\#(identity)\#(attributes.map { #","userAttributes":"# + $0 } ?? "")}"#
        return await self.send(.post, "appinstance/\(id)/personalize?\(query)", body, as: id)
    }
}

/// What came back from Infobip's API.
struct InfobipAnswer {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
    let json: JSONValue

    init(_ response: TransportResponse) {
        let answer = Answer(response)
        self.status = answer.status
        self.headers = answer.headers
        self.body = response.body
        self.json = answer.json
    }

    /// What it was refused with.
    var messageID: String? {
        self.json["requestError"]?["serviceException"]?["messageId"]?.string
    }

    var text: String {
        String(decoding: self.body, as: UTF8.self)
    }
}
