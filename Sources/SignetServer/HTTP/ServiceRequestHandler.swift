// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import SignetEmulator
import SignetTransport

/// Passes requests through the faults to the emulated services, and reports each to the feed.
struct ServiceRequestHandler: Sendable {
    private let emulator: Emulator
    private let configuration: EmulatorServerConfiguration
    private let feed: ExchangeFeed
    private let origins: CrossOriginRule
    private let clock: any Clock<Duration>

    init(
        _ emulator: Emulator,
        configuration: EmulatorServerConfiguration,
        feed: ExchangeFeed,
        clock: any Clock<Duration>
    ) {
        self.emulator = emulator
        self.configuration = configuration
        self.feed = feed
        self.origins = CrossOriginRule(allowing: emulator.configuration.allowedOrigins)
        self.clock = clock
    }

    func respond(to request: Request, path: String, on channel: any Channel) async throws -> Response {
        switch self.origins.page(of: request, path: path) {
        case .own:
            return try await self.answer(request, path: path, on: channel)
        case .allowed(let origin):
            if let response = CrossOriginRule.preflight(request, from: origin) { return response }
            var response = try await self.answer(request, path: path, on: channel)
            CrossOriginRule.open(&response, to: origin)
            return response
        case .refused(let origin):
            return self.refusePage(request, path, origin)
        }
    }

    private func answer(_ request: Request, path: String, on channel: any Channel) async throws -> Response {
        let began = SystemTime.milliseconds()
        let name = request.method.rawValue
        let method = TransportRequest.Method(rawValue: name)
        var platformRequest = Self.head(of: request, path: path)
        do {
            platformRequest.body = Array(buffer: try await request.body.collect(upTo: self.configuration.bodyBytes))
        } catch is NIOTooManyBytesError {
            let message = "The body is longer than \(self.configuration.bodyBytes) bytes."
            let answer = self.emulator.refusal(of: platformRequest, 413, "PAYLOAD_TOO_LARGE", message)
            return self.refuse(platformRequest, name, path, answer, at: began)
        }
        guard method != nil else {
            let message = "No path accepts \(name)."
            let answer = self.emulator.refusal(of: platformRequest, 405, "METHOD_NOT_ALLOWED", message)
            return self.refuse(platformRequest, name, path, answer, at: began)
        }
        let response = await self.send(platformRequest)
        self.feed.add(Exchange(platformRequest, path: path, response: response, at: began))
        switch response {
        case .success(let response):
            return Response(response)
        case .failure(let error) where error.code == .responseTooLarge:
            return .endless()
        case .failure(let error):
            // A connection error of faults applies to this connection.
            channel.close(promise: nil)
            throw error
        }
    }

    private static func head(of request: Request, path: String) -> TransportRequest {
        let method = TransportRequest.Method(rawValue: request.method.rawValue) ?? .post
        var head = TransportRequest(method: method, url: "http://emulator\(path)", responseLimit: .max)
        for field in request.headers {
            head.headers.append(name: field.name.rawName, value: field.value)
        }
        return head
    }

    private func send(_ request: TransportRequest) async -> Result<TransportResponse, TransportError> {
        guard !self.emulator.faults.isClear else { return .success(await self.emulator.handle(request)) }
        // Faults may hold a request without limit; connections and shutdown do not wait that long.
        return await withTaskGroup(of: Result<TransportResponse, TransportError>?.self) { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    do throws(TransportError) {
                        return .success(try await self.emulator.transport.send(request))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            group.addTask {
                do {
                    try await self.clock.sleep(for: self.configuration.longestWait)
                    return .failure(TransportError(.timedOut, "Faults held the request for too long."))
                } catch {
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let outcome = await group.next() {
                if let outcome { return outcome }
            }
            return .failure(TransportError(.cancelled, "The server is shutting down."))
        }
    }

    /// Refuses a request of a foreign page, which neither the faults nor the platform receive.
    private func refusePage(_ request: Request, _ path: String, _ origin: String?) -> Response {
        let response = Response.plain(.forbidden, CrossOriginRule.reason(refusing: origin))
        var answer = TransportResponse(status: 403, body: Array(CrossOriginRule.reason(refusing: origin).utf8))
        for field in response.headers {
            answer.headers.append(name: field.name.rawName, value: field.value)
        }
        var exchange = Exchange(
            Self.head(of: request, path: path),
            method: request.method.rawValue,
            path: path,
            response: .success(answer),
            at: SystemTime.milliseconds()
        )
        exchange.refusedPage = origin ?? ""
        self.feed.add(exchange)
        return response
    }

    /// Refuses a request that the platform never receives, in the service's format, and reports it to the feed.
    private func refuse(
        _ request: TransportRequest,
        _ method: String,
        _ path: String,
        _ answer: TransportResponse,
        at began: Int64
    ) -> Response {
        self.feed.add(Exchange(request, method: method, path: path, response: .success(answer), at: began))
        var response = Response(answer)
        response.headers[.connection] = "close"
        return response
    }
}
#endif
