// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct ErrorReplyTests {
    func errors(_ text: String) -> [PlatformError] {
        ErrorReply.read(Array(text.utf8)).errors
    }

    @Test func theDocumentedShapeIsRead() {
        #expect(
            self.errors(
                #"{"errors":[{"code":"LOOKUP_ERROR","message":"The login identity type is missing."},"#
                    + #"{"code":"BAD_REQUEST","message":"No."}]}"#
            ) == [
                PlatformError(code: "LOOKUP_ERROR", message: "The login identity type is missing."),
                PlatformError(code: "BAD_REQUEST", message: "No."),
            ]
        )
    }

    @Test func theFlatShapeIsRead() {
        #expect(
            self.errors(#"{"message":"Not provisioned.","code":"FORBIDDEN"}"#)
                == [PlatformError(code: "FORBIDDEN", message: "Not provisioned.")]
        )
    }

    @Test func halfAnErrorIsAnError() {
        #expect(self.errors(#"{"errors":[{"code":"X"}]}"#) == [PlatformError(code: "X", message: "")])
        #expect(self.errors(#"{"message":"m","code":null}"#) == [PlatformError(code: "", message: "m")])
        #expect(self.errors(#"{"code":400,"message":"m"}"#) == [PlatformError(code: "400", message: "m")])
    }

    /// A message that was cut in the middle of a character, and a member that comes twice.
    @Test func anUnreadablePartHidesNothingElse() {
        #expect(self.errors(#"{"code":"A","message":"cut \ud83d"}"#) == [PlatformError(code: "A", message: "")])
        #expect(self.errors(#"{"errors":[{"code":"A","code":"B"}]}"#) == [PlatformError(code: "B", message: "")])
    }

    @Test func whatIsNoErrorAmongErrorsIsPassedOver() {
        #expect(
            self.errors(#"{"errors":[null,5,"x",{},[],{"code":"A","message":"m"}]}"#)
                == [PlatformError(code: "A", message: "m")]
        )
    }

    @Test(arguments: [
        "", " ", "null", "5", "[]", "{}", #"{"errors":[]}"#, #"{"errors":null}"#, #"{"errors":"x"}"#,
        "<html>502 Bad Gateway</html>", #"{"errors":[{"code":"A"}"#, "[1,]", #"{"error":"x"}"#,
    ])
    func garbageSaysNothingAndFailsNothing(_ text: String) {
        #expect(self.errors(text).isEmpty)
    }

    @Test func bytesThatAreNoTextSayNothing() {
        #expect(ErrorReply.read([0x1F, 0x8B, 0x08, 0x00, 0xFF]).errors.isEmpty)
    }

    @Test func textsAreBoundedAndStayOnOneLine() throws {
        let long = String(repeating: "m", count: 5000)
        let error = try #require(
            self.errors("{\"errors\":[{\"code\":\"\(long)\",\"message\":\"a\\r\\nlevel=error\\u0000\(long)\"}]}").first
        )
        #expect(error.code.count == 512)
        #expect(error.message.count == 512)
        #expect(error.message.hasPrefix("alevel=error"))
    }

    @Test func aFloodOfErrorsIsBounded() {
        let entries = Array(repeating: #"{"code":"A","message":"m"}"#, count: 1000).joined(separator: ",")
        #expect(self.errors("{\"errors\":[\(entries)]}").count == ErrorReply.maximumCount)
    }
}
