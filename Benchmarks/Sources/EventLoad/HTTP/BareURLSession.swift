// SPDX-License-Identifier: Apache-2.0

#if HTTP
import Foundation
import Signet

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Foundation's `URLSession`, with nothing of Signet around it.
struct BareURLSession: Transport {
    private let session = URLSession(configuration: .ephemeral)

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let url = URL(string: request.url) else { throw TransportError(.invalidRequest, "no URL") }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpBody = Data(request.body)
        do {
            let (data, response) = try await self.session.data(for: urlRequest)
            return TransportResponse(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: Array(data))
        } catch {
            throw TransportError(.other, "\(error)")
        }
    }
}
#endif
