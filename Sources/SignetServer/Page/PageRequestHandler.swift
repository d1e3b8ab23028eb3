// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import HTTPTypes
import Hummingbird
import NIOCore
import SignetEmulator
import SignetTransport

import struct FoundationEssentials.UUID

/// The live page: its files, and the interface that its script uses.
struct PageRequestHandler: Sendable {
    /// The prefix of the interface's paths, which no emulated service uses.
    static let prefix = "/_signet/"
    private static let bodyLimit = 1 << 20

    private let emulator: Emulator
    private let feed: ExchangeFeed
    private let faults: FaultBoard
    private let criteria: CriteriaBoard
    // An open page detects by this id that another server answers, which counts requests from 1.
    private let id = UUID().uuidString

    init(_ emulator: Emulator, feed: ExchangeFeed, history: EmulatorHistory?, services: ServiceRequestHandler) {
        self.emulator = emulator
        self.feed = feed
        self.faults = FaultBoard(emulator.faults)
        self.criteria = CriteriaBoard(history: history)
    }

    /// Returns true for the paths of the page.
    static func answers(_ path: String) -> Bool {
        path == "/" || path.hasPrefix(Self.prefix)
    }

    func respond(to request: Request, path: String) async throws -> Response {
        let reads = request.method == .get || request.method == .head
        if reads, let file = PageFile(path: path) {
            return Self.answer(.ok, file.bytes, type: file.type)
        }
        guard PageGuard.allows(request) else {
            return Self.refuse(.forbidden, "Requests from pages of other sites are not allowed.")
        }
        let target = PageTarget(path)
        let marks = self.emulator.configuration.limits.combiningMarks
        guard !target.query.values.contains(where: { CombiningMarks.exceed(marks, in: $0) }) else {
            return Self.refuse(.badRequest, "The query has more than \(marks) combining marks in a row.")
        }
        guard let choice = PageChoice(target.query, of: self.emulator) else {
            return Self.refuse(.notFound, "No project or application has this name.")
        }
        if reads {
            return try await self.read(target, choice, request)
        }
        // A form of a foreign page can send neither this method nor JSON.
        guard request.method == .delete || PageGuard.isJSON(request) else {
            return Self.refuse(.unsupportedMediaType, "The body must be application/json.")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.bodyLimit)
        } catch is NIOTooManyBytesError {
            // The rest of the body is not awaited.
            var refusal = Self.refuse(.contentTooLarge, "The body is longer than \(Self.bodyLimit) bytes.")
            refusal.headers[.connection] = "close"
            return refusal
        }
        return self.change(target, choice, request.method, Array(buffer: body))
    }

    private func read(_ target: PageTarget, _ choice: PageChoice, _ request: Request) async throws -> Response {
        let knowledge = KnowledgeReport(self.emulator, choice)
        switch (target.words.count, target.words.first) {
        case (1, "state"): return Self.json { knowledge.writeState(to: &$0, log: self.feed.log) }
        case (1, "users"): return Self.json { knowledge.writeUsers(matching: target.query["q"] ?? "", to: &$0) }
        case (2, "users"):
            guard let user = knowledge.user(target.words[1]) else { return Self.notFound }
            return Self.json { knowledge.write(user, to: &$0) }
        case (3, "users") where target.words[2] == "timeline":
            guard let user = knowledge.user(target.words[1]) else { return Self.notFound }
            let report = TimelineReport(self.emulator, choice, user, links: PeopleReport(self.emulator, choice))
            let after = target.query["after"].flatMap { Int($0) } ?? 0
            let facts = target.query["facts"].flatMap { Int($0) } ?? 0
            return Self.json { report.write(after: after, facts: facts, to: &$0) }
        case (1, "people"):
            let people = PeopleReport(self.emulator, choice)
            let first = target.query["from"].flatMap { Int($0) } ?? 0
            return Self.json { people.write(matching: target.query["q"] ?? "", from: first, to: &$0) }
        case (2, "people"):
            let people = PeopleReport(self.emulator, choice)
            guard let person = people.person(target.words[1]) else { return Self.notFound }
            return Self.json { people.write(person, to: &$0) }
        case (2, "events"):
            let explain = ExplainReport(self.emulator)
            guard let event = explain.event(target.words[1], of: target.query["user"]) else { return Self.notFound }
            return Self.json { explain.writeFields(of: event, to: &$0) }
        case (1, "explain"):
            let explain = ExplainReport(self.emulator)
            guard let event = explain.event(target.query["event"] ?? "", of: target.query["user"]) else {
                return Self.notFound
            }
            return Self.json { explain.write(event, to: &$0) }
        case (1, "exchanges"):
            return Self.json { writer in
                writer.beginArray()
                for exchange in self.feed.log.all { exchange.writeSummary(to: &writer) }
                writer.endArray()
            }
        case (2, "exchanges"):
            guard let exchange = Int(target.words[1]).flatMap({ self.feed.log[$0] }) else { return Self.notFound }
            return Self.json { exchange.write(to: &$0) }
        case (1, "feed"): return self.stream(request)
        case (1, "faults"): return Self.json { self.faults.write(to: &$0) }
        case (1, "criteria"): return Self.json { self.criteria.write(of: choice.iterable, to: &$0) }
        default: return Self.notFound
        }
    }

    private func change(
        _ target: PageTarget,
        _ choice: PageChoice,
        _ method: HTTPRequest.Method,
        _ body: [UInt8]
    ) -> Response {
        do throws(PageRefusal) {
            switch (method, target.words) {
            case (.post, ["faults"]):
                try self.faults.add(body)
                return Self.json { self.faults.write(to: &$0) }
            case (.delete, ["faults"]):
                self.faults.clear()
                return Self.json { self.faults.write(to: &$0) }
            case (.delete, let words) where words.count == 2 && words[0] == "faults":
                guard let number = Int(words[1]), self.faults.remove(number) else {
                    return Self.refuse(.notFound, "This fault is not set any more.")
                }
                return Self.json { self.faults.write(to: &$0) }
            case (.put, ["criteria"]):
                try self.criteria.set(body, of: choice.iterable)
                return Self.json { self.criteria.write(of: choice.iterable, to: &$0) }
            case (.post, ["criteria", "check"]):
                let trial = try CriteriaTrial(body)
                return Self.json { trial.write(to: &$0) }
            default:
                return Self.notFound
            }
        } catch {
            let isStorage = error.kind == .storage
            return Self.refuse(isStorage ? Self.insufficientStorage : .badRequest, error.message)
        }
    }

    private func stream(_ request: Request) -> Response {
        var headers = PageGuard.headers
        headers[.contentType] = "text/event-stream"
        guard request.method == .get else { return Response(status: .ok, headers: headers) }
        guard let (number, updates) = self.feed.subscribe() else {
            return Self.refuse(.serviceUnavailable, "Too many live pages are open. Close some.")
        }
        let body = ResponseBody { [feed, id] writer in
            defer { feed.finish(number) }
            var output = writer
            try await output.write(ByteBuffer(string: "event: server\ndata: \(id)\n\n"))
            try await request.body.consumeWithInboundCloseHandler { _ in
                for await exchange in updates {
                    var event = ByteBuffer(string: "id: \(exchange.number)\ndata: ")
                    event.writeBytes(exchange.summary)
                    event.writeString("\n\n")
                    try await output.write(event)
                }
            } onInboundClosed: {
                feed.finish(number)
            }
            try await output.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func json(_ body: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter()
        body(&writer)
        return Self.answer(.ok, writer.bytes, type: "application/json; charset=utf-8")
    }

    private static func refuse(_ status: HTTPResponse.Status, _ message: String) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", message)
        writer.endObject()
        return Self.answer(status, writer.bytes, type: "application/json; charset=utf-8")
    }

    private static var insufficientStorage: HTTPResponse.Status {
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    }

    private static var notFound: Response {
        Self.refuse(.notFound, "This path does not exist.")
    }

    private static func answer(_ status: HTTPResponse.Status, _ bytes: [UInt8], type: String) -> Response {
        var headers = PageGuard.headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// A refusal of a request to the live page's interface.
struct PageRefusal: Error, Hashable {
    enum Kind: Hashable {
        /// The request is invalid.
        case malformed
        /// The change cannot be stored.
        case storage
    }

    let kind: Kind
    let message: String

    init(_ message: String, kind: Kind = .malformed) {
        self.kind = kind
        self.message = message
    }
}
#endif
