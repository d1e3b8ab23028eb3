// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetWire
import Testing

@Suite struct ModifyReplyTests {
    func reply(_ text: String) throws(WireError) -> ModifyReply {
        try ModifyReply(Array(text.utf8))
    }

    @Test func otherUsersThatChangedAreTold() throws {
        let reply = try self.reply(
            #"{"change_results":[{"identity_type":"email","modified_mpid":"-77"},"#
                + #"{"identity_type":"customerid","modified_mpid":9007199254740993}]}"#
        )
        #expect(
            reply.changes == [
                ModifiedProfile(type: .email, mpid: try Samples.mpid(-77)),
                ModifiedProfile(type: .customerID, mpid: try Samples.mpid(9_007_199_254_740_993)),
            ]
        )
        #expect(reply.skipped == 0)
    }

    @Test func anEntryThatSaysNothingUsefulIsSkippedAndCounted() throws {
        let reply = try self.reply(
            #"{"change_results":[{"identity_type":"shoe_size","modified_mpid":"1"},{"identity_type":"email"},"#
                + #"{"modified_mpid":"1"},{"identity_type":"email","modified_mpid":"0"},"#
                + #"{"identity_type":7,"modified_mpid":"1"},{"identity_type":"email","modified_mpid":1.5},5,null,"#
                + #"{"identity_type":"google","modified_mpid":"2"}]}"#
        )
        #expect(reply.changes == [ModifiedProfile(type: .google, mpid: try Samples.mpid(2))])
        #expect(reply.skipped == 8)
    }

    @Test(arguments: [
        "", " \r\n\t", "{}", "null", " null\n", #"{"change_results":null}"#, #"{"change_results":[]}"#,
        #"{"change_results":{}}"#,
    ])
    func anAnswerWithoutResultsMeansNoOtherUserChanged(_ text: String) throws {
        let reply = try self.reply(text)
        #expect(reply.changes.isEmpty)
        #expect(reply.skipped == 0)
    }

    @Test(arguments: [
        ("<html></html>", WireError.Code.notJSON), ("nul", .notJSON), ("[1,]", .notJSON), ("[]", .invalidReply),
        ("5", .invalidReply),
        (#"{"change_results":[],"change_results":[]}"#, .notJSON),
    ])
    func anythingElseIsAnError(_ text: String, _ code: WireError.Code) {
        let error = #expect(throws: WireError.self) { try self.reply(text) }
        #expect(error?.code == code)
    }
}
