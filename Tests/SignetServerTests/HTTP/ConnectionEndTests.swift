// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetServer

/// Where a connection ends, and what a request line says; whoever is not hung up on waits here for an hour.
@Suite(.watched) struct ConnectionEndTests {
    private static let base = "/mobile/1/baseurl"

    private static var patient: EmulatorServerConfiguration {
        var configuration = EmulatorServerConfiguration()
        configuration.headerTime = .seconds(3600)
        configuration.bodyTime = .seconds(3600)
        configuration.lingerTime = .milliseconds(200)
        return configuration
    }

    /// What comes back until the server ends the connection.
    private static func exchange(
        _ text: String,
        _ configuration: EmulatorServerConfiguration = patient
    ) async throws -> String {
        try await EmulatorServer(configuration: configuration).serve { url async throws in
            String(decoding: try await HTTPConnection.exchange([Array(text.utf8)], with: url), as: UTF8.self)
        }
    }

    private static func statuses(_ text: String) -> [String] {
        text.split(separator: "HTTP/1.").dropFirst(text.hasPrefix("HTTP/1.") ? 0 : 1)
            .map { String($0.dropFirst(2).prefix(3)) }
    }

    // MARK: Answers that announce the end

    /// The rest of the body never comes, and is not waited for.
    @Test(arguments: ["/v2/events", "/_signet/faults"]) func theEndComesWithA413(path: String) async throws {
        let head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let body = String(repeating: " ", count: 3 << 20)
        let text = try await Self.exchange(head + "Content-Length: \(64 << 20)\r\n\r\n" + body)
        #expect(Self.statuses(text) == ["413"])
        #expect(text.contains("onnection: close\r\n"))
    }

    /// All of it is sent before anything is read: the answer is there all the same.
    @Test func whoSendsAllBeforeReadingReadsThe413() async throws {
        var configuration = Self.patient
        configuration.lingerTime = .seconds(3600)
        try await EmulatorServer(configuration: configuration).serve { url async throws in
            let body = [UInt8](repeating: 0x20, count: 16 << 20)
            let head = "POST /v2/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
            let answer = try await HTTPConnection.exchangeAfterSending([Array(head.utf8), body], with: url)
            #expect(HTTPAnswer(answer)?.status == 413)
        }
    }

    @Test(arguments: ["Host: evil.example", "X: no host"]) func theEndComesWithA421(field: String) async throws {
        let request = "GET \(Self.base) HTTP/1.1\r\n\(field)\r\n\r\n"
        let text = try await Self.exchange(request + request)
        #expect(Self.statuses(text) == ["421"])
        #expect(text.contains("onnection: close\r\n"))
    }

    @Test func anAnswerThatDoesNotAnnounceItEndsNothing() async throws {
        let request = "GET \(Self.base) HTTP/1.1\r\nHost: localhost\r\n"
        let text = try await Self.exchange(request + "\r\n" + request + "\r\n" + request + "Connection: close\r\n\r\n")
        #expect(Self.statuses(text) == ["401", "401", "401"])
        #expect(text.split(separator: "onnection: close").count == 2)
    }

    // MARK: Requests that ask for the end

    @Test(arguments: ["close", "Close", "CLOSE", "keep-alive, close", "close,TE"])
    func theEndComesWhenItIsAskedFor(value: String) async throws {
        let text = try await Self.exchange(
            "GET \(Self.base) HTTP/1.1\r\nHost: localhost\r\nConnection: \(value)\r\n\r\n"
        )
        #expect(Self.statuses(text) == ["401"])
        #expect(text.contains("onnection: close\r\n"))
    }

    /// Neither an empty line, nor another request, nor nonsense after it is answered.
    @Test(arguments: ["", "\r\n", "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", "hello\r\n\r\n"], ["", "keep-alive"])
    func oneAnswerAndTheEndForHTTP10(rest: String, connection: String) async throws {
        let field = connection.isEmpty ? "" : "Connection: \(connection)\r\n"
        let text = try await Self.exchange("GET \(Self.base) HTTP/1.0\r\nHost: localhost\r\n\(field)\r\n" + rest)
        #expect(text.hasPrefix("HTTP/1.0 401"), "\(text)")
        #expect(Self.statuses(text) == ["401"], "\(text)")
        #expect(text.contains("onnection: close\r\n"))
    }

    @Test func nonsenseAfterTheAnswerToHTTP10IsNotAnswered() async throws {
        try await EmulatorServer(configuration: Self.patient).serve { url async throws in
            let request = Array("GET \(Self.base) HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)
            let bytes = try await HTTPConnection.exchangeAfterAnswer(request, then: Array("\r\nx\r\n".utf8), with: url)
            #expect(Self.statuses(String(decoding: bytes, as: UTF8.self)) == ["401"])
        }
    }

    // MARK: The request line

    private static let lines: [(line: String, hosts: [String], status: String)] = [
        ("http://localhost\(base) HTTP/1.1", ["evil.example"], "401"),
        ("HTTP://127.0.0.1:1\(base) HTTP/1.1", ["evil.example"], "401"),
        ("http://localhost\(base) HTTP/1.0", [], "401"),
        ("http://localhost HTTP/1.1", ["evil.example"], "200"),
        ("http://evil.example\(base) HTTP/1.1", ["localhost"], "421"),
        ("http://evil.example\(base) HTTP/1.0", [], "421"),
        ("https://evil.example\(base) HTTP/1.1", ["localhost"], "421"),
        ("http://localhost@evil.example\(base) HTTP/1.1", ["localhost"], "421"),
        ("http://localhost\(base) HTTP/1.1", [], "421"),
        ("http://localhost\(base) HTTP/1.1", ["localhost", "localhost"], "421"),
    ]

    @Test(arguments: lines.indices) func theHostOfATargetGoesBeforeTheField(index: Int) async throws {
        let (line, hosts, status) = Self.lines[index]
        let fields = hosts.map { "Host: \($0)\r\n" }.joined()
        let text = try await Self.exchange("GET \(line)\r\n\(fields)Connection: close\r\n\r\n")
        #expect(Self.statuses(text) == [status], "\(line) \(hosts)")
    }

    // MARK: The rules alone

    @Test func theLastRequestIsTheFirstThatSaysSo() {
        var course = ConnectionCourse()
        course.begin(.further)
        course.end()
        course.begin(.last)
        #expect(!course.ignoresInput)
        course.end()
        #expect(course.ignoresInput && !course.isOver)
        #expect(course.beginAnswer(announcesEnd: false) == .further)
        course.endAnswer()
        #expect(!course.isOver)
        #expect(course.beginAnswer(announcesEnd: false) == .last)
        #expect(!course.isOver)
        course.endAnswer()
        #expect(course.isOver)
    }

    @Test func anAnswerMayEndItInTheMiddleOfARequestAndWithoutOne() {
        var course = ConnectionCourse()
        course.begin(.further)
        #expect(course.beginAnswer(announcesEnd: true) == .last)
        course.endAnswer()
        #expect(course.isOver && course.ignoresInput)
        var other = ConnectionCourse()
        #expect(other.beginAnswer(announcesEnd: true) == .last)
        other.endAnswer()
        #expect(other.isOver)
    }
}
#endif
