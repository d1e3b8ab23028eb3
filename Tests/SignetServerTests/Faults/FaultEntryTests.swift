// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTransport
import Testing

@testable import SignetServer

/// The faults as a file and as the live page says it.
@Suite struct FaultEntryTests {
    @Test(
        arguments: [
            #"{"fault":"status","status":503}"#, #"{"fault":"status","status":429,"retryAfter":1.5,"times":2}"#,
            #"{"fault":"delay","seconds":0.1,"route":"identify"}"#, #"{"fault":"timeout"}"#,
            #"{"fault":"replyLost","times":1}"#,
            #"{"fault":"garbage","body":"x","route":"users/merge"}"#, #"{"fault":"hugeAnswer"}"#,
            #"{"fault":"truncated"}"#, #"{"fault":"timeout","share":0.05}"#,
            #"{"fault":"status","status":429,"share":1,"times":null}"#,
        ]
    )
    func anEntryIsRead(json: String) throws {
        #expect(try FaultEntry.list(Array("[\(json)]".utf8)).count == 1)
    }

    @Test(
        arguments: [
            "", "{}", "[7]", "[{}]", #"[{"fault":"rain"}]"#, #"[{"fault":"status"}]"#,
            #"[{"fault":"status","status":99}]"#,
            #"[{"fault":"delay"}]"#, #"[{"fault":"delay","seconds":-1}]"#, #"[{"fault":"delay","seconds":1e99}]"#,
            #"[{"fault":"timeout","route":"nowhere"}]"#, #"[{"fault":"timeout","times":0}]"#,
            #"[{"fault":"timeout","times":1.5}]"#, #"[{"fault":"timeout","colour":"grey"}]"#,
            #"[{"fault":"timeout","share":0}]"#, #"[{"fault":"timeout","share":1.5}]"#,
            #"[{"fault":"timeout","share":"half"}]"#, #"[{"fault":"timeout","share":0.5,"times":2}]"#,
        ]
    )
    func whatIsNoneIsRefused(json: String) {
        #expect(throws: PageRefusal.self) { try FaultEntry.list(Array(json.utf8)) }
    }

    @Test func aFaultHappensToTheConnection() async throws {
        let emulator = Emulator()
        try await EmulatorServer(emulator).serve { url async throws in
            let headers = [("Content-Type", "application/json"), Requests.basic]
            let send = { (customer: String) async throws in
                try await HTTPConnection.send(
                    .post,
                    "/v1/identify",
                    Requests.identity(customer),
                    headers: headers,
                    to: url
                )
            }
            emulator.faults.inject(.connectionRefused)
            #expect(try await send("c1") == nil)
            #expect(emulator.users().isEmpty)
            emulator.faults.inject(.replyLost)
            #expect(try await send("c1") == nil)
            #expect(emulator.users().count == 1)
            emulator.faults.inject(.status(429, retryAfter: .seconds(3)))
            let refused = try #require(try await send("c1"))
            #expect(refused.status == 429 && refused.headers["Retry-After"] == "3")
            emulator.faults.inject(.garbage(Array("<html>".utf8)))
            #expect(try await send("c1")?.text == "<html>")
            emulator.faults.inject(.hugeAnswer)
            #expect(try #require(try await send("c1")).body.count > 32 << 20)
            #expect(try await send("c1")?.status == 200)
        }
    }
}
#endif
