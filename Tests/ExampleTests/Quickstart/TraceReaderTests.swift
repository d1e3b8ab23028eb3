// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetTrace
import Testing

@testable import quickstart

@Suite struct TraceReaderTests {
    private static let header = """
        {"trace":1,"start":1000,"strategy":"conversion","sessionTimeout":60,"identityPriority":["customerid"],\
        "uniqueIdentities":["customerid"],"loginIdentities":["customerid"]}
        """
    private static let launch = #"{"at":5,"installation":"i","do":"launch","version":"1","build":"1"}"#

    private static func read(_ lines: String...) throws(TraceError) -> Trace {
        try TraceReader.read(Array(lines.joined(separator: "\n").utf8), named: "t.jsonl")
    }

    private static func error(of lines: String...) -> TraceError? {
        #expect(throws: TraceError.self) {
            try TraceReader.read(Array(lines.joined(separator: "\n").utf8), named: "t.jsonl")
        }
    }

    // MARK: What is right

    @Test func theHeaderDescribesTheWorkspace() throws {
        let header = try Self.read(
            #"""
            {"start":1763596800000,"environment":"development","strategy":"best","sessionTimeout":90,
            "identityPriority":["customerid","email"],"uniqueIdentities":["email"],"loginIdentities":[]}
            """#.replacing("\n", with: "")
        ).header
        #expect(header.start == 1_763_596_800_000)
        #expect(header.environment == .development)
        #expect(header.strategy == .bestMatch)
        #expect(header.sessionTimeout == .seconds(90))
        #expect(header.priority == [.customerID, .email])
        #expect(header.uniqueIdentities == [.email])
        #expect(header.loginIdentities == [])
    }

    @Test func withoutAnEnvironmentItIsProduction() throws {
        #expect(try Self.read(Self.header).header.environment == .production)
    }

    @Test func eachThingThatAVisitorCanDoIsRead() throws {
        let trace = try Self.read(
            Self.header,
            Self.launch,
            #"{"at":5,"installation":"i","do":"screen","name":"Home","attributes":{"a":"b","n":2,"x":1.5,"t":true}}"#,
            #"{"at":6,"installation":"i","do":"event","name":"Search","type":"search"}"#,
            #"{"at":6,"installation":"i","do":"purchase","transaction":"t","total":9.5,"currency":"EUR","#
                + #""products":[{"id":"p","name":"P","price":9.5,"quantity":1},{"id":"q"}]}"#,
            #"{"at":6,"installation":"i","do":"login","identities":{"customerid":"c","email":null}}"#,
            #"{"at":6,"installation":"i","do":"modify","identities":{"email":"e"}}"#,
            #"{"at":6,"installation":"i","do":"logout"}"#,
            #"{"at":6,"installation":"i","do":"attribute","key":"k","value":"v"}"#,
            #"{"at":7,"installation":"i","do":"background"}"#,
            #"{"at":8,"installation":"i","do":"foreground"}"#,
            #"{"at":9,"installation":"i","do":"kill"}"#,
            #"{"at":9,"installation":"i","do":"launch","version":"2","build":"2"}"#,
            #"{"at":9,"installation":"i","do":"quit"}"#
        )
        #expect(trace.lines.map(\.at) == [5, 5, 6, 6, 6, 6, 6, 6, 7, 8, 9, 9, 9])
        #expect(Set(trace.lines.map(\.installation)) == ["i"])
        let purchase = Purchase(
            transactionID: "t",
            total: 9.5,
            currency: "EUR",
            products: [Product(id: "p", name: "P", price: 9.5, quantity: 1), Product(id: "q")]
        )
        #expect(
            trace.lines.map(\.action) == [
                .launch(ApplicationInformation(version: "1", build: "1")),
                .log(.screen("Home", attributes: ["a": "b", "n": 2, "x": 1.5, "t": true])),
                .log(.custom("Search", type: .search)), .log(.purchase(purchase)),
                .login([.customerID: "c", .email: nil]), .modify([.email: "e"]), .logout,
                .setAttribute(key: "k", value: "v"), .enterBackground, .enterForeground, .kill,
                .launch(ApplicationInformation(version: "2", build: "2")), .quit,
            ]
        )
    }

    @Test func whatMayBeLeftOutMayBeLeftOut() throws {
        let trace = try Self.read(
            Self.header,
            #"{"at":0,"installation":"i","do":"launch"}"#,
            #"{"at":0,"installation":"i","do":"event","name":"a"}"#,
            #"{"at":0,"installation":"i","do":"purchase","transaction":"t","total":1}"#
        )
        let purchase = Purchase(transactionID: "t", total: 1)
        #expect(trace.lines.map(\.action) == [.launch(nil), .log(.custom("a")), .log(.purchase(purchase))])
        #expect(trace.lines.map(\.number) == [2, 3, 4])
    }

    @Test func emptyLinesAndCarriageReturnsDoNotCount() throws {
        #expect(try Self.read(Self.header + "\r", "", Self.launch + "\r", "").lines.count == 1)
    }

    @Test func theBundledDayIsRead() throws {
        let trace = try TraceReader.read(Trace.bundledDay())
        #expect(trace.lines.count == 4624)
        #expect(trace.header.strategy == .conversion)
    }

    // MARK: What is wrong

    @Test(arguments: [
        (#"{"at":6,"installation":"i","do":"screen","name":"Home""#, "the line is not JSON"),
        ("[]", "the line is not a JSON object"),
        (#"{"at":6,"at":7,"installation":"i","do":"logout"}"#, "the line is not JSON"),
        (#"{"installation":"i","do":"logout"}"#, #""at" is missing"#),
        (#"{"at":"6","installation":"i","do":"logout"}"#, #""at" must be a whole number"#),
        (#"{"at":6.5,"installation":"i","do":"logout"}"#, #""at" must be a whole number"#),
        (#"{"at":-1,"installation":"i","do":"logout"}"#, #""at" must be from 0 to"#),
        (#"{"at":9223372036854775807,"installation":"i","do":"logout"}"#, #""at" must be from 0 to"#),
        (#"{"at":4,"installation":"i","do":"logout"}"#, #""at" is 4, earlier than the line before (5)"#),
        (#"{"at":6,"do":"logout"}"#, #""installation" is missing"#),
        (#"{"at":6,"installation":7,"do":"logout"}"#, #""installation" must be a string"#),
        (#"{"at":6,"installation":"","do":"logout"}"#, #""installation" must have 1 to 256 bytes"#),
        (#"{"at":6,"installation":"i"}"#, #""do" is missing"#),
        (#"{"at":6,"installation":"i","do":"dance"}"#, #""do" names "dance", which is not an action"#),
        (#"{"at":6,"installation":"j","do":"launch","version":1}"#, #""version" must be a string"#),
        (#"{"at":6,"installation":"j","do":"launch","version":"1","build":1}"#, #""build" must be a string"#),
        (
            #"{"at":6,"installation":"i","do":"launch","version":"1","build":"1"}"#,
            "i is launched but is already running"
        ),
        (#"{"at":6,"installation":"j","do":"logout"}"#, "j acts but is not running"),
        (#"{"at":6,"installation":"j","do":"kill"}"#, "j acts but is not running"),
        (#"{"at":6,"installation":"i","do":"screen"}"#, #""name" is missing"#),
        (#"{"at":6,"installation":"i","do":"screen","name":"a","attributes":[]}"#, #""attributes" must be an object"#),
        (#"{"at":6,"installation":"i","do":"screen","name":"a","attributes":{"b":null}}"#, #""attributes" must be"#),
        (#"{"at":6,"installation":"i","do":"event","name":"a","type":7}"#, #""type" must be a string"#),
        (#"{"at":6,"installation":"i","do":"login","identities":{}}"#, #""identities" names no identity"#),
        (#"{"at":6,"installation":"i","do":"event","name":"a","type":"party"}"#, #""type" must be one of navigation"#),
        (#"{"at":6,"installation":"i","do":"login"}"#, #""identities" is missing"#),
        (#"{"at":6,"installation":"i","do":"login","identities":{"customer":"c"}}"#, #"which is not an identity type"#),
        (#"{"at":6,"installation":"i","do":"modify","identities":{"email":5}}"#, #""identities" must be an object"#),
        (#"{"at":6,"installation":"i","do":"attribute","key":"k"}"#, #""value" is missing"#),
        (#"{"at":6,"installation":"i","do":"attribute","key":"k","value":1}"#, #""value" must be a string"#),
        (
            #"{"at":6,"installation":"i","do":"purchase","transaction":"t","total":"9","currency":"EUR","products":[]}"#,
            #""total" must be a number"#
        ),
        (
            #"{"at":6,"installation":"i","do":"purchase","transaction":"t","total":9,"currency":"EUR","products":[1]}"#,
            #""products" must be an array of objects"#
        ),
        (
            #"{"at":6,"installation":"i","do":"purchase","transaction":"t","total":9,"currency":"EUR","products":[{}]}"#,
            #""id" is missing"#
        ),
    ])
    func aBadLineStopsWithItsNumberAndTheReason(line: String, reason: String) {
        let error = Self.error(of: Self.header, Self.launch, line)
        #expect(error?.line == 3)
        #expect(
            error?.reason.hasPrefix(reason) == true || error?.reason.hasSuffix(reason) == true,
            "\(error?.reason ?? "")"
        )
    }

    @Test(arguments: [
        (#""start":1000"#, #""began":1000"#, #""start" is missing"#),
        (#""start":1000"#, #""start":"1000""#, #""start" must be a whole number"#),
        (#""start":1000"#, #""start":-1"#, #""start" must be from 0 to"#),
        (#""trace":1"#, #""trace":2"#, #""trace" must be from 1 to 1"#),
        (#""strategy":"conversion""#, #""strategy":"none""#, #""strategy" must be default, conversion"#),
        (#""strategy":"conversion""#, #""strategy":"bestMatch""#, #""strategy" must be default, conversion"#),
        (#""sessionTimeout":60"#, #""sessionTimeout":0"#, #""sessionTimeout" must be from 1 to 86400"#),
        (#""sessionTimeout":60"#, #""timeout":60"#, #""sessionTimeout" is missing"#),
        (#""sessionTimeout":60"#, #""sessionTimeout":60,"environment":"test""#, #""environment" must be"#),
        (
            #""identityPriority":["customerid"]"#, #""identityPriority":"customerid""#,
            #""identityPriority" must be an array"#
        ),
        (#""loginIdentities":["customerid"]"#, #""loginIdentities":["name"]"#, #""loginIdentities" names "name""#),
        (#""uniqueIdentities":["customerid"]"#, #""unique":[]"#, #""uniqueIdentities" is missing"#),
    ])
    func aBadHeaderStopsAtLineOne(part: String, replacement: String, reason: String) {
        let error = Self.error(of: Self.header.replacing(part, with: replacement), Self.launch)
        #expect(error?.line == 1)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func aTraceWithoutAHeaderSaysSo() {
        #expect(Self.error(of: Self.launch)?.description.hasPrefix("t.jsonl:1: the first line must describe") == true)
    }

    @Test func anEmptyTraceAndOneThatIsNotThereSaySo() {
        #expect(Self.error(of: "")?.description == "t.jsonl: the file is empty")
        let error = #expect(throws: TraceError.self) { try TraceReader.read("/no/such/trace.jsonl") }
        #expect(error?.description == "/no/such/trace.jsonl: the file cannot be read")
    }

    @Test func aLineWithoutEndIsNotReadForEver() {
        let line = #"{"at":6,"installation":""# + String(repeating: "i", count: 1 << 20)
        #expect(Self.error(of: Self.header, line)?.reason.contains("tooLarge") == true)
    }
}
