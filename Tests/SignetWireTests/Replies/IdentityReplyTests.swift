// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct IdentityReplyTests {
    func reply(_ text: String) throws(WireError) -> IdentityReply {
        try IdentityReply(Array(text.utf8))
    }

    @Test func aRealAnswerIsRead() throws {
        let reply = try self.reply(
            #"{"context":null,"matched_identities":{"customerid":"c","email":"e@x"},"is_ephemeral":false,"#
                + #""mpid":"6504934091054997508","is_logged_in":true}"#
        )
        #expect(reply.mpid == (try Samples.mpid(6_504_934_091_054_997_508)))
        #expect(reply.isLoggedIn)
        #expect(!reply.isEphemeral)
        #expect(reply.matchedIdentities == [.customerID: "c", .email: "e@x"])
        #expect(reply.context == nil)
    }

    @Test func whatIsMissingOrNullIsFalseOrEmpty() throws {
        for text in [
            #"{"mpid":"-1"}"#,
            #"{"mpid":"-1","is_logged_in":null,"is_ephemeral":null,"matched_identities":null,"context":null}"#,
        ] {
            #expect(try self.reply(text) == IdentityReply(mpid: try Samples.mpid(-1)))
        }
    }

    @Test func membersFromTheFutureArePassedOver() throws {
        let reply = try self.reply(#"{"mpid":"7","new":{"deep":[1,{"x":null}]},"context":"abc","is_ephemeral":true}"#)
        #expect(reply == IdentityReply(mpid: try Samples.mpid(7), isEphemeral: true, context: "abc"))
    }

    @Test func aMatchedIdentityThatIsNullDidNotMatch() throws {
        let reply = try self.reply(#"{"mpid":"7","matched_identities":{"email":null,"brand_new":"x"}}"#)
        #expect(reply.matchedIdentities == [IdentityType(wireName: "brand_new"): "x"])
    }

    @Test(arguments: [
        (#""9223372036854775807""#, Int64.max), (#""-9223372036854775808""#, .min),
        ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9007199254740993", 9_007_199_254_740_993),
        ("-5", -5),
    ])
    func everyMPIDIsExactAsTextAndAsNumber(_ text: String, _ expected: Int64) throws {
        #expect(try self.reply("{\"mpid\":\(text)}").mpid.rawValue == expected)
    }

    @Test(arguments: [
        #""0""#, "0", "-0", #""9223372036854775808""#, "9223372036854775808", #""-9223372036854775809""#, "1.5",
        #""1.0""#, #""1e3""#, #""""#, #"" 5""#, #""+5""#, #""0x10""#, #""٥""#, #""nan""#, "true", "[5]", "{}", "null",
        #""99999999999999999999999999999999999999999999""#,
    ])
    func whatIsNoMPIDIsAnError(_ text: String) {
        let error = #expect(throws: WireError.self) { try self.reply("{\"mpid\":\(text)}") }
        #expect(error?.code == .invalidReply)
    }

    /// The platform has logged the user in by then: an addition to a member that is not needed fails no login.
    @Test(arguments: [
        #""is_logged_in":"false""#, #""is_logged_in":"maybe""#, #""is_logged_in":0"#, #""is_logged_in":[true]"#,
        #""is_ephemeral":0"#, #""is_ephemeral":"false""#, #""is_ephemeral":{}"#, #""context":5"#, #""context":{}"#,
        #""matched_identities":[]"#, #""matched_identities":[{"email":"a"}]"#, #""matched_identities":"email""#,
        #""matched_identities":{"email":5,"customerid":["c"]}"#,
    ])
    func anOptionalMemberOfAnotherFormCountsAsMissing(_ member: String) throws {
        #expect(try self.reply("{\"mpid\":\"1\",\(member)}") == IdentityReply(mpid: try Samples.mpid(1)))
    }

    @Test(arguments: ["true", #""true""#, #""TRUE""#, "1"]) func aFlagMayBeATextOrANumber(_ value: String) throws {
        let reply = try self.reply("{\"mpid\":\"1\",\"is_logged_in\":\(value),\"is_ephemeral\":\(value)}")
        #expect(reply == IdentityReply(mpid: try Samples.mpid(1), isLoggedIn: true, isEphemeral: true))
    }

    @Test func oneMatchedIdentityOfAnotherFormCostsNoOther() throws {
        let reply = try self.reply(#"{"mpid":"1","matched_identities":{"email":5,"customerid":"c"}}"#)
        #expect(reply.matchedIdentities == [.customerID: "c"])
    }

    @Test(arguments: ["{}", "[]", "null", "5", #""text""#, #"{"MPID":"1"}"#])
    func anAnswerWithoutAnMPIDIsAnError(_ text: String) {
        let error = #expect(throws: WireError.self) { try self.reply(text) }
        #expect(error?.code == .invalidReply)
    }

    @Test(arguments: [
        "", " ", "<!DOCTYPE html><html><body>Sign in to the hotel network</body></html>", "[1,]", #"{"mpid":"1",}"#,
        #"{"mpid":"1","mpid":"2"}"#, #"{"mpid":"1","mpi\u0064":"2"}"#, "\u{FEFF}{\"mpid\":\"1\"}", #"{"mpid":"1""#,
        #"{"mpid":"1"}{"#, #"{"mpid":01}"#, #"{'mpid':'1'}"#, #"{"mpid":NaN}"#,
    ])
    func whatIsNoProperJSONIsAnError(_ text: String) {
        let error = #expect(throws: WireError.self) { try self.reply(text) }
        #expect(error?.code == .notJSON)
    }

    @Test func otherEncodingsAreAnError() {
        let utf16 = Array(#"{"mpid":"1"}"#.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [utf16, [0xFF, 0xFE] + utf16, Array(#"{"mpid":""#.utf8) + [0xC3, 0x28] + Array("\"}".utf8)] {
            let error = #expect(throws: WireError.self) { try IdentityReply(bytes) }
            #expect(error?.code == .notJSON)
        }
    }

    @Test func anAnswerOfEndlessDepthIsAnError() {
        let text = #"{"mpid":"1","x":"# + String(repeating: "[", count: 100_000)
        let error = #expect(throws: WireError.self) { try self.reply(text) }
        #expect(error?.code == .notJSON)
    }

    @Test func neitherTheErrorNorTheReplyShowsIdentities() throws {
        let error = #expect(throws: WireError.self) {
            try self.reply(#"{"mpid":"foo@example.com","matched_identities":{"email":"foo@example.com"}}"#)
        }
        #expect(error?.description.contains("foo@") == false)
        let reply = try self.reply(#"{"mpid":"5","matched_identities":{"email":"foo@example.com"}}"#)
        #expect(!"\(reply)".contains("foo@"))
    }
}
