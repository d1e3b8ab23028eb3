// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipTokenFaultTests {
    private static let header: JSONObject = ["alg": "HS256", "typ": "JWT", "kid": "k"]
    private static let payload: JSONObject = [
        "typ": "Bearer", "sub": "s", "infobip-api-key": "k", "iat": 1, "exp": 100, "jti": "j",
    ]

    private static func part(_ object: JSONObject) -> String {
        let text = Base64.encode(JSONValue.object(object).encoded())
        return String(text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    private static func token(_ header: JSONObject = header, _ payload: JSONObject = payload) -> String {
        part(header) + "." + part(payload) + ".signature"
    }

    private static func without(_ key: String, _ object: JSONObject) -> JSONObject {
        var object = object
        object[key] = Optional<JSONValue>.none
        return object
    }

    @Test func aTokenThatIsWholeIsSent() {
        #expect(InfobipTokenFault.fault(in: Self.token(), now: 99_999) == nil)
        let padded = Base64.encode(JSONValue.object(Self.header).encoded()) + "." + Self.part(Self.payload) + "."
        #expect(InfobipTokenFault.fault(in: padded, now: 0) == nil)
    }

    @Test func eachPartIsCheckedInItsTurn() {
        let table: [(String, InfobipTokenFault)] = [
            ("", .empty), (" \t\n", .empty), ("a.b", .notThreeParts), ("a.b.c.d", .notThreeParts),
            ("!.b.c", .headerNotJSON), ("W10.b.c", .headerNotJSON), (Self.part(Self.header) + ".!.c", .payloadNotJSON),
            (Self.part(Self.header) + ".bnVsbA.c", .payloadNotJSON),
        ]
        for (token, fault) in table {
            #expect(InfobipTokenFault.fault(in: token, now: 0) == fault, "\(token)")
        }
        for key in Self.header.keys {
            let token = Self.token(Self.without(key, Self.header))
            #expect(InfobipTokenFault.fault(in: token, now: 0) == .headerIncomplete)
        }
        for key in Self.payload.keys {
            let token = Self.token(Self.header, Self.without(key, Self.payload))
            #expect(InfobipTokenFault.fault(in: token, now: 0) == .claimsMissing)
        }
    }

    @Test func theTimeIsANumberOrTheTextOfOne() {
        let table: [(JSONValue, Int64, Bool)] = [
            (100, 99_999, false), (100, 100_000, true), (100.5, 100_499, false), (100.5, 100_500, true),
            ("100", 99_999, false), ("100", 100_000, true), ("soon", 0, true), (true, 0, true), ("nan", 0, true),
            ("inf", 0, true),
        ]
        for (expiry, now, isExpired) in table {
            var payload = Self.payload
            payload["exp"] = expiry
            let fault = InfobipTokenFault.fault(in: Self.token(Self.header, payload), now: now)
            #expect(fault == (isExpired ? .expired : nil), "\(expiry)")
        }
    }

    @Test func thereAreTwoCodesAndATextForEachFault() {
        #expect(Set(InfobipTokenFault.allCases.map(\.rawValue)).count == 7)
        #expect(
            InfobipTokenFault.allCases.map(\.code) == Array(repeating: "JWT_TOKEN_STRUCTURE_INVALID", count: 6)
                + ["JWT_TOKEN_EXPIRED"]
        )
    }
}
