// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTransport

/// Requests to the emulated services, spelt by hand: at least one for each of their paths, in an order that makes sense.
enum Requests {
    static let basic = ("Authorization", "Basic " + Base64.encode(Array("us1-emulated:emulated-secret".utf8)))
    private static let json = ("Content-Type", "application/json")
    private static let text = ("Content-Type", "text/plain;charset=UTF-8")
    private static let project = [json, ("Api-Key", "emulated-project")]
    private static let user = #""userId":"u","preferUserId":true"#
    private static let item = #"{"id":"i","name":"n","price":1,"quantity":1}"#
    private static let device = #""deviceInfo":{"deviceId":"d","platform":"iOS","appPackageName":"com.example"}"#

    /// What an installation of the emulated application is called that registers first.
    static var registration: String {
        Hexadecimal.encode(Array(SHA256.hash(Array("emulated-application 1".utf8)).prefix(16)))
    }

    static func identity(_ customer: String, previous: String? = nil) -> String {
        #"{"client_sdk":{"platform":"web","sdk_vendor":"x","sdk_version":"1"},"environment":"development","#
            + #""request_id":"r","request_timestamp_ms":1,"#
            + (previous.map { #""previous_mpid":"\#($0)","# } ?? "")
            + #""known_identities":{"\#(customer.hasPrefix("d") ? "device_application_stamp" : "customerid")":"\#(customer)"}}"#
    }

    static func batch(_ id: String, customer: String) -> String {
        #"{"environment":"development","source_request_id":"\#(id)","user_identities":{"customer_id":"\#(customer)"},"events":"#
            + #"[{"event_type":"custom_event","data":{"event_name":"seen","custom_event_type":"other","session_id":5}}]}"#
    }

    /// Of a workspace whose users are counted from 1.
    static var all: [(method: TransportRequest.Method, path: String, body: String, headers: [(String, String)])] {
        let alias =
            #"{"request_type":"alias","request_id":"a","environment":"development","api_key":"us1-emulated","#
            + #""data":{"source_mpid":1,"destination_mpid":2}}"#
        let modify =
            #"{"environment":"development","identity_changes":[{"identity_type":"email","old_value":null,"#
            + #""new_value":"a@example.com"}]}"#
        let platform: [(String, String)] = [
            ("/v1/identify", identity("d1")), ("/v1/login", identity("c1")), ("/identity/v1/search", identity("c1")),
            ("/v1/2/modify", modify), ("/v1/logout", identity("d2")), ("/v1/identity/us1-emulated/alias", alias),
            ("/v2/events", batch("b1", customer: "c1")),
            ("/nativeevents/v2/bulkevents", "[\(batch("b2", customer: "c2"))]"),
        ]
        // Of a web page: the key in the path, and no other credentials.
        let page: [(TransportRequest.Method, String, String)] = [
            (.get, "/tags/JS/v2/us1-emulated/config?env=1", ""),
            (.post, "/webevents/v3/JS/us1-emulated/events", batch("b3", customer: "c1")),
            (.post, "/webevents/v1/identity/us1-emulated/Alias", alias),
            (.post, "/webevents/v1/JS/us1-emulated/Forwarding", "{}"),
        ]
        let session =
            #"{"user":{"userId":"n","preferUserId":true},\#(device),"createdAt":9,"unknownSessionContext":"#
            + #"{"totalUnknownSessionCount":1,"lastUnknownSession":2,"firstUnknownSession":1}}"#
        let visitors: [(TransportRequest.Method, String, String)] = [
            (.get, "/api/unknownuser/list", ""), (.post, "/api/unknownuser/events/session", session),
            (.post, "/api/unknownuser/consent", #"{"consentTimestamp":1,"userId":"n","isUserKnown":false,\#(device)}"#),
            (.post, "/api/users/merge", #"{"sourceUserId":"n","destinationUserId":"u"}"#),
            (.post, "/api/events/track", #"{\#(user),"eventName":"e"}"#),
            (.post, "/api/commerce/trackPurchase", #"{"user":{\#(user)},"total":1,"items":[\#(item)]}"#),
            (.post, "/api/commerce/updateCart", #"{"user":{\#(user)},"items":[\#(item)]}"#),
            (.post, "/api/users/update", #"{\#(user),"dataFields":{"a":1}}"#),
            (.post, "/api/users/updateEmail", #"{"currentUserId":"u","newEmail":"a@example.com"}"#),
            (
                .post, "/api/users/registerDeviceToken",
                #"{"email":"a@example.com","device":{"token":"t","platform":"APNS","applicationName":"a","dataFields":{}}}"#
            ),
            (.post, "/api/users/disableDevice", #"{"token":"t","email":"a@example.com"}"#),
            (.get, "/api/mobile/getRemoteConfiguration?platform=iOS&systemVersion=1&SDKVersion=1", ""),
        ]
        let me = "/mobile/1/appinstance/" + registration
        let people: [(TransportRequest.Method, String, String)] = [
            (.get, "/mobile/1/baseurl", ""),
            (
                .post, "/mobile/1/appinstance?rt=1",
                #"{"pushServiceToken":"t","pushServiceType":"APNS","regEnabled":true,"os":"iOS"}"#
            ),
            (.get, me + "?rt=1", ""), (.patch, me + "?rt=0", #"{"isPrimary":true}"#),
            (
                .post, me + "/personalize?forceDepersonalize=0&keepAsLead=0&setDeviceAsPrimary=0",
                #"{"userIdentity":{"externalUserId":"x"}}"#
            ),
            (.get, me + "/user?ri=1&rt=0", ""), (.patch, me + "/user?ri=0&rt=0", #"{"firstName":"A"}"#),
            (
                .post, me + "/user/events/custom?validate=false",
                #"{"events":[{"definitionId":"e","date":"2026-01-01T00:00:00Z","properties":{}}]}"#
            ),
            (
                .post, me + "/user/events/session",
                #"{"sessionStarts":["2024-05-01T09:00:00Z"],"sessionBounds":{"2024-05-01T08:00:00Z":"2024-05-01T08:03:25Z"},"systemData":{"os":"iOS"}}"#
            ),
            (.post, me + "/depersonalize", ""),
            (.post, me + "/repersonalize", #"{"userIdentity":{"externalUserId":"x"}}"#),
            (.delete, "/mobile/1/appinstance/other", ""),
        ]
        let hash = Hexadecimal.encode(Array(SHA256.hash(Array("emulated-application".utf8)).prefix(5)))
        let application = [
            json, ("Authorization", "App emulated-application"), ("applicationcode", hash),
            ("pushregistrationid", registration),
        ]
        return platform.map { (.post, $0.0, $0.1, [json, basic]) } + page.map { ($0.0, $0.1, $0.2, [text]) }
            + visitors.map { ($0.0, $0.1, $0.2, project) }
            + people.map { ($0.0, $0.1, $0.2, application) }
    }
}
#endif
