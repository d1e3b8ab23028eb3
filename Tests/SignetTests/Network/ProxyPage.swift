// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetTesting
import SignetTransport

/// A proxy that answers some requests with a page of its own, or as the platform would, and passes everything else on.
final class ProxyPage: Transport {
    private let platform: RecordingTransport
    private let answer: TransportResponse
    private let text: String
    /// The number of pages so far.
    let pages = Locked(0)
    let isOn = Locked(true)

    /// Makes a proxy.
    ///
    /// - Parameters:
    ///   - platform: Where everything else goes.
    ///   - status: The status of the page.
    ///   - text: The text in the bodies of the requests that get the page.
    init(_ platform: Emulator, _ status: Int, for text: String) {
        self.platform = RecordingTransport(platform)
        self.answer = Self.page(status)
        self.text = text
    }

    /// Makes a platform that itself refuses some requests.
    ///
    /// - Parameters:
    ///   - platform: Where everything else goes.
    ///   - text: The text in the bodies of the requests that are refused.
    ///   - status: The status of the refusal.
    init(_ platform: Emulator, refusing text: String, status: Int = 400) {
        self.platform = RecordingTransport(platform)
        let body = #"{"errors":[{"code":"BAD_REQUEST","message":"no"}]}"#
        self.answer = TransportResponse(status: status, headers: HTTPHeaders(), body: Array(body.utf8))
        self.text = text
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard self.isOn.withLock({ $0 }), String(decoding: request.body, as: UTF8.self).contains(self.text) else {
            return try await self.platform.send(request)
        }
        self.pages.withLock { $0 += 1 }
        return self.answer
    }

    static func page(_ status: Int) -> TransportResponse {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "text/html")
        return TransportResponse(status: status, headers: headers, body: Array("<html>nginx</html>".utf8))
    }
}
