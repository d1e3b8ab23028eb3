// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport

/// Requests as mParticle's SDK for browsers sends them (2.71.2), written by hand.
enum WebClient {
    static let paths = ["/v3/JS/us1-emulated/events", "/webevents/v3/JS/us1-emulated/events"]
    static let text = ("Content-Type", "text/plain;charset=UTF-8")
    static let session = "00000000-0000-4000-8000-000000000001"

    /// An event with what all events of the SDK have: a session without a number, and any single value as attribute.
    static func event(_ type: String, _ members: String) -> String {
        #"{"event_type":"\#(type)","data":{\#(members.isEmpty ? "" : members + ",")"#
            + #""timestamp_unixtime_ms":1700000000000,"session_uuid":"\#(Self.session)","#
            + #""session_start_unixtime_ms":1700000000000,"#
            + #""custom_attributes":{"text":"t","whole":3,"part":1.5,"yes":true,"none":null},"location":null,"#
            + #""source_message_id":"00000000-0000-4000-8000-000000000002","active_time_on_site_ms":12,"#
            + #""page_url":"https://shop.example/"}}"#
    }

    static func batch(_ events: [String], mpid: String = #""7""#, more: String = "") -> [UInt8] {
        let text =
            #"{"source_request_id":"b-1","mpid":\#(mpid),"timestamp_unixtime_ms":1700000000000,"#
            + #""environment":"development","events":[\#(events.joined(separator: ","))],"#
            + #""mp_deviceid":"00000000-0000-4000-8000-000000000003","sdk_version":"2.71.2","#
            + #""application_info":{"application_version":"1","application_name":"Shop","sideloaded_kits_count":1},"#
            + #""device_info":{"platform":"web","screen_width":1512,"screen_height":982},"#
            + #""user_attributes":{"plan":"gold","visits":3,"sizes":["s","m"]},"#
            + #""user_identities":{"customer_id":"c"},"integration_attributes":{},"#
            + #""consent_state":{"gdpr":{"ads":{"consented":true,"timestamp_unixtime_ms":1}},"ccpa":null}\#(more)}"#
        return Array(text.utf8)
    }

    static func send(
        _ body: [UInt8],
        to platform: Platform,
        path: String = paths[0],
        method: TransportRequest.Method = .post,
        headers: [(String, String)] = [text]
    ) async -> Answer {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.append(name: name, value: value) }
        let url = "https://jssdks.example" + path
        return Answer(
            await platform.emulator.handle(TransportRequest(method: method, url: url, headers: fields, body: body))
        )
    }

    /// The same batch for `/v2/events`: an MPID as a number, and no member that only the SDK has.
    static func strict(_ event: String) -> [UInt8] {
        Array(#"{"environment":"development","mpid":7,"events":[\#(event)]}"#.utf8)
    }
}
