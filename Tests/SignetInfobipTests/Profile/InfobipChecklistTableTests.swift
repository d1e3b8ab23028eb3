// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// The tables of facts 4.3, 3.4 and 2.9 (rows 28, 37 and 50 of the checklist), through the whole runtime.
@Suite struct InfobipChecklistTableTests {
    /// What the service has, what an app saves, and what is sent of it; nil is no request.
    private static let deltas: [(known: String, change: @Sendable (inout InfobipUserChanges) -> Void, sent: String?)] =
        [
            ("{}", { _ in }, nil),
            ("{}", { $0.firstName = .clear }, nil),
            (#"{"firstName":"1"}"#, { $0.firstName = .clear }, #"{"firstName":null}"#),
            ("{}", { $0.firstName = .set("1") }, #"{"firstName":"1"}"#),
            (#"{"firstName":"1"}"#, { $0.firstName = .set("1") }, nil),
            (#"{"firstName":"1"}"#, { $0.firstName = .set("2") }, #"{"firstName":"2"}"#),
            // What is not touched, and a custom attribute that is not named, stays.
            (#"{"firstName":"1"}"#, { $0.lastName = .set("2") }, #"{"lastName":"2"}"#),
            (#"{"customAttributes":{"x":1,"y":2}}"#, { $0.customAttributes = ["x": .set(1)] }, nil),
            (
                #"{"customAttributes":{"x":1,"y":2}}"#, { $0.customAttributes = ["x": .set(5), "y": .clear] },
                #"{"customAttributes":{"x":5,"y":null}}"#
            ),
            ("{}", { $0.customAttributes = ["x": .set(1)] }, #"{"customAttributes":{"x":1}}"#),
            // An erase is sent once.
            ("{}", { $0.customAttributes = ["y": .clear] }, nil),
            ("{}", { $0.customAttributes = ["y": .untouched] }, nil),
            (
                #"{"phones":[{"number":"11111"},{"number":"22222"}]}"#, { $0.phones = .set(["22222", "11111"]) },
                #"{"phones":[{"number":"22222"},{"number":"11111"}]}"#
            ),
            (#"{"phones":[{"number":"11111"}]}"#, { $0.phones = .set(["+11111"]) }, nil),
            (#"{"tags":["b","a"]}"#, { $0.tags = .set(["a", "b"]) }, nil),
            (#"{"tags":["a"]}"#, { $0.tags = .set([]) }, #"{"tags":[]}"#),
            ("{}", { $0.tags = .set([]) }, nil),
            (
                #"{"customAttributes":{"l":[{"a":1}]}}"#, { $0.customAttributes["l"] = .set([["a": 2]]) },
                #"{"customAttributes":{"l":[{"a":2}]}}"#
            ),
            (#"{"customAttributes":{"l":[{"a":1}]}}"#, { $0.customAttributes["l"] = .set([["a": 1.0]]) }, nil),
            (#"{"customAttributes":{"n":10}}"#, { $0.customAttributes["n"] = .set(10.0) }, nil),
            (
                #"{"customAttributes":{"n":1}}"#, { $0.customAttributes["n"] = .set(true) },
                #"{"customAttributes":{"n":true}}"#
            ),
            (
                #"{"customAttributes":{"s":"s"}}"#, { $0.customAttributes["s"] = .set([["x": 1]]) },
                #"{"customAttributes":{"s":[{"x":1}]}}"#
            ),
        ]

    @Test func row28TheDeltaOfASaveIsThatOfTheTable() async throws {
        for (position, row) in Self.deltas.enumerated() {
            let world = try InfobipWorld()
            try await world.liveRegistered { profile, id in
                let number = try #require(world.infobip.person(of: id)?.number)
                if row.known != "{}" { #expect(world.infobip.updatePerson(number, row.known), "row \(position)") }
                try await profile.fetchUser()
                #expect(try await profile.save(row.change) == .done)
                #expect(world.lastBody(on: .updatePerson) == row.sent, "row \(position)")
            }
        }
    }

    @Test func row37DatesAndMomentsAreTheVectors() async throws {
        // 2016-12-31 23:55:00 at five hours east, and fractions before and after 1970.
        for (seconds, day, moment) in [
            (1_483_210_500.0, "2016-12-31", "2016-12-31T18:55:00Z"), (0, "1970-01-01", "1970-01-01T00:00:00Z"),
            (0.999, "1970-01-01", "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31", "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29", "2000-02-29T00:00:00Z"),
        ] {
            let date = Date(timeIntervalSince1970: seconds)
            let world = try InfobipWorld()
            try await world.liveRegistered { profile, _ in
                try await profile.save {
                    $0.birthday = .set(CalendarDay(date))
                    $0.customAttributes = [
                        "d": .set(.date(CalendarDay(date))), "t": .set(.dateTime(date)), "salt": .set(.double(seconds)),
                        "l": .set([["d": .date(CalendarDay(date)), "t": .dateTime(date)]]),
                    ]
                }
                let body = try #require(world.lastBody(on: .updatePerson))
                #expect(body.contains(#""d":"\#(day)","l":[{"d":"\#(day)","t":"\#(moment)"}]"#), "\(body)")
                #expect(body.contains(#""t":"\#(moment)""#), "\(body)")
                let user = try await profile.fetchUser()
                #expect(user.birthday?.description == day)
                // Texts: the app says where they are dates.
                #expect(user.customAttributes["t"] == .string(moment))
                #expect(user.customAttributes["t"]?.moment == Date(timeIntervalSince1970: seconds.rounded(.down)))
            }
        }
        for text in ["2016-1-5", " 2016-01-05", "2016-02-30", "2016-01-05x", "1234", "١٩٨٩-١١-٢١"] {
            #expect(InfobipValue.string(text).day == nil)
        }
        for text in ["2016-01-05T10:00:00+0300", "2016-01-05T10:00:00.5Z", "2016-01-05T10:00Z"] {
            #expect(InfobipValue.string(text).moment == nil)
        }
    }

    @Test func row50AnswersAreJudgedInTheDocumentedOrder() async throws {
        func answer(_ status: Int, _ body: String = "", _ type: String? = "application/json") -> FaultInjector.Fault {
            var headers = HTTPHeaders()
            if let type { headers.append(name: "Content-Type", value: type) }
            return .answer(TransportResponse(status: status, headers: headers, body: Array(body.utf8)))
        }
        let said = #"{"requestError":{"serviceException":{"messageId":"X","text":"why"}}}"#
        let half = #"{"requestError":{"serviceException":{"messageId":"X"}}}"#
        let rows: [(FaultInjector.Fault, SignetError.Code?, status: Int?, [String])] = [
            (.connectionRefused, .notConnected, nil, []),
            (answer(404), .rejected, 404, []), (answer(404, "<html>", "text/html"), .rejected, 404, []),
            (answer(404, half), .rejected, 404, []), (answer(404, said), .rejected, 404, ["X"]),
            (answer(403, "null"), .unauthorized, 403, []), (answer(500), .serverFailure, 500, []),
            (answer(502, said), .serverFailure, 502, ["X"]), (answer(502, half), .serverFailure, 502, []),
            (answer(429), .throttled, 429, []), (answer(429, said), .throttled, 429, ["X"]),
            (answer(200), .unexpectedAnswer, 200, []), (answer(204), .unexpectedAnswer, 204, []),
            (answer(200, "{}", "text/html"), .unexpectedAnswer, 200, []),
            (answer(200, said), .rejected, 200, ["X"]), (answer(200, said, "text/plain"), .rejected, 200, ["X"]),
            (answer(200, "[]"), .unexpectedAnswer, nil, []), (answer(200, "{"), .unexpectedAnswer, nil, []),
            (answer(200, String(repeating: "[", count: 200_000)), .unexpectedAnswer, nil, []),
            (answer(302), .unexpectedAnswer, 302, []), (answer(200, "{}", nil), nil, nil, []),
        ]
        for (position, row) in rows.enumerated() {
            let world = try InfobipWorld()
            try await world.liveRegistered { profile, _ in
                try await profile.save { $0.firstName = .set("A") }
                try await profile.waitUntilIdle()
                world.emulator.faults.inject(row.0, on: .fetchPerson)
                var found: SignetError?
                do { try await profile.fetchUser() } catch let error as SignetError { found = error }
                #expect(found?.code == row.1, "row \(position)")
                if let status = row.status { #expect(found?.httpStatus == status, "row \(position)") }
                #expect(found?.errors.map(\.code) ?? [] == row.3, "row \(position)")
                // What is known is overwritten by data alone.
                #expect(profile.user.firstName == (row.1 == nil ? nil : "A"), "row \(position)")
            }
        }
    }
}
